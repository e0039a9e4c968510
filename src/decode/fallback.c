/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints by libtraceevent what only its plugins can, and keeps it from what it cannot stand. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/lint.h"
#include "decode/traceevent.h"
#include "util/mem.h"

/* Zeros behind the record: plugins look at bytes without asking how many there are. */
#define PADDING 512

/* The plugins that are worth it; all others are done natively. Each file is loaded from the
 * directory beside the library itself, never from a home directory or a variable. */
static const char *const plugin_files[] = {"plugin_kvm.so", "plugin_mac80211.so", "plugin_scsi.so",
					   "plugin_xen.so"};

struct fallback {
	struct traceevent lib;
	struct tep_handle *tep;
	void *plugin[array_size(plugin_files)];
	struct decode *dec;
};

/* Events that a plugin prints without looking at their print format. */
static const struct {
	const char *system;
	const char *name;
} handled[] = {
	{"kvm", "kvm_exit"},
	{"kvm", "kvm_entry"},
	{"kvm", "kvm_emulate_insn"},
	{"kvm", "kvm_nested_vmexit"},
	{"kvm", "kvm_nested_vmexit_inject"},
	{"kvmmmu", "kvm_mmu_get_page"},
	{"kvmmmu", "kvm_mmu_sync_page"},
	{"kvmmmu", "kvm_mmu_unsync_page"},
	{"kvmmmu", "kvm_mmu_zap_page"},
	{"kvmmmu", "kvm_mmu_prepare_zap_page"},
	{"mac80211", "drv_bss_info_changed"},
};

bool fallback_knows(const struct event *event)
{
	for (size_t i = 0; i < array_size(handled); i++)
		if (!strcmp(event->system, handled[i].system) &&
		    !strcmp(event->name, handled[i].name))
			return true;
	return false;
}

static char *find_function(void *data, unsigned long long *addr, char **module)
{
	const struct symbols *symbols = decode_symbols(data);
	const struct symbol *symbol = symbols_find(symbols, *addr);

	*module = NULL;
	if (!symbol)
		return NULL;
	*addr = symbol->addr;
	return symbols->text + symbol->name;
}

/* The directory of plugins that came with the library; caller frees, NULL when unknown. */
static char *plugin_directory(const struct traceevent *lib)
{
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)lib->tep_alloc, &info) || !info.dli_fname)
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return NULL;
	return xasprintf("%.*s/traceevent/plugins", (int)(slash - info.dli_fname), info.dli_fname);
}

static void load_plugin(struct fallback *fallback, size_t i, const char *directory)
{
	cleanup_free char *path = xasprintf("%s/%s", directory, plugin_files[i]);
	tep_plugin_load_func load;

	fallback->plugin[i] = dlopen(path, RTLD_NOW);
	if (!fallback->plugin[i])
		return;
	load = (tep_plugin_load_func)dlsym(fallback->plugin[i], TEP_PLUGIN_LOADER_NAME);
	if (load)
		load(fallback->tep);
}

static struct fallback *fallback_new(struct decode *dec)
{
	struct fallback *fallback = xzalloc(sizeof(*fallback));
	cleanup_free char *directory = NULL;
	const struct traceevent *lib = &fallback->lib;

	fallback->dec = dec;
	fallback->lib = traceevent_load();
	directory = plugin_directory(lib);
	lib->tep_set_loglevel(TEP_LOG_NONE);
	fallback->tep = lib->tep_alloc();
	if (!fallback->tep)
		return fallback;
	lib->tep_set_file_bigendian(fallback->tep,
				    dec->in.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	lib->tep_set_long_size(fallback->tep, (int)dec->in.long_size);
	lib->tep_set_function_resolver(fallback->tep, find_function, dec);
	for (size_t i = 0; directory && i < array_size(plugin_files); i++)
		load_plugin(fallback, i, directory);
	return fallback;
}

void fallback_free(struct fallback *fallback)
{
	if (!fallback)
		return;
	for (size_t i = 0; i < array_size(plugin_files); i++) {
		tep_plugin_unload_func unload;

		if (!fallback->plugin[i])
			continue;
		unload = (tep_plugin_unload_func)dlsym(fallback->plugin[i],
						       TEP_PLUGIN_UNLOADER_NAME);
		if (unload)
			unload(fallback->tep);
	}
	fallback->lib.tep_free(fallback->tep);
	for (size_t i = 0; i < array_size(plugin_files); i++)
		if (fallback->plugin[i])
			dlclose(fallback->plugin[i]);
	free(fallback);
}

static void add_field(struct strbuf *text, const struct decode_field *field)
{
	const char *dims = strchr(field->type, '[');
	bool dynamic = field->is_dynamic || field->is_relative;
	int type_len = (int)(dims && !dynamic ? (size_t)(dims - field->type) : strlen(field->type));

	strbuf_addf(text, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type_len,
		    field->type, field->name, dims && !dynamic ? dims : "", field->offset,
		    field->size, field->is_signed);
}

/* The format as ft understood it, written anew: nothing of the recording's own text reaches
 * libtraceevent but names, and a print format that was looked at. */
static char *write_format(const struct event_full *full, struct decode_text print)
{
	struct strbuf text = {0};
	bool was_common = true;

	strbuf_addf(&text, "name: %s\nID: %d\nformat:\n", full->event.name, full->event.id);
	for (size_t i = 0; i < full->event.nr_fields; i++) {
		if (was_common && !full->event.field[i].is_common)
			strbuf_add(&text, "\n");
		was_common = full->event.field[i].is_common;
		add_field(&text, &full->event.field[i]);
	}
	strbuf_addf(&text, "\nprint fmt: %.*s\n", (int)print.len, print.text);
	return strbuf_take(&text);
}

bool fallback_prepare(struct decode *dec, struct event_full *full)
{
	static const char nothing[] = "\"%s\", \"\"";
	struct decode_text print = {nothing, sizeof(nothing) - 1};
	cleanup_free char *text = NULL;
	const struct traceevent *lib;
	struct tep_event *event;

	if (!fallback_knows(&full->event)) {
		print = full->format.print;
		if (!lint_print(print))
			return false;
	}
	if (!lint_fields(&full->event))
		return false;
	if (!dec->fallback)
		dec->fallback = fallback_new(dec);
	if (!dec->fallback->tep)
		return false;
	text = write_format(full, print);
	pthread_mutex_lock(&dec->fallback_lock);
	lib = &dec->fallback->lib;
	lib->tep_parse_event(dec->fallback->tep, text, strlen(text), full->event.system);
	event = lib->tep_find_event(dec->fallback->tep, full->event.id);
	/* Without its plugin an event is better printed by its own format. */
	if (event && ((event->flags & TEP_EVENT_FL_FAILED) ||
		      (fallback_knows(&full->event) && !event->handler)))
		event = NULL;
	pthread_mutex_unlock(&dec->fallback_lock);
	full->plan.tep_event = event;
	return event != NULL;
}

static bool dynamic_fields_fit(const struct eval *ev, const struct event *event)
{
	struct memory memory;

	for (size_t i = 0; i < event->nr_fields; i++)
		if ((event->field[i].is_dynamic || event->field[i].is_relative) &&
		    !field_memory(ev, &event->field[i], &memory))
			return false;
	return true;
}

static void print_own_way(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			  struct outbuf *out)
{
	if (plan->nr_ops)
		plan_run(ev, plan, raw, out);
	else
		plan_run_fields(ev, plan, raw, out);
}

/* A copy of the record with zeros behind it, in the thread's scratch. */
static uint8_t *padded_copy(struct eval *ev)
{
	struct outbuf *scratch = &ev->thread->scratch;

	scratch->len = 0;
	outbuf_reserve(scratch, (size_t)ev->size + PADDING);
	memcpy(scratch->buf, ev->data, ev->size);
	memset(scratch->buf + ev->size, 0, PADDING);
	return (uint8_t *)scratch->buf;
}

void fallback_print(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		    struct outbuf *out)
{
	struct decode *dec = ev->thread->dec;
	const struct traceevent *lib = &dec->fallback->lib;
	struct tep_record record = {.ts = raw->ts, .cpu = (int)raw->cpu};
	struct trace_seq seq;
	bool good;

	if (!dynamic_fields_fit(ev, plan->event)) {
		print_own_way(ev, plan, raw, out);
		return;
	}
	record.data = padded_copy(ev);
	record.size = (int)ev->size;
	record.record_size = record.size;
	lib->trace_seq_init(&seq);
	pthread_mutex_lock(&dec->fallback_lock);
	lib->tep_print_event(dec->fallback->tep, &seq, &record, "%s", TEP_PRINT_INFO);
	pthread_mutex_unlock(&dec->fallback_lock);
	lib->trace_seq_terminate(&seq);
	/* A plugin older than the event cannot find its fields. */
	good = seq.buffer && seq.len && !strstr(seq.buffer, "CANT FIND FIELD");
	if (good)
		outbuf_add(out, seq.buffer);
	lib->trace_seq_destroy(&seq);
	if (!good)
		print_own_way(ev, plan, raw, out);
}

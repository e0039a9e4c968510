/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be said of the kernel without its tracing files: from its symbols and its build
 * configuration, which ordinary users may read. */
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "tracefs/kconfig.h"
#include "util/io.h"
#include "util/json.h"
#include "util/mem.h"

/* Calls @visit with type and name of each symbol: "ffffffff81000000 T _text\t[module]". */
static int each_symbol(void (*visit)(char type, const char *name, struct strv *out),
		       struct strv *out)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	char *at;
	char *line;
	int r = io_read_file("/proc/kallsyms", &text, NULL);

	if (r < 0)
		return r;
	at = text.text;
	while ((line = str_next_line(&at))) {
		char *type = strchr(line, ' ');

		if (!type || !type[1] || type[2] != ' ')
			continue;
		type[3 + strcspn(type + 3, "\t")] = '\0';
		visit(type[1], type + 3, out);
	}
	return 0;
}

static void take_symbols(struct list *l, struct strv *names)
{
	strv_sort(names);
	strv_uniq(names);
	for (size_t i = 0; i < names->nr; i++)
		items_add(&l->items, xstrdup(names->item[i]));
}

static void add_tracepoint(char type, const char *name, struct strv *out)
{
	static const char prefix[] = "__tracepoint_";

	(void)type;
	if (str_starts(name, prefix))
		strv_add(out, name + strlen(prefix));
}

static void add_text_symbol(char type, const char *name, struct strv *out)
{
	/* Padding and split-off cold parts are no functions to trace. */
	if (strchr("tTwW", type) && !str_starts(name, "__pfx_") && !str_starts(name, "__cfi_") &&
	    !strstr(name, ".cold"))
		strv_add(out, name);
}

/* The kernel's type information holds a type btf_trace_NAME for each tracepoint; the strings in it
 * are enough. */
static void add_btf_tracepoints(struct strv *out)
{
	static const char prefix[] = "btf_trace_";
	cleanup(strbuf_fini) struct strbuf btf = {0};
	const char *at;
	const char *end;

	if (io_read_file("/sys/kernel/btf/vmlinux", &btf, NULL) < 0)
		return;
	end = btf.text + btf.len;
	for (at = btf.text; (at = memmem(at, (size_t)(end - at), prefix, strlen(prefix)));) {
		bool is_whole = at > btf.text && !at[-1];

		at += strlen(prefix);
		if (is_whole && *at)
			strv_add(out, at);
	}
}

const char *list_guess_events(struct list *l)
{
	cleanup(strv_fini) struct strv names = {0};

	add_btf_tracepoints(&names);
	each_symbol(add_tracepoint, &names);
	take_symbols(l, &names);
	return "the kernel's tracepoints, without their systems and without the events of single "
	       "system calls";
}

const char *list_guess_functions(struct list *l)
{
	cleanup(strv_fini) struct strv names = {0};

	if (each_symbol(add_text_symbol, &names) < 0)
		return NULL;
	take_symbols(l, &names);
	return "the functions among the kernel's symbols, of which not all can be traced";
}

const char *list_guess_tracers(struct list *l)
{
	cleanup(kconfig_fini) struct kconfig kc = {0};

	size_t nr;
	const struct kconfig_tracer *tracer = kconfig_tracers(&nr);

	kconfig_load(&kc);
	for (size_t i = 0; i < nr; i++)
		if (kconfig_get(&kc, tracer[i].config) == KCONFIG_YES)
			items_add(&l->items, xstrdup(tracer[i].name));
	return "what the kernel's build configuration names";
}

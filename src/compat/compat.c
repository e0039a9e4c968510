/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of trace-cmd report 3.1.6, by trace-cmd's own library. */
#include "compat/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/child.h"
#include "compat/tracecmd.h"
#include "util/io.h"
#include "util/mem.h"
#include "util/outbuf.h"
#include "util/str.h"

#define FLUSH_AT (1 << 18)
/* Names of events are filled up to this width. */
#define NAME_WIDTH 20

/* What the callback for each record needs. */
struct printer {
	const struct tracecmd *lib;
	const struct compat_config *config;
	bool has_clock;
	bool is_nanoseconds;
	struct trace_seq seq;
	struct outbuf out;
	int prefix;	    /* characters before each line, 0: none */
	uint64_t last_time; /* as printed */
	bool failed;
};

static void flush(struct printer *p)
{
	if (!p->failed && io_write_all(STDOUT_FILENO, p->out.buf, p->out.len) < 0)
		p->failed = true;
	p->out.len = 0;
}

/* trace-cmd's list, in which boot is missing: its times are printed as they are. */
static bool is_nanoseconds(const struct dat_reader *reader)
{
	static const char *const clocks[] = {"local", "global",	  "uptime", "perf",
					     "mono",  "mono_raw", "tai",    "tsc2nsec"};
	const char *open = reader->trace_clock ? strchr(reader->trace_clock, '[') : NULL;

	if (!open || reader->has_tsc2nsec)
		return true;
	for (size_t i = 0; i < array_size(clocks); i++)
		if (str_starts(open + 1, clocks[i]) && open[1 + strlen(clocks[i])] == ']')
			return true;
	return false;
}

static const struct dat_buffer *find_buffer(const struct dat_reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->nr_buffers; i++)
		if (!strcmp(reader->buffer[i].name, name))
			return &reader->buffer[i];
	return NULL;
}

static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static void print_time(const struct printer *p, struct trace_seq *s, uint64_t ts)
{
	unsigned long long us = to_us(ts);

	if (!p->is_nanoseconds)
		p->lib->trace_seq_printf(s, "%12llu:", (unsigned long long)ts);
	else if (p->config->nanoseconds)
		p->lib->trace_seq_printf(s, " %5llu.%09llu:", (unsigned long long)ts / 1000000000,
					 (unsigned long long)ts % 1000000000);
	else
		p->lib->trace_seq_printf(s, " %5llu.%06llu:", us / 1000000, us % 1000000);
}

/* The time since the line before, whichever buffer that was of; nothing behind a line at 0. */
static void print_diff(struct printer *p, struct trace_seq *s, uint64_t ts)
{
	/* Without a clock in the file, trace-cmd forgets to round. */
	uint64_t now = p->config->nanoseconds || !p->has_clock ? ts : to_us(ts);
	char text[32] = "";

	if (p->last_time)
		snprintf(text, sizeof(text), "(+%llu)", (unsigned long long)(now - p->last_time));
	p->lib->trace_seq_printf(s, " %-8s", text);
	p->last_time = now;
}

static void print_event(struct printer *p, struct tep_handle *tep, struct tep_record *record)
{
	const struct tracecmd *lib = p->lib;
	struct tep_event *event = lib->tep_find_event_by_record(tep, record);
	/* What stands for an event that the file does not describe. */
	const char *name = event ? event->name : "(NULL)";
	int name_len = (int)strlen(name);
	struct trace_seq *s = &p->seq;

	lib->trace_seq_reset(s);
	if (record->missed_events > 0)
		lib->trace_seq_printf(s, "CPU:%d [%lld EVENTS DROPPED]\n", record->cpu,
				      record->missed_events);
	else if (record->missed_events < 0)
		lib->trace_seq_printf(s, "CPU:%d [EVENTS DROPPED]\n", record->cpu);
	lib->tep_print_event(tep, s, record,
			     p->config->latency ? "%8.8s-%-5d %3d" : "%16s-%-5d [%03d]",
			     TEP_PRINT_COMM, TEP_PRINT_PID, TEP_PRINT_CPU);
	if (p->config->latency && p->config->raw)
		lib->trace_seq_printf(s, "-0x%x", (unsigned int)lib->tep_data_flags(tep, record));
	else if (p->config->latency)
		lib->tep_print_event(tep, s, record, "%s", TEP_PRINT_LATENCY);
	if (event)
		print_time(p, s, record->ts);
	else
		lib->tep_print_event(tep, s, record, "%d", TEP_PRINT_TIME);
	if (p->config->ts_diff)
		print_diff(p, s, record->ts);
	lib->trace_seq_printf(s, " %s: %*s", name,
			      name_len < NAME_WIDTH ? NAME_WIDTH - name_len : 0, "");
	lib->tep_print_event(tep, s, record, "%s",
			     p->config->raw ? TEP_PRINT_INFO_RAW : TEP_PRINT_INFO);
	/* Stack traces end their last line themselves. */
	if (s->len && s->buffer[s->len - 1] == '\n')
		s->len--;
}

static bool is_wanted(const struct compat_config *config, const char *instance, unsigned int cpu)
{
	if (!config->cpus)
		return true;
	for (size_t i = 0; !*instance && i < config->nr_cpus; i++)
		if (config->cpus[i] == cpu)
			return true;
	return false;
}

static int on_record(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *arg)
{
	struct printer *p = arg;
	const char *instance = p->lib->tracecmd_get_private(handle);

	if (!is_wanted(p->config, instance, (unsigned int)cpu))
		return 0;
	if (p->prefix && *instance)
		outbuf_addf(&p->out, "%*s: ", p->prefix - 2, instance);
	else if (p->prefix)
		outbuf_addf(&p->out, "%*s", p->prefix, "");
	print_event(p, p->lib->tracecmd_get_tep(handle), record);
	outbuf_add_mem(&p->out, p->seq.buffer, p->seq.len);
	outbuf_add_char(&p->out, '\n');
	if (p->out.len >= FLUSH_AT)
		flush(p);
	return p->failed ? -1 : 0;
}

/* The top buffer and the instances; each handle's private pointer is its name. */
struct handles {
	struct tracecmd_input **handle;
	int nr;
	int longest_name;
};

static void open_instances(const struct tracecmd *lib, struct tracecmd_input *handle,
			   struct handles *h)
{
	int nr = lib->tracecmd_buffer_instances(handle);

	h->handle = xcalloc((size_t)nr + 1, sizeof(*h->handle));
	lib->tracecmd_set_private(handle, (void *)"");
	h->handle[h->nr++] = handle;
	for (int i = 0; i < nr; i++) {
		const char *name = lib->tracecmd_buffer_instance_name(handle, i);
		struct tracecmd_input *instance = lib->tracecmd_buffer_instance_handle(handle, i);

		if (!instance || !name)
			continue;
		lib->tracecmd_set_private(instance, (void *)name);
		h->handle[h->nr++] = instance;
		if ((int)strlen(name) > h->longest_name)
			h->longest_name = (int)strlen(name);
	}
}

static enum child_end report_job(const struct tracecmd *lib, struct tracecmd_input *handle,
				 const struct dat_reader *reader, void *arg)
{
	struct printer p = {.lib = lib,
			    .config = arg,
			    .has_clock = reader->trace_clock != NULL,
			    .is_nanoseconds = is_nanoseconds(reader)};
	struct handles h = {0};

	open_instances(lib, handle, &h);
	if (h.nr > 1)
		p.prefix = h.longest_name + 2;
	lib->trace_seq_init(&p.seq);
	outbuf_addf(&p.out, "cpus=%d\n", lib->tep_get_cpus(lib->tracecmd_get_tep(handle)));
	lib->tracecmd_iterate_events_multi(h.handle, h.nr, on_record, &p);
	flush(&p);
	return p.failed ? CHILD_CANNOT_WRITE : CHILD_DONE;
}

/* Latency tracers leave the kernel's own text, which needs no library. */
static int print_text(const struct dat_reader *reader, const struct dat_buffer *buffer, int out_fd,
		      struct err *err)
{
	cleanup_free char *head = xasprintf("cpus=%u\n", reader->cpu_count);
	int r = io_write_all(out_fd, head, strlen(head));

	if (r == 0)
		r = io_write_all(out_fd, buffer->text.text, buffer->text.len);
	if (r == 0)
		r = io_write_all(out_fd, "\n", 1);
	return r < 0 ? err_sys(err, -r, "cannot write the report") : 0;
}

int compat_report(const struct compat_config *config, int out_fd, struct err *err)
{
	cleanup(dat_reader_closep) struct dat_reader *reader = dat_reader_open(config->path, err);
	const struct dat_buffer *top;

	if (!reader)
		return -err->code;
	top = find_buffer(reader, "");
	if (top && top->is_text)
		return print_text(reader, top, out_fd, err);
	return child_run(reader, report_job, (void *)config, out_fd, NULL, err);
}

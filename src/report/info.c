/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single questions about recordings, answered without printing their events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dat/facts.h"
#include "decode/format.h"
#include "report/choice.h"
#include "report/counting.h"
#include "report/input.h"
#include "util/io.h"
#include "util/mem.h"

/* Writes @out and says what is damaged. */
static int finish(const struct input *in, const struct report_config *config, struct outbuf *out,
		  int out_fd, struct err *err)
{
	int ret;

	if (out->len)
		clean_text(out, 0, true);
	ret = io_write_all(out_fd, out->buf, out->len);

	if (ret == -EPIPE)
		return 0;
	if (ret < 0)
		return err_sys(err, -ret, "cannot write the report");
	return input_tell(in, config) ? 1 : 0;
}

/* Which of several files what follows is of, as a line of its own. */
static void put_file(const struct input *in, const struct input_file *file, struct outbuf *out)
{
	if (in->nr_files > 1)
		outbuf_addf(out, "%s:\n", file->name);
}

static void put_places(const struct input *in, const struct input_file *file, struct outbuf *out)
{
	for (size_t i = 0; i < in->nr_sources; i++) {
		const struct dat_buffer *buffer = in->source[i].buffer;

		for (size_t c = 0;
		     in->source[i].file == file && !*buffer->name && c < buffer->nr_cpus; c++)
			outbuf_addf(out,
				    "CPU%" PRIu32 " data recorded at offset=0x%" PRIx64
				    "\n    %" PRIu64 " bytes in size\n",
				    buffer->cpu[c].cpu, buffer->cpu[c].offset, buffer->cpu[c].size);
	}
}

int report_stat(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < in.nr_files; i++) {
		const struct dat_reader *r = in.file[i].r;

		input_put_cpus(&in, &in.file[i], &out);
		outbuf_add(&out, "\nKernel buffer statistics:\n");
		outbuf_add(&out, "  Note: \"entries\" are the entries left in the kernel ring "
				 "buffer and are not\n        recorded in the trace data. They "
				 "should all be zero.\n\n");
		for (size_t s = 0; s < r->nr_cpustats; s++) {
			outbuf_add_mem(&out, r->cpustat[s].text, r->cpustat[s].len);
			outbuf_add_char(&out, '\n');
		}
		outbuf_add(&out, r->nr_cpustats ? "\n" : " No stats in this file\n");
		put_places(&in, &in.file[i], &out);
	}
	return finish(&in, config, &out, out_fd, err);
}

/* What the file says of the machine: all but what is of single tasks. */
static void put_facts(const struct dat_reader *r, struct outbuf *out)
{
	for (size_t i = 0; i < r->facts.nr; i++) {
		const char *line = r->facts.item[i];

		if (strcmp(line, DAT_FACT_RING) != 0 && !str_starts(line, DAT_FACT_TGID) &&
		    strcmp(line, DAT_FACT_TGIDS) != 0)
			outbuf_addf(out, "%s\n", line);
	}
}

static int put_texts(const struct report_config *config, bool uname, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < in.nr_files; i++) {
		const struct dat_reader *r = in.file[i].r;

		input_put_cpus(&in, &in.file[i], &out);
		if (uname)
			outbuf_addf(&out, "%s\n", r->uname ? r->uname : "uname was not recorded");
		if (r->recorder || !uname)
			outbuf_addf(&out, "%s\n",
				    r->recorder ? r->recorder
						: "the version of the recorder was not recorded");
		if (uname)
			put_facts(r, &out);
	}
	return finish(&in, config, &out, out_fd, err);
}

int report_uname(const struct report_config *config, int out_fd, struct err *err)
{
	return put_texts(config, true, out_fd, err);
}

int report_version(const struct report_config *config, int out_fd, struct err *err)
{
	return put_texts(config, false, out_fd, err);
}

static bool is_wanted(const struct report_config *config, const struct dat_format *format)
{
	struct decode_text name =
		format_name((struct decode_text){format->text.text, format->text.len});
	cleanup_free char *own = xstrndup(name.text, name.len);

	for (size_t i = 0; i < config->events.nr; i++)
		if (choice_event_matches(config->events.item[i], format->system, own))
			return true;
	return !config->events.nr;
}

int report_events(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < in.nr_files; i++) {
		const struct dat_reader *r = in.file[i].r;
		const char *system = NULL;

		put_file(&in, &in.file[i], &out);
		for (size_t f = 0; f < r->nr_formats; f++) {
			const struct dat_format *format = &r->format[f];

			if (!is_wanted(config, format))
				continue;
			if (!system || strcmp(format->system, system) != 0)
				outbuf_addf(&out, "\nsystem: %s\n", format->system);
			system = format->system;
			outbuf_add_mem(&out, format->text.text, format->text.len);
			outbuf_add_char(&out, '\n');
		}
	}
	return finish(&in, config, &out, out_fd, err);
}

static void put_plain_time(const struct report_config *config, bool raw_clock, uint64_t ts,
			   struct outbuf *out)
{
	if (raw_clock)
		outbuf_addf(out, "%12" PRIu64, ts);
	else if (config->style.nanoseconds)
		outbuf_addf(out, "%5" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
	else
		outbuf_addf(out, "%5" PRIu64 ".%06" PRIu64, (ts + 500) / 1000000000,
			    (ts + 500) % 1000000000 / 1000);
}

static void put_cpu_span(const struct report_config *config, const struct input_source *source,
			 const struct input_cpu *cpu, bool first, bool last, struct outbuf *out)
{
	bool raw_clock = dat_clock_is_raw(source->file->r, source->buffer);
	const struct stream_slot *slot;
	struct stream s;
	uint64_t from;
	uint64_t to;

	stream_init(&s, cpu->src, cpu->cpu, &source->layout, &source->time);
	slot = stream_head(&s);
	if (slot) {
		from = slot->raw.ts;
		outbuf_addf(out, "  %" PRIu32, cpu->cpu);
		if (first) {
			outbuf_add(out, "\tFirst event:");
			put_plain_time(config, raw_clock, from, out);
		}
		if (last && stream_last_ts(&s, &to)) {
			outbuf_add(out, "\tLast event:");
			put_plain_time(config, raw_clock, to, out);
		}
		outbuf_add_char(out, '\n');
	}
	input_take_notes(source->file, &s);
	stream_fini(&s);
}

int report_first_last(const struct report_config *config, bool first, bool last, int out_fd,
		      struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < in.nr_sources; i++) {
		const struct input_source *source = &in.source[i];

		if (*source->buffer->name)
			outbuf_addf(&out, "List of CPUs in %s of %s with data:\n",
				    source->buffer->name, source->file->name);
		else
			outbuf_addf(&out, "List of CPUs in %s with data:\n", source->file->name);
		for (size_t c = 0; c < source->nr_cpus; c++)
			put_cpu_span(config, source, &source->cpu[c], first, last, &out);
	}
	return finish(&in, config, &out, out_fd, err);
}

/* An event type with how often it occurs. */
struct row {
	const struct event *event;
	uint64_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->event->name, y->event->name);
}

static void put_rows(const struct walk_types *types, struct outbuf *out)
{
	static const char *const kinds[] = {
		[PLAN_NATIVE] = "plan", [PLAN_FALLBACK] = "library", [PLAN_FIELDS] = "fields"};
	cleanup_free struct row *row = xcalloc(types->nr, sizeof(*row));
	uint64_t sum[array_size(kinds)] = {0};
	uint64_t all = 0;
	size_t nr = 0;

	for (size_t id = 0; id < types->nr; id++) {
		const struct walk_event *type = types->event[id];

		if (type && type->event && type->count)
			row[nr++] = (struct row){type->event, type->count};
	}
	qsort(row, nr, sizeof(*row), by_count);
	for (size_t i = 0; i < nr; i++) {
		enum plan_kind kind = event_plan_kind(row[i].event);

		outbuf_addf(out, "%12" PRIu64 "  %-8s %s:%s\n", row[i].count, kinds[kind],
			    row[i].event->system, row[i].event->name);
		sum[kind] += row[i].count;
		all += row[i].count;
	}
	for (size_t kind = 0; kind < array_size(kinds); kind++)
		outbuf_addf(out, "%12" PRIu64 "  %-8s %.2f %%\n", sum[kind], kinds[kind],
			    all ? 100.0 * (double)sum[kind] / (double)all : 0.0);
}

int report_plans(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	cleanup(walk_fini) struct walk w = {0};
	struct report_config counting = *config;
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	counting.sink = &counting_sink;
	counting_walk(&w, &counting, &in);
	for (size_t i = 0; i < in.nr_files; i++) {
		put_file(&in, &in.file[i], &out);
		put_rows(&w.types[i], &out);
	}
	return finish(&in, config, &out, out_fd, err);
}

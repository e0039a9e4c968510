/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a recording sound? Reads all of it and lists what is not as it should be. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dat/facts.h"
#include "report/counting.h"
#include "report/second.h"
#include "util/io.h"
#include "util/mem.h"

static void check_lane(const struct input *in, const struct lane *lane)
{
	const struct input_source *source = &in->source[lane->source];
	const char *name = *source->buffer->name ? source->buffer->name : "top";

	/* A gap is where older events were: the counters tell lost ones apart. */
	if (dat_has_fact(lane->file->r, DAT_FACT_RING))
		return;
	if (lane->stream.nr_lost)
		dat_finding(lane->file->r,
			    "CPU %" PRIu32 " of buffer %s: %" PRIu64 " events were lost",
			    lane->stream.cpu, name, lane->stream.nr_lost);
	if (lane->stream.lost_uncounted)
		dat_finding(lane->file->r,
			    "CPU %" PRIu32 " of buffer %s: events were lost, their number is not "
			    "known",
			    lane->stream.cpu, name);
}

/* Counters of the kernel at the end of the recording: events that never reached the file. Returns how many a
 * ring has overwritten. */
static uint64_t check_stats(struct dat_reader *r)
{
	static const char *const counters[] = {"\noverrun: ", "\ndropped events: "};
	bool is_ring = dat_has_fact(r, DAT_FACT_RING);
	uint64_t overwritten = 0;

	for (size_t i = 0; i < r->nr_cpustats; i++) {
		const char *text = r->cpustat[i].text;

		for (size_t c = 0; c < array_size(counters); c++) {
			const char *at = strstr(text, counters[c]);
			const char *value = at ? at + strlen(counters[c]) : "0";

			if (*value < '1' || *value > '9')
				continue;
			if (is_ring && c == 0) {
				overwritten += strtoull(value, NULL, 10);
				continue;
			}
			dat_finding(r, "%.*s: the kernel counted %.*s events as %s",
				    (int)strcspn(text, "\n"), text, (int)strcspn(value, "\n"),
				    value, c ? "dropped" : "overwritten");
		}
	}
	return overwritten;
}

/* What is known of a file beside its findings. */
struct verdict {
	bool compared;
	uint64_t overwritten;
	struct strv in_part; /* events with a print format that is followed in part */
};

static void check_formats(struct input_file *file, const struct walk_types *types,
			  struct verdict *verdict)
{
	for (size_t id = 0; id < types->nr; id++) {
		const struct walk_event *type = types->event[id];

		if (!type || !type->count || !type->event)
			continue;
		if (event_plan_kind(type->event) == PLAN_FIELDS)
			dat_finding(file->r,
				    "event %s:%s: its print format cannot be followed, only its "
				    "fields are printed",
				    type->event->system, type->event->name);
		else if (decode_lacks_values(file->dec, type->event))
			strv_add_take(&verdict->in_part,
				      xasprintf("%s:%s", type->event->system, type->event->name));
	}
}

static void verdicts_free(struct verdict *verdict, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strv_fini(&verdict[i].in_part);
	free(verdict);
}

/* Of a sound file: how many events, and what has to be known with that. */
static void put_sound(const struct input *in, const struct walk *w, const struct input_file *file,
		      const struct verdict *verdict, struct outbuf *out)
{
	outbuf_addf(out, "%s: sound", file->name);
	if (in->nr_files == 1)
		outbuf_addf(out, ", %" PRIu64 " events", w->nr_events);
	if (verdict->overwritten)
		outbuf_addf(out, "; %" PRIu64 " older ones were overwritten, as in a ring",
			    verdict->overwritten);
	if (verdict->in_part.nr)
		outbuf_addf(out, "; %zu print %s followed in part", verdict->in_part.nr,
			    verdict->in_part.nr == 1 ? "format is" : "formats are");
	/* Of the kernel's own text there is nothing to compare. */
	if (!verdict->compared)
		outbuf_addf(out, "; trace-cmd here cannot read it, it was built without %s",
			    file->r->compress_name);
	else if (!in->has_text)
		outbuf_add(out, "; trace-cmd and KernelShark read the same");
	outbuf_add_char(out, '\n');
}

static void put_findings(const struct input *in, const struct walk *w,
			 const struct verdict *verdict, struct outbuf *out)
{
	for (size_t i = 0; i < in->nr_files; i++) {
		const struct input_file *file = &in->file[i];
		const struct strv *findings = &file->r->findings;
		const struct strv *in_part = &verdict[i].in_part;

		for (size_t f = 0; f < findings->nr; f++)
			outbuf_addf(out, "%s: %s\n", file->name, findings->item[f]);
		for (size_t f = 0; f < in_part->nr; f++)
			outbuf_addf(out,
				    "%s: event %s: its print format asks for what is not in the "
				    "file, shown as ? or as name=value\n",
				    file->name, in_part->item[f]);
		if (!findings->nr)
			put_sound(in, w, file, &verdict[i], out);
	}
}

int report_check(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	cleanup(walk_fini) struct walk w = {0};
	struct report_config counting = *config;
	struct verdict *verdict;
	bool sound = true;
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	verdict = xcalloc(in.nr_files, sizeof(*verdict));
	counting.sink = &counting_sink;
	for (size_t i = 0; i < in.nr_files; i++) {
		size_t len;

		dat_check_sections(in.file[i].r);
		/* Counting looks nothing up, so what is wrong with them would not show. */
		dat_reader_kallsyms(in.file[i].r, &len);
	}
	counting_walk(&w, &counting, &in);
	walk_tell_unknown(&w);
	for (uint32_t i = 0; i < w.merge.nr_lanes; i++)
		check_lane(&in, &w.merge.lane[i]);
	for (size_t i = 0; i < in.nr_files; i++) {
		verdict[i].overwritten = check_stats(in.file[i].r);
		check_formats(&in.file[i], &w.types[i], &verdict[i]);
		verdict[i].compared = second_opinion(&in, &in.file[i]);
		sound &= !in.file[i].r->findings.nr;
	}
	put_findings(&in, &w, verdict, &out);
	verdicts_free(verdict, in.nr_files);
	ret = io_write_all(out_fd, out.buf, out.len);
	if (ret < 0 && ret != -EPIPE)
		return err_sys(err, -ret, "cannot write the findings");
	return sound ? 0 : 1;
}

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

static void check_formats(struct input_file *file, const struct walk_types *types)
{
	for (size_t id = 0; id < types->nr; id++) {
		const struct walk_event *type = types->event[id];

		if (type && type->count && type->event &&
		    event_plan_kind(type->event) == PLAN_FIELDS)
			dat_finding(file->r,
				    "event %s:%s: its print format cannot be followed, only its "
				    "fields are printed",
				    type->event->system, type->event->name);
	}
}

/* What is known of a file beside its findings. */
struct verdict {
	bool compared;
	uint64_t overwritten;
};

static void put_findings(const struct input *in, const struct walk *w,
			 const struct verdict *verdict, struct outbuf *out)
{
	for (size_t i = 0; i < in->nr_files; i++) {
		const struct strv *findings = &in->file[i].r->findings;

		for (size_t f = 0; f < findings->nr; f++)
			outbuf_addf(out, "%s: %s\n", in->file[i].name, findings->item[f]);
		if (findings->nr)
			continue;
		outbuf_addf(out, "%s: sound", in->file[i].name);
		if (in->nr_files == 1)
			outbuf_addf(out, ", %" PRIu64 " events", w->nr_events);
		if (verdict[i].overwritten)
			outbuf_addf(out, "; %" PRIu64 " older ones were overwritten, as in a ring",
				    verdict[i].overwritten);
		/* Of the kernel's own text there is nothing to compare. */
		if (!verdict[i].compared)
			outbuf_addf(out, "; trace-cmd here cannot read it, it was built without %s",
				    in->file[i].r->compress_name);
		else if (!in->has_text)
			outbuf_add(out, "; trace-cmd and KernelShark read the same");
		outbuf_add_char(out, '\n');
	}
}

int report_check(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(outbuf_fini) struct outbuf out = {0};
	cleanup(input_close) struct input in = {0};
	cleanup(walk_fini) struct walk w = {0};
	struct report_config counting = *config;
	cleanup_free struct verdict *verdict = NULL;
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
		check_formats(&in.file[i], &w.types[i]);
		verdict[i].compared = second_opinion(&in, &in.file[i]);
		sound &= !in.file[i].r->findings.nr;
	}
	put_findings(&in, &w, verdict, &out);
	ret = io_write_all(out_fd, out.buf, out.len);
	if (ret < 0 && ret != -EPIPE)
		return err_sys(err, -ret, "cannot write the findings");
	return sound ? 0 : 1;
}

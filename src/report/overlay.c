/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --merge: samples go in front of the first event that is later. */
#include "report/overlay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/slice.h"
#include "util/mem.h"

struct overlay_sink {
	struct sink sink;
	struct overlay *overlay;
	struct sink *text;
	struct sink_shared *shared; /* of the text */
	struct sink_style style;
};

static struct overlay_sink *to_overlay(struct sink *sink)
{
	return (struct overlay_sink *)sink;
}

static bool always_serial(const struct sink_style *style)
{
	(void)style;
	return true;
}

static struct sink *overlay_make(const struct sink_source *source, size_t nr_sources,
				 const struct sink_style *style, struct sink_shared *shared)
{
	struct overlay_sink *o = xzalloc(sizeof(*o));

	o->sink.ops = &overlay_sink;
	o->overlay = (struct overlay *)shared;
	o->shared = text_sink.share();
	o->text = text_sink.make(source, nr_sources, style, o->shared);
	o->style = *style;
	return &o->sink;
}

static void overlay_free(struct sink *sink)
{
	struct overlay_sink *o = to_overlay(sink);

	o->text->ops->free(o->text);
	text_sink.unshare(o->shared);
	free(o);
}

static bool has_pid(const struct report_config *config, int pid)
{
	for (size_t i = 0; i < config->nr_pids; i++)
		if (config->pids[i] == pid)
			return true;
	return !config->pids;
}

static bool has_cpu(const struct report_config *config, uint32_t cpu)
{
	for (size_t i = 0; i < config->nr_cpus; i++)
		if (config->cpus[i] == cpu)
			return true;
	return !config->cpus;
}

static bool has_comm(const struct report_config *config, const char *comm)
{
	for (size_t i = 0; i < config->comms.nr; i++)
		if (glob_matches(config->comms.item[i], comm))
			return true;
	return !config->comms.nr;
}

static bool is_wanted(const struct overlay *overlay, const struct perf_sample *sample)
{
	const struct report_config *config = overlay->config;

	return sample->ts >= overlay->since && sample->ts < overlay->end &&
	       has_pid(config, sample->tid) && has_cpu(config, sample->cpu) &&
	       has_comm(config, sample->comm) &&
	       (!overlay->windows || windows_hold(overlay->windows, sample->tid, sample->ts));
}

/* In the columns of the text. */
static void put_sample(const struct overlay_sink *o, const struct perf_sample *sample,
		       struct outbuf *out)
{
	uint64_t time = o->style.nanoseconds ? sample->ts : (sample->ts + 500) / 1000;
	uint64_t unit = o->style.nanoseconds ? 1000000000 : 1000000;
	const char *symbol = sample->symbol;
	char event[64];

	snprintf(event, sizeof(event), "%s:", sample->event);
	if (o->style.latency)
		outbuf_addf(out, "%8.8s-%-5d %3" PRIu32 ".....", sample->comm, sample->tid,
			    sample->cpu);
	else
		outbuf_addf(out, "%16.24s-%-5d [%03" PRIu32 "]", sample->comm, sample->tid,
			    sample->cpu);
	outbuf_addf(out, " %5" PRIu64 ".%0*" PRIu64 ":", time / unit, o->style.nanoseconds ? 9 : 6,
		    time % unit);
	if (o->style.ts_diff)
		outbuf_addf(out, " %-8s", "");
	outbuf_addf(out, " %-21s ", event);
	for (size_t i = 0; i < sample->nr_frames; i++) {
		outbuf_addf(out, "%s%s", i ? " <- " : "", symbol);
		symbol = perf_next_frame(symbol);
	}
	outbuf_add_char(out, '\n');
}

static void put_up_to(struct overlay_sink *o, uint64_t ts, struct outbuf *out)
{
	struct overlay *overlay = o->overlay;
	const struct perf_script *script = overlay->script;

	for (; overlay->next < script->nr && script->sample[overlay->next].ts <= ts;
	     overlay->next++)
		if (is_wanted(overlay, &script->sample[overlay->next]))
			put_sample(o, &script->sample[overlay->next], out);
}

static void overlay_event(struct sink *sink, const struct sink_event *event, struct outbuf *out)
{
	struct overlay_sink *o = to_overlay(sink);

	put_up_to(o, event->raw->ts, out);
	o->text->ops->event(o->text, event, out);
}

static void overlay_lost(struct sink *sink, const struct raw_event *where, unsigned int source,
			 struct outbuf *out)
{
	struct overlay_sink *o = to_overlay(sink);

	o->text->ops->lost(o->text, where, source, out);
}

static void overlay_end(struct sink *sink, struct outbuf *out)
{
	put_up_to(to_overlay(sink), UINT64_MAX, out);
}

const struct sink_ops overlay_sink = {
	.name = "overlay",
	.is_serial = always_serial,
	.make = overlay_make,
	.free = overlay_free,
	.event = overlay_event,
	.lost = overlay_lost,
	.end = overlay_end,
};

static void __attribute__((format(printf, 2, 3)))
tell(const struct overlay *overlay, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	if (!overlay->config->message)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	overlay->config->message(overlay->config->message_ctx, text);
}

/* Times of two clocks would be mixed without a word otherwise. */
static void check_times(const struct overlay *overlay, const struct input *in)
{
	const struct perf_script *script = overlay->script;
	uint64_t first;
	uint64_t last;
	size_t nr = 0;

	if (script->nr_unknown)
		tell(overlay, "--merge: %zu lines of %s are no samples", script->nr_unknown,
		     overlay->name);
	if (!input_time_span(in, &first, &last))
		return;
	for (size_t i = 0; i < script->nr; i++)
		nr += script->sample[i].ts >= first && script->sample[i].ts <= last;
	if (!nr)
		tell(overlay,
		     "--merge: no sample of %s lies between the first event and the last: record "
		     "both with the same clock (ft record -C mono, perf record -k mono)",
		     overlay->name);
}

static int prepare(void *ctx, struct input *in, struct err *err)
{
	struct overlay *overlay = ctx;
	struct report_window window;
	int r = overlay->prepare ? overlay->prepare(overlay->prepare_ctx, in, err) : 0;

	for (size_t i = 0; r == 0 && i < in->nr_sources; i++)
		if (in->about[i].raw_clock)
			r = err_set(err, EINVAL,
				    "--merge: the times of %s are ticks of a counter, those of "
				    "perf are not",
				    in->about[i].file);
	if (r < 0)
		return r;
	report_window_find(overlay->config, in, &window);
	overlay->since = window.since;
	overlay->end = window.end;
	check_times(overlay, in);
	return 0;
}

void overlay_apply(struct overlay *overlay, struct report_config *config)
{
	overlay->config = config;
	overlay->prepare = config->prepare;
	overlay->prepare_ctx = config->prepare_ctx;
	config->prepare = prepare;
	config->prepare_ctx = overlay;
	config->sink = &overlay_sink;
	config->sink_shared = (struct sink_shared *)overlay;
}

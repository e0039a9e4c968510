/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds an analysis with the events of a report. */
#include "report/analysis.h"

#include <stdlib.h>

#include "report/input.h"
#include "report/slice.h"
#include "util/io.h"
#include "util/mem.h"

struct analysis_sink {
	struct sink sink;
	struct analysis *analysis;
};

static struct analysis *analysis_of(struct sink *sink)
{
	return ((struct analysis_sink *)sink)->analysis;
}

static const struct sink_ops analysis_sink;

/* walk_init() hands out what analysis_walk() gave it in the place of what sinks share. */
static struct sink *sink_make(const struct sink_source *source, size_t nr_sources,
			      const struct sink_style *style, struct sink_shared *shared)
{
	struct analysis_sink *sink = xzalloc(sizeof(*sink));

	(void)style;
	sink->sink.ops = &analysis_sink;
	sink->analysis = (struct analysis *)shared;
	sink->analysis->source = source;
	sink->analysis->nr_sources = nr_sources;
	return &sink->sink;
}

static void sink_free(struct sink *sink)
{
	free(sink);
}

static void sink_event(struct sink *sink, const struct sink_event *event, struct outbuf *out)
{
	struct analysis *a = analysis_of(sink);

	(void)out;
	a->ops->event(a, event);
}

static void sink_see(struct sink *sink, const struct raw_event *raw, unsigned int source)
{
	struct analysis *a = analysis_of(sink);

	a->last_time = raw->ts;
	gaps_see(&a->gaps[source], raw->cpu, raw->ts, raw->missed);
}

static void sink_lost(struct sink *sink, const struct raw_event *where, unsigned int source,
		      struct outbuf *out)
{
	(void)out;
	gaps_end(&analysis_of(sink)->gaps[source], where->ts);
}

static const struct sink_ops analysis_sink = {
	.name = "analysis",
	.make = sink_make,
	.free = sink_free,
	.event = sink_event,
	.see = sink_see,
	.lost = sink_lost,
};

void analysis_freep(struct analysis **ap)
{
	struct analysis *a = *ap;

	if (!a)
		return;
	for (size_t i = 0; i < a->nr_sources; i++)
		gaps_fini(&a->gaps[i]);
	free(a->gaps);
	a->ops->free(a);
	*ap = NULL;
}

void analysis_tell(const struct analysis *a, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	if (!a->config->message)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	a->config->message(a->config->message_ctx, text);
}

void analysis_put_buffer(const struct analysis *a, unsigned int source, struct table_cell *cell)
{
	const struct input_source *s = &a->in->source[source];
	const char *name = *s->buffer->name ? s->buffer->name : "top";

	cell->is_none = a->in->nr_sources < 2;
	if (cell->is_none)
		return;
	if (a->in->nr_files > 1)
		cell->text = xasprintf("%s:%s", input_base_name(s->file->name), name);
	else
		cell->text = xstrdup(name);
}

int analysis_walk(struct analysis *a, const struct report_config *config, struct input *in,
		  struct table_out *out, struct err *err)
{
	cleanup(walk_fini) struct walk w = {0};
	struct report_config raw = *config;
	struct report_window window;
	int r;

	/* Entries and returns of the graph come one by one then. */
	raw.style.raw = true;
	raw.sink = &analysis_sink;
	report_window_find(config, in, &window);
	a->config = config;
	a->in = in;
	a->gaps = xcalloc(in->nr_sources + 1, sizeof(*a->gaps));
	walk_init(&w, &raw, in, (struct sink_shared *)a);
	w.until = window.end;
	r = a->ops->open ? a->ops->open(a, in, err) : 0;
	if (r < 0)
		return r;
	report_window_enter(&w, window.since);
	while (walk_some(&w, SIZE_MAX, UINT64_MAX))
		;
	walk_tail(&w);
	for (size_t i = 0; i < a->nr_sources; i++) {
		gaps_finish(&a->gaps[i]);
		out->ticks |= a->source[i].raw_clock;
	}
	r = a->ops->end(a, out, err);
	walk_tell_unknown(&w);
	input_tell_text(in, config, "which has no events to count");
	return r == 0 && report_window_is_beside(config, in, &window) ? 1 : r;
}

int analysis_run(struct analysis *a, const struct report_config *config, enum table_format format,
		 int out_fd, struct err *err)
{
	cleanup(input_close) struct input in = {0};
	/* It reads from the files while it lives. */
	cleanup(analysis_freep) struct analysis *owned = a;
	struct table_out out = {.format = format};
	cleanup(strbuf_fini) struct strbuf text = {0};
	int status = input_open(&in, config, err);
	int r;

	if (status == 0 && config->prepare)
		status = config->prepare(config->prepare_ctx, &in, err);
	if (status >= 0)
		status = analysis_walk(owned, config, &in, &out, err);
	table_end(&out);
	text = out.text;
	if (status < 0)
		return status;
	r = io_write_all(out_fd, text.text, text.len);
	if (r < 0 && r != -EPIPE)
		return err_sys(err, -r, "cannot write the report");
	return input_tell(&in, config) ? 1 : status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink that puts nothing out. */
#include "report/counting.h"

#include <stdlib.h>

#include "report/slice.h"
#include "util/mem.h"

static struct sink *count_make(const struct sink_source *source, size_t nr_sources,
			       const struct sink_style *style, struct sink_shared *shared)
{
	struct sink *sink = xzalloc(sizeof(*sink));

	(void)source;
	(void)nr_sources;
	(void)style;
	(void)shared;
	sink->ops = &counting_sink;
	return sink;
}

static void count_free(struct sink *sink)
{
	free(sink);
}

static void count_event(struct sink *sink, const struct sink_event *event, struct outbuf *out)
{
	(void)sink;
	(void)event;
	(void)out;
}

const struct sink_ops counting_sink = {
	.name = "count",
	.make = count_make,
	.free = count_free,
	.event = count_event,
};

void counting_walk(struct walk *w, const struct report_config *config, struct input *in)
{
	struct report_window window;

	report_window_find(config, in, &window);
	walk_init(w, config, in, NULL);
	w->until = window.end;
	report_window_enter(w, window.since);
	while (walk_some(w, SIZE_MAX, UINT64_MAX))
		;
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		input_take_notes(w->merge.lane[i].file, &w->merge.lane[i].stream);
}

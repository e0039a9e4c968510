/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --profile: the sums of kernel functions, system calls and events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/graph.h"
#include "report/analysis.h"
#include "util/keymap.h"
#include "util/mem.h"

enum event_kind { EVENT_OTHER, EVENT_CALL, EVENT_FUNCTION, EVENT_ENTRY, EVENT_EXIT };

/* An event type, and how often it came. */
struct event_type {
	enum event_kind kind;
	struct graph_fields graph;
	const struct decode_field *ip; /* of a function */
	const char *system;
	const char *name;
	uint64_t count;
};

struct function {
	char *name; /* found at the end */
	unsigned int source;
	uint64_t addr;
	struct pairs pairs; /* extra: the time that no function inside of it took */
	uint64_t nr_hits;   /* of the function tracer, which knows no times */
	uint64_t nr_cut;    /* begun before, or not ended */
	struct stats stats;
	uint64_t self;
	uint64_t nr_uncertain;
};

struct frame {
	struct function *function;
	uint64_t start;
	uint64_t children;
};

/* What a thread is in; of the idle tasks, what a CPU is in. */
struct frames {
	struct frame *frame;
	size_t nr;
	size_t room;
};

struct profile {
	struct analysis a;
	struct analysis *calls; /* the one of --syscalls */
	uint64_t nr_calls;
	struct keymap types;
	struct keymap functions;
	struct keymap threads;
};

static int profile_open(struct analysis *a, const struct input *in, struct err *err)
{
	struct profile *p = (struct profile *)a;

	p->calls->config = a->config;
	p->calls->in = in;
	p->calls->source = a->source;
	p->calls->nr_sources = a->nr_sources;
	p->calls->gaps = a->gaps;
	return p->calls->ops->open(p->calls, in, err);
}

static struct event_type *get_type(struct profile *p, const struct sink_event *event)
{
	void **slot = keymap_at(&p->types, &event->event, sizeof(struct event *));
	const struct event *e = event->event;
	struct event_type *type;

	if (*slot)
		return *slot;
	type = *slot = xzalloc(sizeof(*type));
	type->system = e->system;
	type->name = e->name;
	graph_fields_init(&type->graph, e, p->a.source[event->source].big_endian);
	if (type->graph.kind != GRAPH_NONE)
		type->kind = type->graph.kind == GRAPH_ENTRY ? EVENT_ENTRY : EVENT_EXIT;
	else if (!strcmp(e->system, "syscalls") || !strcmp(e->system, "raw_syscalls"))
		type->kind = EVENT_CALL;
	else if (!strcmp(e->system, "ftrace") && !strcmp(e->name, "function"))
		type->ip = event_field(e, "ip");
	if (type->ip)
		type->kind = EVENT_FUNCTION;
	return type;
}

static struct function *get_function(struct profile *p, const struct sink_event *event,
				     uint64_t addr)
{
	const uint64_t key[] = {event->source, addr};
	void **slot = keymap_at(&p->functions, key, sizeof(key));
	struct function *function;

	if (*slot)
		return *slot;
	function = *slot = xzalloc(sizeof(*function));
	function->source = event->source;
	function->addr = addr;
	return function;
}

static struct frames *get_frames(struct profile *p, const struct sink_event *event)
{
	const int64_t key[] = {event->source, event->common.pid,
			       event->common.pid ? 0 : event->raw->cpu};
	void **slot = keymap_at(&p->threads, key, sizeof(key));

	if (!*slot)
		*slot = xzalloc(sizeof(struct frames));
	return *slot;
}

static void enter(struct frames *frames, struct function *function, uint64_t ts)
{
	if (frames->nr == frames->room) {
		frames->room = frames->room ? frames->room * 2 : 32;
		frames->frame = xrealloc(frames->frame, frames->room * sizeof(*frames->frame));
	}
	frames->frame[frames->nr++] = (struct frame){function, ts, 0};
}

/* The tracer measured the time itself; the events around it only say when that was. */
static void leave(struct frames *frames, struct function *function, uint64_t time)
{
	size_t at = frames->nr;
	struct frame *frame;

	while (at && frames->frame[at - 1].function != function)
		at--;
	if (!at) {
		function->nr_cut++;
		return;
	}
	/* Their returns are lost. */
	while (frames->nr > at)
		frames->frame[--frames->nr].function->nr_cut++;
	frame = &frames->frame[--frames->nr];
	pairs_add(&function->pairs, frame->start, frame->start + time,
		  (int64_t)(time - frame->children));
	if (frames->nr)
		frame[-1].children += time;
}

static void profile_event(struct analysis *a, const struct sink_event *event)
{
	struct profile *p = (struct profile *)a;
	const struct raw_event *raw = event->raw;
	const struct graph_fields *graph;
	struct event_type *type;

	if (!event->event)
		return;
	type = get_type(p, event);
	type->count++;
	graph = &type->graph;
	switch (type->kind) {
	case EVENT_CALL:
		p->nr_calls++;
		p->calls->ops->event(p->calls, event);
		break;
	case EVENT_FUNCTION:
		get_function(p, event,
			     (uint64_t)field_number(a->source[event->source].dec, type->ip, raw))
			->nr_hits++;
		break;
	case EVENT_ENTRY:
		enter(get_frames(p, event), get_function(p, event, graph_func(graph, raw)),
		      raw->ts);
		break;
	case EVENT_EXIT:
		leave(get_frames(p, event), get_function(p, event, graph_func(graph, raw)),
		      graph_duration(graph, raw));
		break;
	case EVENT_OTHER:
		break;
	}
}

static int longest_first(const void *ap, const void *bp)
{
	const struct function *a = *(struct function *const *)ap;
	const struct function *b = *(struct function *const *)bp;

	if (a->stats.total != b->stats.total)
		return a->stats.total < b->stats.total ? 1 : -1;
	if (a->nr_hits != b->nr_hits)
		return a->nr_hits < b->nr_hits ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void finish_function(const struct analysis *a, struct decode_thread **thread,
			    struct function *function)
{
	size_t certain = pairs_split(&function->pairs, &a->gaps[function->source]);
	const char *name;
	uint64_t offset;

	if (!thread[function->source])
		thread[function->source] = decode_thread_new(a->source[function->source].dec);
	name = decode_symbol(thread[function->source], function->addr, &offset);
	function->name = name ? xstrdup(name) : xasprintf("0x%" PRIx64, function->addr);
	stats_of_pairs(&function->pairs, certain, &function->stats);
	function->nr_uncertain = function->pairs.nr - certain;
	for (size_t i = 0; i < certain; i++)
		function->self += (uint64_t)function->pairs.pair[i].extra;
}

static void put_functions(const struct profile *p, struct table_out *out)
{
	static const struct table_column columns[] = {
		{"function", "FUNCTION", CELL_TEXT, false},
		{"count", "COUNT", CELL_COUNT, false},
		{"total", "TOTAL(us)", CELL_TIME, false},
		{"self", "SELF", CELL_TIME, false},
		{"mean", "MEAN", CELL_MEAN, false},
		{"p99", "P99", CELL_TIME, false},
		{"max", "MAX", CELL_TIME, false},
		{"cut", "CUT", CELL_COUNT, true},
		{"uncertain", "UNCERTAIN", CELL_COUNT, true},
		ANALYSIS_BUFFER,
	};
	cleanup(table_fini) struct table table = {
		.name = "functions", .column = columns, .nr_columns = array_size(columns)};
	const struct keymap *map = &p->functions;
	cleanup_free struct function **sorted = xcalloc(map->nr + 1, sizeof(*sorted));
	cleanup_free struct decode_thread **thread = xcalloc(p->a.nr_sources + 1, sizeof(*thread));

	for (size_t i = 0; i < map->nr; i++) {
		sorted[i] = map->entry[i]->value;
		finish_function(&p->a, thread, sorted[i]);
	}
	qsort(sorted, map->nr, sizeof(*sorted), longest_first);
	for (size_t i = 0; i < map->nr; i++) {
		const struct stats *stats = &sorted[i]->stats;
		struct table_cell *cell = table_add_row(&table);

		cell[0].text = xstrdup(sorted[i]->name);
		cell[1].number = stats->count + sorted[i]->nr_hits;
		cell[2].number = stats->total;
		cell[3].number = sorted[i]->self;
		cell[4].real = stats->mean;
		cell[5].number = stats->p99;
		cell[6].number = stats->max;
		for (size_t c = 2; c <= 6; c++)
			cell[c].is_none = !stats->count;
		cell[7].number = sorted[i]->nr_cut;
		cell[8].number = sorted[i]->nr_uncertain;
		analysis_put_buffer(&p->a, sorted[i]->source, &cell[9]);
	}
	for (size_t i = 0; i < p->a.nr_sources; i++)
		decode_thread_free(thread[i]);
	table_put(out, &table);
}

static int most_first(const void *ap, const void *bp)
{
	const struct event_type *a = *(struct event_type *const *)ap;
	const struct event_type *b = *(struct event_type *const *)bp;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_events(const struct profile *p, struct table_out *out)
{
	static const struct table_column columns[] = {
		{"event", "EVENT", CELL_TEXT, false},
		{"count", "COUNT", CELL_COUNT, false},
	};
	cleanup(table_fini) struct table table = {
		.name = "events", .column = columns, .nr_columns = array_size(columns)};
	cleanup_free struct event_type **sorted = xcalloc(p->types.nr + 1, sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; i < p->types.nr; i++) {
		struct event_type *type = p->types.entry[i]->value;

		if (type->kind == EVENT_OTHER)
			sorted[nr++] = type;
	}
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), most_first);
	for (size_t i = 0; i < nr; i++) {
		struct table_cell *cell = table_add_row(&table);

		cell[0].text = xasprintf("%s:%s", sorted[i]->system, sorted[i]->name);
		cell[1].number = sorted[i]->count;
	}
	if (nr)
		table_put(out, &table);
}

static int profile_end(struct analysis *a, struct table_out *out, struct err *err)
{
	struct profile *p = (struct profile *)a;
	int r = 0;

	for (size_t i = 0; i < p->threads.nr; i++) {
		struct frames *frames = p->threads.entry[i]->value;

		while (frames->nr)
			frames->frame[--frames->nr].function->nr_cut++;
	}
	if (p->functions.nr)
		put_functions(p, out);
	if (p->nr_calls)
		r = p->calls->ops->end(p->calls, out, err);
	put_events(p, out);
	if (p->types.nr)
		return r;
	analysis_tell(a, "--profile: no event is left");
	return 1;
}

static void free_values(struct keymap *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->entry[i]->value);
	keymap_fini(map);
}

static void profile_free(struct analysis *a)
{
	struct profile *p = (struct profile *)a;

	for (size_t i = 0; i < p->functions.nr; i++) {
		struct function *function = p->functions.entry[i]->value;

		pairs_fini(&function->pairs);
		free(function->name);
	}
	for (size_t i = 0; i < p->threads.nr; i++)
		free(((struct frames *)p->threads.entry[i]->value)->frame);
	free_values(&p->functions);
	free_values(&p->threads);
	free_values(&p->types);
	p->calls->ops->free(p->calls);
	free(p);
}

struct analysis *profile_new(void)
{
	static const struct analysis_ops ops = {
		.open = profile_open,
		.event = profile_event,
		.end = profile_end,
		.free = profile_free,
	};
	struct profile *p = xzalloc(sizeof(*p));

	p->a.ops = &ops;
	p->calls = syscalls_new();
	return &p->a;
}

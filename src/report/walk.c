/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From merged raw events to the sink. */
#include "report/walk.h"

#include <stdlib.h>
#include <string.h>

#include "report/comms.h"
#include "util/mem.h"

#define COMM_SLOTS 1024

void walk_init(struct walk *w, const struct report_config *config, struct input *in,
	       struct sink_shared *shared)
{
	const struct sink_ops *ops = config->sink ? config->sink : &text_sink;

	*w = (struct walk){.config = config, .in = in, .until = UINT64_MAX};
	merge_init(&w->merge, in);
	w->types = xcalloc(in->nr_files, sizeof(*w->types));
	w->comm = xcalloc(COMM_SLOTS, sizeof(*w->comm));
	w->sink = ops->make(in->about, in->nr_sources, &config->style, shared);
}

void walk_fini(struct walk *w)
{
	if (!w->in)
		return;
	for (size_t i = 0; i < w->in->nr_files; i++) {
		for (size_t id = 0; id < w->types[i].nr; id++)
			free(w->types[i].event[id]);
		free(w->types[i].event);
	}
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		input_take_notes(w->merge.lane[i].file, &w->merge.lane[i].stream);
	free(w->types);
	free(w->comm);
	merge_fini(&w->merge);
	w->sink->ops->free(w->sink);
	outbuf_fini(&w->out);
	*w = (struct walk){0};
}

/* One of --event: NAME, SYSTEM or SYSTEM:NAME. */
static bool pattern_matches(const char *pattern, const struct event *event)
{
	const char *colon = strpbrk(pattern, ":/");
	cleanup_free char *system = NULL;

	if (!colon)
		return glob_matches(pattern, event->name) || glob_matches(pattern, event->system);
	system = xstrndup(pattern, (size_t)(colon - pattern));
	return (!*system || glob_matches(system, event->system)) &&
	       (!colon[1] || glob_matches(colon + 1, event->name));
}

static bool is_wanted_type(const struct walk *w, const struct event *event)
{
	const struct strv *events = &w->config->events;

	for (size_t i = 0; event && i < events->nr; i++)
		if (pattern_matches(events->item[i], event))
			return true;
	return !events->nr;
}

static struct walk_event *make_type(const struct walk *w, const struct input_file *file, int id)
{
	struct walk_event *type = xzalloc(sizeof(*type));

	type->event = decode_event(file->dec, id);
	type->wanted = is_wanted_type(w, type->event);
	if (!type->event)
		return type;
	if (!w->config->style.raw)
		graph_fields_init(&type->graph, type->event, file->r->big_endian);
	type->needs_scan = w->sink->ops->needs_scan &&
			   w->sink->ops->needs_scan(w->sink, type->event);
	return type;
}

static struct walk_event *get_type(struct walk *w, struct input_file *file, int common_id)
{
	struct walk_types *types = &w->types[file - w->in->file];
	size_t id = (uint16_t)common_id;

	if (__builtin_expect(id < types->nr && types->event[id] != NULL, 1))
		return types->event[id];
	if (id >= types->nr) {
		size_t nr = id + 64;

		types->event = xrealloc(types->event, nr * sizeof(*types->event));
		memset(types->event + types->nr, 0, (nr - types->nr) * sizeof(*types->event));
		types->nr = nr;
	}
	types->event[id] = make_type(w, file, common_id);
	return types->event[id];
}

static const char *get_comm(struct walk *w, struct input_file *file, int pid)
{
	struct walk_comm *slot = &w->comm[(unsigned int)pid % COMM_SLOTS];

	if (__builtin_expect(slot->pid == pid && slot->file == file, 1))
		return slot->comm;
	slot->pid = pid;
	slot->file = file;
	if (w->config->file_names)
		slot->comm = decode_comm(file->dec, pid);
	else
		slot->comm = report_comm(w->in, file, pid);
	if (!slot->comm)
		slot->comm = "<...>";
	return slot->comm;
}

/* The return of a graph entry when it is the very next thing its task did: on the same CPU, whatever other CPUs logged in
 * between; or, for a task that moved, the next event of its buffer. Idle tasks share pid 0 and never move. */
static struct lane *find_leaf(struct walk *w, struct lane *lane, const struct walk_event *type,
			      const struct sink_event *entry, const struct raw_event **leaf,
			      const struct event **leaf_event)
{
	const struct stream_slot *next = stream_ahead(&lane->stream);
	struct lane *from = lane;
	struct decode_common common;
	struct walk_event *other;

	for (int round = 0; round < 2; round++) {
		if (next && !next->raw.missed &&
		    decode_common(lane->file->dec, &next->raw, &common) &&
		    common.pid == entry->common.pid) {
			other = get_type(w, lane->file, common.id);
			if (other->graph.kind == GRAPH_EXIT &&
			    graph_number(&other->graph, other->graph.func, &next->raw) ==
				    graph_number(&type->graph, type->graph.func, entry->raw)) {
				*leaf = &next->raw;
				*leaf_event = other->event;
				return from;
			}
		}
		if (round || !entry->common.pid)
			return NULL;
		from = merge_next_of(&w->merge, lane->source, lane);
		if (!from ||
		    (next && !comes_before(from->ts, from->order, next->raw.ts, lane->order)))
			return NULL;
		next = from->head;
	}
	return NULL;
}

static bool in_list(const int *list, size_t nr, int value)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool comm_matches(const struct strv *comms, const char *comm)
{
	for (size_t i = 0; i < comms->nr; i++)
		if (glob_matches(comms->item[i], comm))
			return true;
	return false;
}

static bool is_wanted(const struct walk *w, const struct lane *lane, const struct walk_event *type,
		      const struct sink_event *event)
{
	const struct report_config *config = w->config;

	if (!type->wanted)
		return false;
	if (config->pids && !in_list(config->pids, config->nr_pids, event->common.pid))
		return false;
	if (config->comms.nr && !comm_matches(&config->comms, event->comm))
		return false;
	if (config->match) {
		struct report_view view = {
			.dec = lane->file->dec,
			.event = event->event,
			.raw = event->raw,
			.common = &event->common,
			.comm = event->comm,
			.instance = w->in->about[lane->source].name,
			.file = lane->file->name,
		};

		return config->match(config->match_ctx, &view);
	}
	return true;
}

static void hand_out(struct walk *w, struct walk_event *type, const struct sink_event *event)
{
	w->met_scan |= type->needs_scan;
	if (w->scanning) {
		if (type->needs_scan)
			w->sink->ops->scan(w->sink, event);
		return;
	}
	type->count++;
	w->nr_events++;
	w->sink->ops->event(w->sink, event, &w->out);
}

/* The event on top of the merge, and the one that it swallows. */
static void walk_one(struct walk *w, struct lane *lane)
{
	struct sink_event event = {.raw = &lane->head->raw, .source = lane->source};
	struct lane *leaf_lane = NULL;
	struct walk_event *type;

	if (!decode_common(lane->file->dec, event.raw, &event.common)) {
		event.common = (struct decode_common){.id = -1};
	}
	type = get_type(w, lane->file, event.common.id);
	event.event = type->event;
	event.comm = get_comm(w, lane->file, event.common.pid);
	if (type->graph.kind == GRAPH_ENTRY)
		leaf_lane = find_leaf(w, lane, type, &event, &event.leaf, &event.leaf_event);
	if (is_wanted(w, lane, type, &event))
		hand_out(w, type, &event);
	if (leaf_lane && leaf_lane != lane)
		merge_pop(&w->merge, leaf_lane);
	else if (leaf_lane)
		stream_pop(&lane->stream);
	merge_pop(&w->merge, lane);
}

bool walk_some(struct walk *w, size_t room, uint64_t end)
{
	struct lane *lane;

	if (end > w->until)
		end = w->until;
	while ((lane = merge_top(&w->merge)) && lane->ts < end) {
		walk_one(w, lane);
		if (w->out.len >= room)
			return true;
	}
	return false;
}

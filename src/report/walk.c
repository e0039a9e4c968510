/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From merged raw events to the sink. */
#include "report/walk.h"

#include <stdlib.h>
#include <string.h>

#include "report/choice.h"
#include "report/comms.h"
#include "util/mem.h"

#define COMM_SLOTS 1024

void walk_init(struct walk *w, const struct report_config *config, struct input *in,
	       struct sink_shared *shared)
{
	const struct sink_ops *ops = config->sink ? config->sink : &text_sink;

	*w = (struct walk){.config = config, .in = in, .until = UINT64_MAX};
	w->all_wanted = !config->pids && !config->comms.nr && !config->match;
	merge_init(&w->merge, in);
	w->types = xcalloc(in->nr_files, sizeof(*w->types));
	for (size_t i = 0; i < in->nr_files; i++)
		w->types[i] = (struct walk_types){
			.plain_common = !config->style.latency && !in->file[i].r->big_endian &&
					decode_has_plain_common(in->file[i].dec)};
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		w->merge.lane[i].types = &w->types[w->merge.lane[i].file - in->file];
	w->lane_per_cpu = in->nr_sources == 1;
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

static bool is_wanted_type(const struct walk *w, const struct event *event)
{
	const struct strv *events = &w->config->events;

	for (size_t i = 0; event && i < events->nr; i++)
		if (choice_event_matches(events->item[i], event->system, event->name))
			return true;
	return !events->nr;
}

static struct walk_event *make_type(const struct walk *w, const struct input_file *file, int id)
{
	struct walk_event *type = xzalloc_apart(sizeof(*type));

	type->event = decode_event(file->dec, id);
	type->wanted = is_wanted_type(w, type->event);
	if (!type->event)
		return type;
	if (!w->config->style.raw)
		graph_fields_init(&type->graph, type->event, file->r->big_endian);
	type->needs_scan = type->wanted && w->sink->ops->needs_scan &&
			   w->sink->ops->needs_scan(w->sink, type->event);
	return type;
}

static struct walk_event *add_type(struct walk *w, const struct lane *lane, int common_id)
{
	struct walk_types *types = lane->types;
	size_t id = (uint16_t)common_id;

	if (id >= types->nr) {
		size_t nr = id + 64;

		types->event = xrealloc(types->event, nr * sizeof(*types->event));
		memset(types->event + types->nr, 0, (nr - types->nr) * sizeof(*types->event));
		types->nr = nr;
	}
	types->event[id] = make_type(w, lane->file, common_id);
	return types->event[id];
}

static inline struct walk_event *get_type(struct walk *w, const struct lane *lane, int common_id)
{
	struct walk_types *types = lane->types;
	size_t id = (uint16_t)common_id;

	if (__builtin_expect(id < types->nr && types->event[id] != NULL, 1))
		return types->event[id];
	return add_type(w, lane, common_id);
}

/* The fields that every event begins with. */
static inline void get_common(const struct lane *lane, const struct raw_event *raw,
			      struct decode_common *common)
{
	const struct walk_types *types = lane->types;

	if (__builtin_expect(types->plain_common && raw->size >= 8, 1)) {
		uint64_t first = get_u64(raw->data, false);

		common->id = (uint16_t)first;
		common->flags = (uint8_t)(first >> 16);
		common->preempt = (uint8_t)(first >> 24);
		common->pid = (int)(first >> 32);
		return;
	}
	if (!decode_common(lane->file->dec, raw, common))
		*common = (struct decode_common){.id = -1};
}

static const char *get_comm(struct walk *w, struct input_file *file, int pid)
{
	struct walk_comm *slot = &w->comm[(unsigned int)pid % COMM_SLOTS];

	if (__builtin_expect(slot->pid == pid && slot->file == file, 1))
		return slot->comm;
	slot->pid = pid;
	slot->file = file;
	if (w->find_comm) {
		slot->comm = w->find_comm(w->find_comm_ctx, pid);
		/* It may be known the next time. */
		if (!slot->comm)
			slot->file = NULL;
	} else if (w->config->file_names) {
		slot->comm = decode_comm(file->dec, pid);
	} else {
		slot->comm = report_comm(w->in, file, pid);
	}
	if (!slot->comm)
		slot->comm = "<...>";
	return slot->comm;
}

void walk_forget_comms(struct walk *w)
{
	memset(w->comm, 0, COMM_SLOTS * sizeof(*w->comm));
}

/* True when @next returns from the call that @entry began. Sets *type to that of @next. */
static inline bool is_return_of(struct walk *w, const struct lane *lane,
				const struct walk_event *type, const struct raw_event *entry,
				int pid, const struct stream_slot *next,
				const struct walk_event **next_type)
{
	struct decode_common common;
	const struct walk_event *other;

	if (!next || next->raw.missed)
		return false;
	get_common(lane, &next->raw, &common);
	if (common.pid != pid)
		return false;
	other = get_type(w, lane, common.id);
	*next_type = other;
	return other->graph.kind == GRAPH_EXIT &&
	       graph_func(&other->graph, &next->raw) == graph_func(&type->graph, entry);
}

/* The return of a graph entry when it is the very next thing its task did: on the same CPU, whatever other CPUs logged in
 * between; or, for a task that moved, the next event of its buffer. Idle tasks share pid 0 and never move. */
static struct lane *find_leaf(struct walk *w, struct lane *lane, const struct walk_event *type,
			      struct sink_event *entry)
{
	const struct stream_slot *next = stream_ahead(&lane->stream);
	const struct walk_event *leaf_type;
	struct lane *other;

	if (is_return_of(w, lane, type, entry->raw, entry->common.pid, next, &leaf_type)) {
		entry->leaf = &next->raw;
		entry->leaf_graph = &leaf_type->graph;
		return lane;
	}
	if (!entry->common.pid)
		return NULL;
	other = merge_next_of(&w->merge, lane->source, lane);
	if (!other || (next && !comes_before(other->ts, other->order, next->raw.ts, lane->order)) ||
	    !is_return_of(w, lane, type, entry->raw, entry->common.pid, other->head, &leaf_type))
		return NULL;
	entry->leaf = &other->head->raw;
	entry->leaf_graph = &leaf_type->graph;
	return other;
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

static bool is_wanted(const struct walk *w, const struct lane *lane, const struct sink_event *event)
{
	const struct report_config *config = w->config;

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
			.raw_clock = w->in->about[lane->source].raw_clock,
		};

		return config->match(config->match_ctx, &view);
	}
	return true;
}

static void hand_out(struct walk *w, struct walk_event *type, const struct sink_event *event)
{
	type->count++;
	w->nr_events++;
	w->sink->ops->event(w->sink, event, &w->out);
}

/* Nobody wants this event, but those that were lost in front of it may have been wanted. */
static void tell_lost(struct walk *w, const struct sink_event *event)
{
	if (w->sink->ops->lost)
		w->sink->ops->lost(w->sink, event->raw, event->source, &w->out);
}

/* The event on top of the merge, and the one that it swallows. */
static void walk_one(struct walk *w, struct lane *lane)
{
	struct sink_event event = {.raw = &lane->head->raw, .source = lane->source};
	struct lane *leaf_lane = NULL;
	struct walk_event *type;

	get_common(lane, event.raw, &event.common);
	if (__builtin_expect(w->sink->ops->see != NULL, 0))
		w->sink->ops->see(w->sink, event.raw, event.source);
	type = get_type(w, lane, event.common.id);
	if (__builtin_expect(type->needs_scan && w->stop_scan, 0)) {
		w->met_scan = true;
		return;
	}
	event.event = type->event;
	event.graph = &type->graph;
	event.notes = &type->notes;
	event.comm = get_comm(w, lane->file, event.common.pid);
	if (type->graph.kind == GRAPH_ENTRY)
		leaf_lane = find_leaf(w, lane, type, &event);
	if (type->wanted && (w->all_wanted || is_wanted(w, lane, &event)))
		hand_out(w, type, &event);
	else if (__builtin_expect(event.raw->missed != 0, 0))
		tell_lost(w, &event);
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
		if (__builtin_expect(w->out.len >= room, 0))
			return true;
		if (__builtin_expect(w->met_scan, 0))
			return false;
	}
	return false;
}

/* @event goes from one call to the next: most events are of the type of the one before. */
static inline void scan_one(struct walk *w, struct lane *lane, const struct raw_event *raw,
			    struct sink_event *event)
{
	struct walk_event *type;

	get_common(lane, raw, &event->common);
	type = get_type(w, lane, event->common.id);
	if (!type->needs_scan)
		return;
	event->event = type->event;
	event->graph = &type->graph;
	event->notes = &type->notes;
	event->source = lane->source;
	event->raw = raw;
	if (__builtin_expect(!w->all_wanted, 0)) {
		event->comm = get_comm(w, lane->file, event->common.pid);
		if (!is_wanted(w, lane, event))
			return;
	}
	w->sink->ops->scan(w->sink, event);
}

/* What scan() is for is the order of the events of a CPU: where each has a lane of its own, nothing is merged. */
void walk_scan(struct walk *w, uint64_t end)
{
	struct sink_event event = {0};
	const struct stream_slot *slot;
	struct lane *lane;

	if (end > w->until)
		end = w->until;
	while (!w->lane_per_cpu && (lane = merge_top(&w->merge)) && lane->ts < end) {
		scan_one(w, lane, &lane->head->raw, &event);
		merge_pop(&w->merge, lane);
	}
	for (uint32_t i = 0; w->lane_per_cpu && i < w->merge.nr_lanes; i++) {
		lane = &w->merge.lane[i];
		slot = stream_head(&lane->stream);
		while (slot && slot->raw.ts < end) {
			scan_one(w, lane, &slot->raw, &event);
			slot = stream_pass(&lane->stream);
		}
		lane->head = slot;
	}
}

void walk_tail(struct walk *w)
{
	for (uint32_t i = 0; w->sink->ops->lost && i < w->merge.nr_lanes; i++) {
		const struct lane *lane = &w->merge.lane[i];
		struct raw_event where = {
			.ts = lane->ts, .cpu = lane->stream.cpu, .missed = lane->stream.missed};

		if (!lane->head && where.missed)
			w->sink->ops->lost(w->sink, &where, lane->source, &w->out);
	}
}

void walk_seek(struct walk *w, struct lane *lane, uint64_t ts)
{
	struct stream *s = &lane->stream;
	const struct stream_slot *slot;
	const struct walk_event *type;
	struct decode_common common;
	struct raw_event before = {0};

	stream_seek(s, ts);
	while ((slot = stream_head(s)) && slot->raw.ts < ts) {
		before = slot->raw;
		stream_skip(s);
	}
	if (!slot || !before.data)
		return;
	get_common(lane, &before, &common);
	type = get_type(w, lane, common.id);
	if (type->graph.kind == GRAPH_ENTRY &&
	    is_return_of(w, lane, type, &before, common.pid, slot, &type))
		stream_skip(s);
}

bool walk_page_needs_scan(struct walk *w, struct lane *lane, uint64_t page)
{
	uint64_t page_size = lane->stream.src->page_size;
	struct decode_common common;
	const struct stream_slot *slot;

	stream_seek_pos(&lane->stream, page * page_size);
	while ((slot = stream_head(&lane->stream)) && slot->pos / page_size == page) {
		get_common(lane, &slot->raw, &common);
		if (get_type(w, lane, common.id)->needs_scan)
			return true;
		stream_skip(&lane->stream);
	}
	return false;
}

void walk_tell_unknown(struct walk *w)
{
	for (size_t i = 0; i < w->in->nr_files; i++) {
		struct dat_reader *r = w->in->file[i].r;

		for (size_t id = 0; id < w->types[i].nr; id++) {
			const struct walk_event *type = w->types[i].event[id];
			cleanup_free char *text = NULL;

			if (!type || !type->count || type->event)
				continue;
			text = xasprintf("events of id %zu have no format", id);
			if (!strv_has(&r->findings, text))
				dat_finding(r, "%s", text);
		}
	}
}

void walk_list_fields(const struct walk *w, struct strv *names)
{
	for (size_t i = 0; i < w->in->nr_files; i++)
		for (size_t id = 0; id < w->types[i].nr; id++) {
			const struct walk_event *type = w->types[i].event[id];

			if (type && type->count && type->wanted && type->event &&
			    event_lacks_values(type->event))
				strv_add_take(names, xasprintf("%s:%s", type->event->system,
							       type->event->name));
		}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as trace-cmd report lays them out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/graph_text.h"
#include "out/indent.h"
#include "out/levels.h"
#include "out/sink.h"
#include "out/symbol_cache.h"
#include "util/mem.h"

#define PID_SLOTS 4096
#define PID_TEXT 64
#define NAME_WIDTH 20

/* Fits any line but for names of functions and what event_print() makes. */
#define LINE_MOST 1024

/* Bytes of an event without format. */
#define UNKNOWN_SHOWN 64

/* Of an address that no symbol holds; as long as any copy. */
static const char no_name[PUT_PADDING];

enum line_kind { LINE_PLAIN, LINE_FUNCTION, LINE_GRAPH_ENTRY, LINE_GRAPH_EXIT };

/* What is the same in all lines of an event type. */
struct line_event {
	struct line_event *next; /* of all */
	const struct event *event;
	enum line_kind kind;
	struct graph_fields function; /* of ftrace:function only the byte order */
	struct graph_place ip;
	struct graph_place parent_ip;
	uint32_t head_len;
	char head[]; /* " name: " and blanks; PUT_PADDING bytes may be read behind it */
};

/* "comm-pid [cpu]", or "comm-pid" with -l. */
struct pid_slot {
	const char *comm; /* as given; NULL when the slot is empty */
	int pid;
	uint32_t cpu;
	uint32_t len;
	char text[PID_TEXT];
};

struct text_source {
	const struct sink_source *about;
	struct decode_thread *thread;
	struct symbol_cache symbols;
	size_t prefix_len;
};

struct sink_shared {
	struct indent *indent;
};

struct text {
	struct sink sink;
	struct sink_style style;
	struct sink_shared *shared;
	struct text_source *source;
	size_t nr_sources;
	struct line_event *lines;
	struct pid_slot *pid;
	bool plain;	    /* no option changes the head of a line */
	uint64_t second;    /* of the text below */
	uint64_t second_ns; /* where it begins once times are rounded */
	uint32_t second_len;
	char second_text[32];
	char three_digits[1000][4]; /* "000" to "999" */
	uint64_t last_ts;	    /* for ts_diff; 0 before the first */
	struct level_lists *levels;
	struct seen_symbol *named; /* by number, for the levels */
	uint32_t nr_named;
};

static struct text *to_text(const struct sink *sink)
{
	return (struct text *)sink;
}

static bool text_is_serial(const struct sink_style *style)
{
	return style->ts_diff;
}

static struct sink_shared *text_share(void)
{
	struct sink_shared *shared = xzalloc(sizeof(*shared));

	shared->indent = indent_new();
	return shared;
}

static void text_unshare(struct sink_shared *shared)
{
	if (shared)
		indent_free(shared->indent);
	free(shared);
}

static void set_second(struct text *t, uint64_t second)
{
	t->second = second;
	t->second_ns = second * 1000000000 - 500;
	t->second_len = (uint32_t)snprintf(t->second_text, sizeof(t->second_text), " %5" PRIu64 ".",
					   second);
}

static struct sink *text_make(const struct sink_source *source, size_t nr_sources,
			      const struct sink_style *style, struct sink_shared *shared)
{
	struct text *t = xzalloc_apart(sizeof(*t));

	t->sink.ops = &text_sink;
	t->style = *style;
	t->shared = shared;
	t->nr_sources = nr_sources;
	t->source = xcalloc(nr_sources, sizeof(*t->source));
	t->pid = xcalloc(PID_SLOTS, sizeof(*t->pid));
	t->levels = level_lists_new();
	set_second(t, 0);
	t->plain = !style->latency && !style->ts_diff && !style->nanoseconds;
	for (uint32_t i = 0; i < 1000; i++)
		put_3_digits(t->three_digits[i], i);
	for (size_t i = 0; i < nr_sources; i++) {
		t->source[i].about = &source[i];
		t->source[i].thread = decode_thread_new(source[i].dec);
		symbol_cache_init(&t->source[i].symbols);
		t->source[i].prefix_len = strlen(source[i].prefix);
	}
	return &t->sink;
}

static void text_free(struct sink *sink)
{
	struct text *t = to_text(sink);

	if (!t)
		return;
	for (size_t i = 0; i < t->nr_sources; i++) {
		symbol_cache_fini(&t->source[i].symbols);
		decode_thread_free(t->source[i].thread);
	}
	while (t->lines) {
		struct line_event *next = t->lines->next;

		free(t->lines);
		t->lines = next;
	}
	free(t->source);
	free(t->pid);
	level_lists_free(t->levels);
	free(t->named);
	free(t);
}

static struct graph_place address_place(const struct event *event, const char *name)
{
	const struct decode_field *field = event_field(event, name);

	if (!field || (field->size != 4 && field->size != 8))
		return (struct graph_place){0};
	return (struct graph_place){field->offset, field->size, field->offset + field->size};
}

static enum line_kind find_kind(struct line_event *line, const struct sink_style *style,
				const struct sink_event *first)
{
	const struct event *event = line->event;

	if (style->raw)
		return LINE_PLAIN;
	if (first->graph->kind != GRAPH_NONE)
		return first->graph->kind == GRAPH_ENTRY ? LINE_GRAPH_ENTRY : LINE_GRAPH_EXIT;
	if (strcmp(event->system, "ftrace") != 0 || strcmp(event->name, "function") != 0)
		return LINE_PLAIN;
	line->ip = address_place(event, "ip");
	line->parent_ip = address_place(event, "parent_ip");
	return line->ip.size && line->parent_ip.size ? LINE_FUNCTION : LINE_PLAIN;
}

static struct line_event *make_line(struct text *t, const struct text_source *source,
				    const struct sink_event *first)
{
	const struct event *event = first->event;
	size_t len = strlen(event->name);
	size_t room = len + 3 + NAME_WIDTH + 1 + PUT_PADDING;
	struct line_event *line = xzalloc(sizeof(*line) + room);

	line->event = event;
	line->head_len = (uint32_t)snprintf(line->head, room, " %s: %*s", event->name,
					    len < NAME_WIDTH ? (int)(NAME_WIDTH - len) : 0, "");
	line->function.big_endian = source->about->big_endian;
	line->kind = find_kind(line, &t->style, first);
	line->next = t->lines;
	t->lines = line;
	return line;
}

static inline const struct line_event *get_line(struct text *t, const struct text_source *source,
						const struct sink_event *event)
{
	if (__builtin_expect(!*event->notes, 0))
		*event->notes = make_line(t, source, event);
	return *event->notes;
}

static void fill_symbol(const struct text *t, const struct text_source *source,
			struct seen_symbol *symbol)
{
	uint64_t offset;
	const char *name = decode_symbol(source->thread, symbol->addr, &offset);

	symbol->name = name ? indent_name(t->shared->indent, name, &symbol->id) : no_name;
	symbol->len = (uint32_t)strlen(symbol->name);
}

static inline const struct seen_symbol *get_symbol(const struct text *t, struct text_source *source,
						   uint64_t addr)
{
	struct seen_symbol *symbol = symbol_cache_get(&source->symbols, addr);

	if (__builtin_expect(!symbol->name, 0))
		fill_symbol(t, source, symbol);
	return symbol;
}

/* Both addresses of a function record; a symbol stays until the next is got, so the child comes last. */
static uint32_t find_level(struct text *t, struct text_source *source,
			   const struct line_event *line, const struct raw_event *raw,
			   const struct seen_symbol **func)
{
	uint32_t parent =
		get_symbol(t, source, graph_number(&line->function, line->parent_ip, raw))->id;

	*func = get_symbol(t, source, graph_number(&line->function, line->ip, raw));
	return parent ? indent_level(t->shared->indent, raw->cpu, parent, (*func)->id) : 0;
}

static bool text_needs_scan(const struct sink *sink, const struct event *event)
{
	const struct text *t = to_text(sink);

	return !t->style.raw && !strcmp(event->system, "ftrace") &&
	       !strcmp(event->name, "function");
}

static void text_scan(struct sink *sink, const struct sink_event *event)
{
	struct text *t = to_text(sink);
	struct text_source *source = &t->source[event->source];
	const struct line_event *line = get_line(t, source, event);
	const struct seen_symbol *func;
	uint32_t level;

	if (line->kind != LINE_FUNCTION)
		return;
	level = find_level(t, source, line, event->raw, &func);
	levels_add(levels_of(t->levels, event->raw->cpu), level, func->id);
}

static void text_scan_rewind(struct sink *sink, bool forget)
{
	levels_rewind(to_text(sink)->levels, forget);
}

static void text_scan_swap(struct sink *sink, void **found)
{
	struct text *t = to_text(sink);
	struct level_lists *old = t->levels;

	t->levels = *found ? *found : level_lists_new();
	*found = old;
}

static void text_scan_free(void *found)
{
	level_lists_free(found);
}

static inline char *put_symbol(char *at, const struct seen_symbol *symbol, const char *prefix)
{
	if (__builtin_expect(!symbol->len, 0))
		return at + sprintf(at, "%s%" PRIx64, prefix, symbol->addr);
	return put_padded(at, symbol->name, symbol->len);
}

static void fill_named(struct text *t, uint32_t id)
{
	if (id >= t->nr_named) {
		uint32_t nr = id * 2 + 64;

		t->named = xrealloc(t->named, nr * sizeof(*t->named));
		memset(t->named + t->nr_named, 0, (nr - t->nr_named) * sizeof(*t->named));
		t->nr_named = nr;
	}
	t->named[id].name = indent_name_of(t->shared->indent, id);
	t->named[id].len = (uint32_t)strlen(t->named[id].name);
}

static inline const struct seen_symbol *get_named(struct text *t, uint32_t id)
{
	if (__builtin_expect(id >= t->nr_named || !t->named[id].name, 0))
		fill_named(t, id);
	return &t->named[id];
}

static char *put_function(struct text *t, struct text_source *source, const struct line_event *line,
			  const struct raw_event *raw, struct outbuf *out, char *at)
{
	const struct level *known = levels_next(t->levels, raw->cpu);
	const struct seen_symbol *func;
	uint32_t level;

	if (known) {
		level = known->level;
		func = known->name ? get_named(t, known->name)
				   : get_symbol(t, source,
						graph_number(&line->function, line->ip, raw));
	} else {
		level = find_level(t, source, line, raw, &func);
	}
	if (__builtin_expect(level * 3 + func->len > LINE_MOST / 2, 0)) {
		out->len = (size_t)(at - out->buf);
		at = outbuf_reserve(out, level * 3 + func->len + LINE_MOST);
	}
	return put_symbol(put_blanks(at, level * 3), func, "0x");
}

static char *put_entry(struct text *t, struct text_source *source, const struct sink_event *event,
		       struct outbuf *out, char *at)
{
	const struct graph_fields *graph = event->graph;
	const struct seen_symbol *func = get_symbol(t, source, graph_func(graph, event->raw));

	if (__builtin_expect(func->len > LINE_MOST / 2, 0)) {
		out->len = (size_t)(at - out->buf);
		at = outbuf_reserve(out, func->len + LINE_MOST);
	}
	if (event->leaf) {
		at = put_duration(at, graph_duration(event->leaf_graph, event->leaf),
				  t->three_digits);
	} else {
		memcpy(at, "             |  ", 16);
		at += 16;
	}
	at = put_depth(at, graph, event->raw);
	at = put_symbol(at, func, "");
	memcpy(at, event->leaf ? "();" : "() {", 4);
	return at + (event->leaf ? 3 : 4);
}

static char *put_exit(const struct text *t, const struct sink_event *event, char *at)
{
	at = put_duration(at, graph_duration(event->graph, event->raw), t->three_digits);
	at = put_depth(at, event->graph, event->raw);
	*at++ = '}';
	return at;
}

/* A thread gives itself any name it likes. */
static void fill_pid(const struct text *t, struct pid_slot *slot, int pid, const char *comm,
		     uint32_t cpu)
{
	cleanup_free char *safe = clean_name(comm);

	slot->pid = pid;
	slot->comm = comm;
	slot->cpu = cpu;
	slot->len = (uint32_t)(t->style.latency
				       ? snprintf(slot->text, PID_TEXT, "%8.8s-%-5d %3" PRIu32,
						  safe, pid, cpu)
				       : snprintf(slot->text, PID_TEXT,
						  "%16.24s-%-5d [%03" PRIu32 "]", safe, pid, cpu));
}

static inline char *put_pid(struct text *t, char *at, int pid, const char *comm, uint32_t cpu)
{
	struct pid_slot *slot = &t->pid[((unsigned int)pid ^ cpu << 10) % PID_SLOTS];

	if (__builtin_expect(slot->pid != pid || slot->comm != comm || slot->cpu != cpu, 0))
		fill_pid(t, slot, pid, comm, cpu);
	memcpy(at, slot->text, 32);
	if (slot->len > 32)
		memcpy(at + 32, slot->text + 32, PID_TEXT - 32);
	return at + slot->len;
}

/* The five characters of -l, and more where the format has fields for them. */
static char *put_flags(char *at, const struct decode_common *common)
{
	bool hard = common->flags & 0x08;
	bool soft = common->flags & 0x10;
	unsigned int low = common->preempt & 15;
	unsigned int high = common->preempt >> 4;

	*at++ = common->flags & 0x01 ? 'd' : common->flags & 0x02 ? 'X' : '.';
	*at++ = common->flags & 0x04 ? 'N' : '.';
	*at++ = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	*at++ = low ? "0123456789abcdef"[low] : '.';
	*at++ = high ? "0123456789abcdef"[high] : '.';
	if (common->migrate_disable > 0)
		at += sprintf(at, "%d", common->migrate_disable);
	else if (common->migrate_disable == 0)
		*at++ = '.';
	if (common->lock_depth != INT16_MIN && common->lock_depth >= 0)
		at += sprintf(at, "%d", common->lock_depth);
	else if (common->lock_depth != INT16_MIN)
		*at++ = '.';
	return at;
}

static char *put_any_time(struct text *t, const struct text_source *source, char *at, uint64_t ts)
{
	uint64_t unit = t->style.nanoseconds ? 1000000000 : 1000000;
	uint64_t second;
	uint32_t rest;

	if (source->about->raw_clock)
		return at + sprintf(at, " %11" PRIu64 ":", ts);
	if (!t->style.nanoseconds)
		ts = (ts + 500) / 1000;
	second = ts / unit;
	rest = (uint32_t)(ts - second * unit);
	if (second != t->second)
		set_second(t, second);
	memcpy(at, t->second_text, sizeof(t->second_text));
	at += t->second_len;
	if (t->style.nanoseconds) {
		put_3_digits(at, rest / 1000000);
		at += 3;
		rest %= 1000000;
	}
	put_6_digits(at, rest);
	at[6] = ':';
	return at + 7;
}

/* Within the same second as before only the digits behind the point are new. */
static inline char *put_plain_time(struct text *t, const struct text_source *source, char *at,
				   uint64_t ts)
{
	uint64_t ns = ts - t->second_ns;
	uint32_t us;

	if (__builtin_expect(ns >= 1000000000 || source->about->raw_clock, 0))
		return put_any_time(t, source, at, ts);
	us = (uint32_t)ns / 1000;
	memcpy(at, t->second_text, 16);
	if (__builtin_expect(t->second_len > 16, 0))
		memcpy(at + 16, t->second_text + 16, sizeof(t->second_text) - 16);
	at += t->second_len;
	memcpy(at, t->three_digits[us / 1000], 4);
	memcpy(at + 3, t->three_digits[us % 1000], 4);
	at[6] = ':';
	return at + 7;
}

static char *put_ts_diff(struct text *t, const struct text_source *source, char *at, uint64_t ts)
{
	char diff[32] = "";

	if (!source->about->raw_clock && !t->style.nanoseconds)
		ts = (ts + 500) / 1000;
	if (t->last_ts)
		snprintf(diff, sizeof(diff), "(+%" PRId64 ")", (int64_t)(ts - t->last_ts));
	t->last_ts = ts;
	return at + sprintf(at, " %-8s", diff);
}

static char *put_lost(char *at, const struct raw_event *raw)
{
	if (raw->missed > 0)
		return at + sprintf(at, "CPU:%" PRIu32 " [%" PRId64 " EVENTS DROPPED]\n", raw->cpu,
				    raw->missed);
	return at + sprintf(at, "CPU:%" PRIu32 " [EVENTS DROPPED]\n", raw->cpu);
}

/* All that stands before the name of the event. */
static inline char *put_head(struct text *t, const struct text_source *source,
			     const struct sink_event *event, struct outbuf *out)
{
	const struct raw_event *raw = event->raw;
	char *at = outbuf_reserve(out, 2 * LINE_MOST + source->prefix_len);

	if (__builtin_expect(source->prefix_len != 0, 0)) {
		memcpy(at, source->about->prefix, source->prefix_len);
		at += source->prefix_len;
	}
	if (__builtin_expect(raw->missed != 0, 0))
		at = put_lost(at, raw);
	at = put_pid(t, at, event->common.pid, event->comm, raw->cpu);
	if (__builtin_expect(t->plain, 1))
		return put_plain_time(t, source, at, raw->ts);
	if (t->style.latency)
		at = t->style.raw ? at + sprintf(at, "-0x%x", event->common.flags)
				  : put_flags(at, &event->common);
	at = put_any_time(t, source, at, raw->ts);
	if (t->style.ts_diff)
		at = put_ts_diff(t, source, at, raw->ts);
	return at;
}

/* Events that the decoder prints. */
static char *put_decoded(const struct text *t, const struct text_source *source,
			 const struct sink_event *event, struct outbuf *out, char *at)
{
	out->len = (size_t)(at - out->buf);
	if (t->style.raw)
		event_print_raw(source->thread, event->event, event->raw, out);
	else
		event_print(source->thread, event->event, event->raw, out);
	return outbuf_reserve(out, 1);
}

/* No format tells what this is: its bytes are all there is to say. */
static char *put_unknown(const struct sink_event *event, char *at)
{
	const struct raw_event *raw = event->raw;
	uint32_t shown = raw->size < UNKNOWN_SHOWN ? raw->size : UNKNOWN_SHOWN;

	at += sprintf(at, " [UNKNOWN EVENT %d]: %" PRIu32 " bytes:", event->common.id, raw->size);
	for (uint32_t i = 0; i < shown; i++)
		at += sprintf(at, " %02x", raw->data[i]);
	return at + sprintf(at, "%s", shown < raw->size ? " ..." : "");
}

static void text_event(struct sink *sink, const struct sink_event *event, struct outbuf *out)
{
	struct text *t = to_text(sink);
	struct text_source *source = &t->source[event->source];
	char *at = put_head(t, source, event, out);
	const struct line_event *line;

	if (__builtin_expect(!event->event, 0)) {
		at = put_unknown(event, at);
	} else {
		line = get_line(t, source, event);
		at = put_padded(at, line->head, line->head_len);
		if (line->kind == LINE_FUNCTION)
			at = put_function(t, source, line, event->raw, out, at);
		else if (line->kind == LINE_GRAPH_ENTRY)
			at = put_entry(t, source, event, out, at);
		else if (line->kind == LINE_GRAPH_EXIT)
			at = put_exit(t, event, at);
		else
			at = put_decoded(t, source, event, out, at);
	}
	*at++ = '\n';
	out->len = (size_t)(at - out->buf);
}

static void text_lost(struct sink *sink, const struct raw_event *where, unsigned int source,
		      struct outbuf *out)
{
	const struct text_source *from = &to_text(sink)->source[source];
	char *at = outbuf_reserve(out, LINE_MOST + from->prefix_len);

	memcpy(at, from->about->prefix, from->prefix_len);
	at = put_lost(at + from->prefix_len, where);
	out->len = (size_t)(at - out->buf);
}

const struct sink_ops text_sink = {
	.name = "text",
	.is_serial = text_is_serial,
	.share = text_share,
	.unshare = text_unshare,
	.make = text_make,
	.free = text_free,
	.event = text_event,
	.lost = text_lost,
	.needs_scan = text_needs_scan,
	.scan = text_scan,
	.scan_rewind = text_scan_rewind,
	.scan_swap = text_scan_swap,
	.scan_free = text_scan_free,
};

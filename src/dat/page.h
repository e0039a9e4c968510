/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream of one CPU: walks its sub-buffers and hands out raw events in the order of the file. */
#pragma once

#include "dat/ahead.h"
#include "dat/raw_event.h"
#include "dat/source.h"

/* How times of the file become times of the report. */
struct time_rule {
	uint32_t mult; /* 0: no TSC conversion */
	uint32_t shift;
	int64_t offset;
};

struct page_layout {
	bool big_endian;
	unsigned int long_size;
	uint32_t page_data; /* where events begin */
};

/* A raw event and where it lies, to compare positions of two walks over one CPU. */
struct stream_slot {
	struct raw_event raw;
	uint64_t pos;
};

/* Sub-buffers in memory, of which the walk may go back to those it has left. */
struct stream_window {
	uint8_t *bytes;
	size_t len;
	uint64_t first; /* the sub-buffer that it begins with */
};

struct stream {
	/* The walk inside of the sub-buffer. */
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *page;
	uint64_t ts; /* as in the file */
	int64_t missed;
	uint64_t page_nr;   /* of @page */
	uint64_t page_base; /* added to an address in @page it makes a position */
	struct page_layout layout;
	struct time_rule time;
	uint32_t cpu;
	bool plain; /* little endian, as this machine is, and times need no multiplication */

	/* The head and the one behind it. Their data stay for as long as they are in here. */
	struct stream_slot slot[2];
	unsigned int head;
	unsigned int nr_slots;

	/* Two windows in turn, so that loading one leaves the head's data alone. */
	struct stream_window window[2];
	size_t window_room;
	unsigned int window_now;
	size_t window_left; /* behind the sub-buffer that the walk is in */
	uint64_t next_page; /* to be read into a window */

	struct page_source *src;
	struct source_scratch scratch;
	struct ahead_line *ahead; /* NULL: nothing is read in advance */
	struct strv notes;	  /* what is damaged, a line each */
	uint64_t nr_events;
	uint64_t nr_pages;
	uint64_t nr_lost;    /* events that the kernel counted as missed */
	bool lost_uncounted; /* some were missed without a count */
	uint64_t first_ts;
	uint64_t last_ts;
};

/* @src is borrowed. */
void stream_init(struct stream *s, struct page_source *src, uint32_t cpu,
		 const struct page_layout *layout, const struct time_rule *time);
/* Lets other threads read the windows; @ahead must outlive the stream. Before the first read. */
void stream_read_ahead(struct stream *s, struct ahead *ahead);
void stream_fini(struct stream *s);

/* The next event, NULL at the end. stream_ahead() is the one behind it; it never moves the head. */
static inline const struct stream_slot *stream_head(struct stream *s);
static inline const struct stream_slot *stream_ahead(struct stream *s);
static inline void stream_pop(struct stream *s);
/* Both at once: drops the head and returns the next one. */
static inline const struct stream_slot *stream_next(struct stream *s);
/* The same without counting it. */
static inline void stream_skip(struct stream *s);
static inline const struct stream_slot *stream_pass(struct stream *s);
/* For the functions above: any record, whatever it is. */
bool stream_read(struct stream *s, struct stream_slot *slot);

/* The last sub-buffer that begins before @ts (in times of the report), the first when none does. */
uint64_t stream_page_before(struct stream *s, uint64_t ts);
/* Goes to the last sub-buffer that begins before @ts (in times of the report), so that all events from @ts on
 * follow, and some before. */
void stream_seek(struct stream *s, uint64_t ts);
/* Goes on at a position that a slot had. */
void stream_seek_pos(struct stream *s, uint64_t pos);
/* Time of sub-buffer @page as the report has it; false when it cannot be read. */
bool stream_page_ts(struct stream *s, uint64_t page, uint64_t *ts);
/* Time of the last event; false when there is none. Reads the last sub-buffers. */
bool stream_last_ts(struct stream *s, uint64_t *ts);

/* A type up to this is the length of the data in units of 4 bytes; the time since the record before is above it. */
#define RECORD_SHORT_MOST 28
#define RECORD_TYPE_BITS 5

/* @slot becomes the record at @data. */
static inline void stream_fill(struct stream *s, struct stream_slot *slot, uint64_t ts,
			       const uint8_t *data, uint32_t size)
{
	slot->raw.ts = ts;
	slot->raw.data = data;
	slot->raw.size = size;
	slot->raw.missed = s->missed;
	slot->pos = s->page_base + (uintptr_t)data;
	s->missed = 0;
}

/* The next record into @slot: nearly every one is a short one. */
static inline bool stream_take(struct stream *s, struct stream_slot *slot)
{
	const uint8_t *data;
	uint32_t head;
	uint32_t size;

	if (__builtin_expect(!s->plain || s->end - s->at < 4, 0))
		return stream_read(s, slot);
	data = s->at + 4;
	memcpy(&head, s->at, sizeof(head));
	size = (head & ((1u << RECORD_TYPE_BITS) - 1)) * 4;
	if (__builtin_expect(size - 4 >= RECORD_SHORT_MOST * 4 || size > (size_t)(s->end - data),
			     0))
		return stream_read(s, slot);
	s->ts += head >> RECORD_TYPE_BITS;
	s->at = data + size;
	stream_fill(s, slot, s->ts + (uint64_t)s->time.offset, data, size);
	return true;
}

static inline const struct stream_slot *stream_head(struct stream *s)
{
	struct stream_slot *slot = &s->slot[s->head];

	if (s->nr_slots)
		return slot;
	if (__builtin_expect(!stream_take(s, slot), 0))
		return NULL;
	s->nr_slots = 1;
	return slot;
}

static inline const struct stream_slot *stream_ahead(struct stream *s)
{
	struct stream_slot *slot = &s->slot[!s->head];

	if (s->nr_slots == 2)
		return slot;
	if (__builtin_expect(!stream_head(s) || !stream_take(s, slot), 0))
		return NULL;
	s->nr_slots = 2;
	return slot;
}

static inline void stream_skip(struct stream *s)
{
	if (!s->nr_slots)
		return;
	s->nr_slots--;
	s->head = !s->head;
}

static inline void stream_pop(struct stream *s)
{
	s->nr_events += s->nr_slots != 0;
	stream_skip(s);
}

static inline const struct stream_slot *stream_next(struct stream *s)
{
	s->nr_events++;
	return stream_pass(s);
}

static inline const struct stream_slot *stream_pass(struct stream *s)
{
	if (__builtin_expect(s->nr_slots == 2, 0)) {
		s->nr_slots = 1;
		s->head = !s->head;
		return &s->slot[s->head];
	}
	if (__builtin_expect(stream_take(s, &s->slot[s->head]), 1))
		return &s->slot[s->head];
	s->nr_slots = 0;
	return NULL;
}

static inline uint64_t time_rule_apply(const struct time_rule *rule, uint64_t ts)
{
	if (rule->mult)
		ts = (uint64_t)((unsigned __int128)ts * rule->mult >> rule->shift);
	return ts + (uint64_t)rule->offset;
}

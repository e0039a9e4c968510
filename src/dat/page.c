/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk over sub-buffers. */
#include "dat/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/mem.h"

/* Half of this stays in the second level cache with the text that is made of it. */
#define WINDOW_SIZE (128u << 10)
#define NOTES_MOST 200

#define COMMIT_MASK ((1u << 27) - 1)
#define COMMIT_MISSED (1u << 31)
#define COMMIT_COUNTED (1u << 30)

#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP 31
#define DELTA_BITS 27
/* An absolute stamp has room for 59 bits. */
#define STAMP_TOP (0x1fULL << 59)

void stream_init(struct stream *s, struct page_source *src, uint32_t cpu,
		 const struct page_layout *layout, const struct time_rule *time)
{
	*s = (struct stream){.src = src, .cpu = cpu, .layout = *layout, .time = *time};
	s->plain = !layout->big_endian && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !time->mult;
	s->slot[0].raw.cpu = s->slot[1].raw.cpu = cpu;
	s->window_room = src->page_size;
	if (s->window_room < WINDOW_SIZE)
		s->window_room = WINDOW_SIZE / src->page_size * src->page_size;
	if (s->window_room < src->largest_piece)
		s->window_room = src->largest_piece;
}

void stream_read_ahead(struct stream *s, struct ahead *ahead)
{
	s->ahead = ahead_line_new(ahead, s->src, s->window_room);
}

void stream_fini(struct stream *s)
{
	ahead_line_free(s->ahead);
	free(s->window[0].bytes);
	free(s->window[1].bytes);
	source_scratch_fini(&s->scratch);
	strv_fini(&s->notes);
}

static uint64_t page_offset(const struct stream *s)
{
	return s->src->offset + s->page_nr * s->src->page_size;
}

static void __attribute__((format(printf, 2, 3))) note(struct stream *s, const char *fmt, ...)
{
	va_list ap;

	if (s->notes.nr >= NOTES_MOST)
		return;
	va_start(ap, fmt);
	strv_add_take(&s->notes, xvasprintf(fmt, ap));
	va_end(ap);
}

/* What comes in as it is recorded is there once. */
static bool can_go_back(const struct stream *s)
{
	return s->src->nr_pages != UINT64_MAX;
}

static uint64_t pages_in(const struct stream *s, size_t bytes)
{
	return (bytes + s->src->page_size - 1) / s->src->page_size;
}

static bool take_window(struct stream *s, unsigned int window, uint64_t page)
{
	const struct stream_window *w = &s->window[window];
	size_t at;

	if (!can_go_back(s) || page < w->first || page - w->first >= pages_in(s, w->len))
		return false;
	at = (size_t)(page - w->first) * s->src->page_size;
	s->window_now = window;
	s->window_left = w->len - at;
	s->next_page = w->first + pages_in(s, w->len);
	return true;
}

static void note_damage(struct stream *s, uint64_t damaged)
{
	if (!damaged)
		return;
	note(s, "CPU %" PRIu32 ": the compressed chunk at offset %" PRIu64 " is damaged", s->cpu,
	     damaged);
	s->missed = -1;
}

static ssize_t read_window(struct stream *s, struct stream_window *w)
{
	uint64_t damaged = 0;
	ssize_t got;

	if (s->ahead)
		got = ahead_line_read(s->ahead, s->next_page, &w->bytes, &damaged);
	else
		got = s->src->ops->read(s->src, &s->scratch, s->next_page, w->bytes,
					s->window_room);
	note_damage(s, damaged);
	note_damage(s, s->scratch.damaged);
	s->scratch.damaged = 0;
	return got;
}

/* Loads the other window. False at the end. */
static bool load_window(struct stream *s)
{
	unsigned int other = !s->window_now;
	struct stream_window *w = &s->window[other];
	ssize_t got;

	if (s->next_page >= s->src->nr_pages)
		return false;
	if (take_window(s, other, s->next_page))
		return true;
	if (!w->bytes)
		w->bytes = xmalloc(s->window_room);
	w->len = 0;
	got = read_window(s, w);
	if (got <= 0) {
		if (s->src->nr_pages != UINT64_MAX) {
			note(s,
			     "CPU %" PRIu32 ": sub-buffer %" PRIu64
			     " cannot be read, the file became shorter or the disk fails",
			     s->cpu, s->next_page);
			s->next_page = s->src->nr_pages;
		}
		return false;
	}
	w->len = (size_t)got;
	w->first = s->next_page;
	s->window_now = other;
	s->window_left = w->len;
	s->next_page += pages_in(s, w->len);
	return true;
}

static void add_missed(struct stream *s, const uint8_t *page, uint64_t commit, uint32_t len,
		       size_t avail)
{
	const uint8_t *stored = page + s->layout.page_data + len;
	uint64_t count;

	if (!(commit & COMMIT_MISSED))
		return;
	if (!(commit & COMMIT_COUNTED) ||
	    s->layout.page_data + (size_t)len + s->layout.long_size > avail) {
		s->missed = -1;
		s->lost_uncounted = true;
		return;
	}
	count = s->layout.long_size == 8 ? get_u64(stored, s->layout.big_endian)
					 : get_u32(stored, s->layout.big_endian);
	if (count > INT64_MAX / 2) {
		s->missed = -1;
		s->lost_uncounted = true;
		return;
	}
	s->nr_lost += count;
	if (s->missed >= 0)
		s->missed += (int64_t)count;
}

/* Time from the stamp of the sub-buffer to its first event. */
static uint64_t first_delta(const struct stream *s, const uint8_t *page, uint32_t len)
{
	const uint8_t *at = page + s->layout.page_data;
	uint32_t head = len >= 8 ? get_u32(at, s->layout.big_endian) : 0;
	uint32_t type = s->layout.big_endian ? head >> DELTA_BITS : head & 31;
	uint64_t delta = s->layout.big_endian ? head & COMMIT_MASK : head >> 5;

	if (type == TYPE_TIME_EXTEND)
		delta += (uint64_t)get_u32(at + 4, s->layout.big_endian) << DELTA_BITS;
	return delta;
}

static void check_page_time(struct stream *s, uint64_t ts, const uint8_t *page, uint32_t len)
{
	/* The clock of some kernels steps back by a nanosecond where a sub-buffer begins. */
	if (s->ts && ts + 1 < s->ts && ts + 1 + first_delta(s, page, len) < s->ts)
		note(s,
		     "CPU %" PRIu32 ": time runs back from %" PRIu64 " to %" PRIu64
		     " in the sub-buffer at offset %" PRIu64,
		     s->cpu, s->ts, ts, page_offset(s));
	else if (ts >> 63 && !(s->ts >> 63))
		note(s,
		     "CPU %" PRIu32 ": the time %" PRIu64 " of the sub-buffer at offset %" PRIu64
		     " cannot be",
		     s->cpu, ts, page_offset(s));
}

/* Starts on the sub-buffer at @page of which @avail bytes are there. */
static void enter_page(struct stream *s, const uint8_t *page, size_t avail)
{
	uint64_t commit;
	uint64_t ts;
	uint32_t len;

	s->page = page;
	s->page_base = s->page_nr * s->src->page_size - (uintptr_t)page;
	s->at = s->end = page;
	s->nr_pages++;
	if (avail < s->layout.page_data) {
		note(s, "CPU %" PRIu32 ": the sub-buffer at offset %" PRIu64 " is cut off", s->cpu,
		     page_offset(s));
		return;
	}
	ts = get_u64(page, s->layout.big_endian);
	commit = s->layout.long_size == 8 ? get_u64(page + 8, s->layout.big_endian)
					  : get_u32(page + 8, s->layout.big_endian);
	len = commit & COMMIT_MASK;
	if (!ts && !commit)
		return;
	if (len > s->src->page_size - s->layout.page_data) {
		note(s,
		     "CPU %" PRIu32 ": the sub-buffer at offset %" PRIu64 " claims %" PRIu32
		     " bytes of data, it is left out",
		     s->cpu, page_offset(s), len);
		s->missed = -1;
		return;
	}
	if (s->layout.page_data + (size_t)len <= avail)
		check_page_time(s, ts, page, len);
	add_missed(s, page, commit, len, avail);
	s->ts = ts;
	s->at = page + s->layout.page_data;
	s->end = s->at + len;
	if (s->layout.page_data + (size_t)len <= avail)
		return;
	note(s,
	     "CPU %" PRIu32 ": the sub-buffer at offset %" PRIu64
	     " is cut off after %zu of %" PRIu32 " bytes",
	     s->cpu, page_offset(s), avail, s->layout.page_data + len);
	s->end = page + avail;
}

static bool next_page(struct stream *s)
{
	const struct stream_window *w;
	size_t avail;

	if (!s->window_left && !load_window(s))
		return false;
	w = &s->window[s->window_now];
	avail = s->window_left < s->src->page_size ? s->window_left : s->src->page_size;
	s->page_nr = s->next_page - pages_in(s, s->window_left);
	enter_page(s, w->bytes + w->len - s->window_left, avail);
	s->window_left -= avail;
	return true;
}

/* What does not fit ends the sub-buffer: where the next record would begin cannot be known. */
static void leave_damaged_page(struct stream *s, const char *what)
{
	note(s,
	     "CPU %" PRIu32 ": %s at offset %" PRIu64 ", the rest of this sub-buffer is left out",
	     s->cpu, what, page_offset(s) + (uint64_t)(s->at - s->page));
	s->at = s->end;
	s->missed = -1;
}

/* An absolute time; the bits that it has no room for stay. */
static void take_stamp(struct stream *s, uint64_t stamp)
{
	stamp = (s->ts & STAMP_TOP) | (stamp & ~STAMP_TOP);
	if (stamp + 1 < s->ts)
		note(s,
		     "CPU %" PRIu32 ": time runs back from %" PRIu64 " to %" PRIu64
		     " at offset %" PRIu64,
		     s->cpu, s->ts, stamp, page_offset(s) + (uint64_t)(s->at - s->page));
	s->ts = stamp;
}

/* Records that carry no event, and those with a length word. True when @data and @size are an event. */
static bool step_special(struct stream *s, uint32_t type, uint64_t delta, const uint8_t **data,
			 uint32_t *size)
{
	size_t left = (size_t)(s->end - s->at);
	uint32_t word;

	if (type == TYPE_PADDING && !delta) {
		s->at = s->end;
		return false;
	}
	if (left < 8) {
		leave_damaged_page(s, "half a record");
		return false;
	}
	word = get_u32(s->at + 4, s->layout.big_endian);
	switch (type) {
	case TYPE_TIME_EXTEND:
		s->ts += ((uint64_t)word << DELTA_BITS) + delta;
		s->at += 8;
		return false;
	case TYPE_TIME_STAMP:
		take_stamp(s, ((uint64_t)word << DELTA_BITS) + delta);
		s->at += 8;
		return false;
	case TYPE_PADDING:
		if (word > left - 4) {
			leave_damaged_page(s, "padding longer than its sub-buffer");
			return false;
		}
		s->ts += delta;
		s->at += 4 + (size_t)word;
		return false;
	default:
		break;
	}
	if (word < 4 || word > left - 4) {
		leave_damaged_page(s, word < 4 ? "a record without length"
					       : "a record longer than its sub-buffer");
		return false;
	}
	s->ts += delta;
	*data = s->at + 8;
	*size = word - 4;
	/* The end of the data need not be aligned when the file cuts it. */
	s->at += 4 + (size_t)word + (4 - word % 4) % 4;
	if (s->at > s->end)
		s->at = s->end;
	return true;
}

bool stream_read(struct stream *s, struct stream_slot *slot)
{
	for (;;) {
		const uint8_t *data;
		uint64_t delta;
		uint32_t head;
		uint32_t type;
		uint32_t size;

		if (__builtin_expect(s->end - s->at < 4, 0)) {
			if (!next_page(s))
				return false;
			continue;
		}
		head = get_u32(s->at, s->layout.big_endian);
		type = s->layout.big_endian ? head >> DELTA_BITS : head & 31;
		delta = s->layout.big_endian ? head & COMMIT_MASK : head >> 5;
		if (__builtin_expect(type - 1 < 28, 1)) {
			data = s->at + 4;
			size = type * 4;
			if (__builtin_expect(size > (size_t)(s->end - data), 0)) {
				leave_damaged_page(s, "a record longer than its sub-buffer");
				continue;
			}
			s->ts += delta;
			s->at = data + size;
		} else if (!step_special(s, type, delta, &data, &size)) {
			continue;
		}
		stream_fill(s, slot, time_rule_apply(&s->time, s->ts), data, size);
		return true;
	}
}

static void restart_at(struct stream *s, uint64_t page)
{
	s->at = s->end = s->page = NULL;
	s->nr_slots = 0;
	s->window_left = 0;
	s->next_page = page;
	if (!take_window(s, 0, page))
		take_window(s, 1, page);
	s->ts = 0;
	s->missed = 0;
}

bool stream_page_ts(struct stream *s, uint64_t page, uint64_t *ts)
{
	uint8_t raw[8];

	if (page >= s->src->nr_pages ||
	    s->src->ops->read(s->src, &s->scratch, page, raw, sizeof(raw)) != (ssize_t)sizeof(raw))
		return false;
	*ts = time_rule_apply(&s->time, get_u64(raw, s->layout.big_endian));
	return true;
}

uint64_t stream_page_before(struct stream *s, uint64_t ts)
{
	uint64_t low = 0;
	uint64_t high = s->src->nr_pages;
	uint64_t page_ts;

	/* Sub-buffers below @low begin before @ts. Several may have the same time. */
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (stream_page_ts(s, mid, &page_ts) && page_ts < ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

void stream_seek(struct stream *s, uint64_t ts)
{
	restart_at(s, stream_page_before(s, ts));
}

void stream_seek_pos(struct stream *s, uint64_t pos)
{
	const struct stream_slot *slot;

	restart_at(s, pos / s->src->page_size);
	while ((slot = stream_head(s)) && slot->pos < pos)
		stream_skip(s);
}

bool stream_last_ts(struct stream *s, uint64_t *ts)
{
	bool found = false;

	for (uint64_t page = s->src->nr_pages; page-- > 0 && !found;) {
		const struct stream_slot *slot;

		restart_at(s, page);
		while ((slot = stream_head(s))) {
			*ts = slot->raw.ts;
			found = true;
			stream_skip(s);
		}
	}
	restart_at(s, 0);
	return found;
}

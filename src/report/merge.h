/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All CPUs of all ring buffers in the order of time. Where times are equal, the earlier source and CPU comes first. */
#pragma once

#include "report/input.h"

struct walk_types;

struct lane {
	struct stream stream;
	const struct stream_slot *head;
	uint64_t ts;	/* of the head */
	uint32_t order; /* decides between equal times */
	uint32_t source;
	uint32_t heap_at;
	struct input_file *file;
	struct walk_types *types; /* for the walk: those of the file */
};

struct merge {
	struct lane *lane;
	uint32_t nr_lanes;
	struct lane **heap; /* the smallest first */
	uint32_t nr_heap;
	const struct lane *second; /* NULL when there is only one */
};

void merge_init(struct merge *m, const struct input *in);
void merge_fini(struct merge *m);
/* Builds the order from where the streams stand now. */
void merge_start(struct merge *m);

static inline struct lane *merge_top(const struct merge *m)
{
	return m->nr_heap ? m->heap[0] : NULL;
}

/* Drops the head of a lane and puts the lane where its next event belongs. */
static inline void merge_pop(struct merge *m, struct lane *lane);
/* For merge_pop(): the head has been dropped and the order may have to change. @before is its time. */
void merge_move(struct merge *m, struct lane *lane, uint64_t before);
/* The lane of @source other than @not whose head comes first. */
struct lane *merge_next_of(const struct merge *m, uint32_t source, const struct lane * not );

static inline bool comes_before(uint64_t ts_a, uint32_t order_a, uint64_t ts_b, uint32_t order_b)
{
	return ts_a < ts_b || (ts_a == ts_b && order_a < order_b);
}

/* Events of one CPU mostly come in a row: as long as its head comes before the second lane's, all stays as it is. */
static inline void merge_pop(struct merge *m, struct lane *lane)
{
	uint64_t before = lane->ts;

	lane->head = stream_next(&lane->stream);
	if (__builtin_expect(lane->head && !lane->heap_at, 1)) {
		lane->ts = lane->head->raw.ts;
		if (!m->second ||
		    comes_before(lane->ts, lane->order, m->second->ts, m->second->order))
			return;
	}
	merge_move(m, lane, before);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap over CPUs. */
#include "report/merge.h"

#include <stdlib.h>

#include "util/mem.h"

void merge_init(struct merge *m, const struct input *in)
{
	*m = (struct merge){0};
	m->lane = xzalloc_apart(in->nr_cpus * sizeof(*m->lane));
	m->heap = xcalloc(in->nr_cpus, sizeof(struct lane *));
	for (size_t i = 0; i < in->nr_sources; i++) {
		const struct input_source *source = &in->source[i];

		for (size_t c = 0; c < source->nr_cpus; c++) {
			struct lane *lane = &m->lane[m->nr_lanes];

			lane->order = m->nr_lanes++;
			lane->source = (uint32_t)i;
			lane->file = source->file;
			stream_init(&lane->stream, source->cpu[c].src, source->cpu[c].cpu,
				    &source->layout, &source->time);
			if (in->ahead && source->cpu[c].src->packed)
				stream_read_ahead(&lane->stream, in->ahead);
		}
	}
}

void merge_fini(struct merge *m)
{
	for (uint32_t i = 0; i < m->nr_lanes; i++)
		stream_fini(&m->lane[i].stream);
	free(m->lane);
	free(m->heap);
	*m = (struct merge){0};
}

static inline bool lane_before(const struct lane *a, const struct lane *b)
{
	return comes_before(a->ts, a->order, b->ts, b->order);
}

static void sift_down(struct merge *m, uint32_t at)
{
	struct lane *lane = m->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap && lane_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!lane_before(m->heap[child], lane))
			break;
		m->heap[at] = m->heap[child];
		m->heap[at]->heap_at = at;
		at = child;
	}
	m->heap[at] = lane;
	lane->heap_at = at;
}

static void build_heap(struct merge *m)
{
	for (uint32_t i = m->nr_heap / 2; i-- > 0;)
		sift_down(m, i);
}

static void find_second(struct merge *m)
{
	m->second = m->nr_heap > 1 ? m->heap[1] : NULL;
	if (m->nr_heap > 2 && lane_before(m->heap[2], m->second))
		m->second = m->heap[2];
}

void merge_start(struct merge *m)
{
	m->nr_heap = 0;
	for (uint32_t i = 0; i < m->nr_lanes; i++) {
		struct lane *lane = &m->lane[i];

		lane->head = stream_head(&lane->stream);
		if (!lane->head)
			continue;
		lane->ts = lane->head->raw.ts;
		lane->heap_at = m->nr_heap;
		m->heap[m->nr_heap++] = lane;
	}
	build_heap(m);
	find_second(m);
}

static void remove_lane(struct merge *m, uint32_t at)
{
	m->nr_heap--;
	if (at == m->nr_heap)
		return;
	m->heap[at] = m->heap[m->nr_heap];
	m->heap[at]->heap_at = at;
	sift_down(m, at);
	/* The last one may belong above the removed one's place, too. */
	while (at && lane_before(m->heap[at], m->heap[(at - 1) / 2])) {
		struct lane *up = m->heap[(at - 1) / 2];

		m->heap[(at - 1) / 2] = m->heap[at];
		m->heap[(at - 1) / 2]->heap_at = (at - 1) / 2;
		m->heap[at] = up;
		up->heap_at = at;
		at = (at - 1) / 2;
	}
}

void merge_move(struct merge *m, struct lane *lane, uint64_t before)
{
	if (__builtin_expect(!lane->head, 0)) {
		remove_lane(m, lane->heap_at);
	} else {
		lane->ts = lane->head->raw.ts;
		/* Time runs back on this CPU and it was not on top: rare enough to build anew. */
		if (__builtin_expect(lane->ts < before, 0) && lane->heap_at)
			build_heap(m);
		else
			sift_down(m, lane->heap_at);
	}
	find_second(m);
}

struct lane *merge_next_of(const struct merge *m, uint32_t source, const struct lane * not )
{
	struct lane *best = NULL;

	for (uint32_t i = 0; i < m->nr_heap; i++) {
		struct lane *lane = m->heap[i];

		if (lane == not || lane->source != source)
			continue;
		if (!best || lane_before(lane, best))
			best = lane;
	}
	return best;
}

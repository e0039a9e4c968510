/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations of pairs, without those that losses make doubtful. */
#include "report/stats.h"

#include <math.h>
#include <stdlib.h>

#include "util/mem.h"

void pairs_add(struct pairs *pairs, uint64_t start, uint64_t end, int64_t extra)
{
	if (pairs->nr == pairs->room) {
		pairs->room = pairs->room ? pairs->room * 2 : 16;
		pairs->pair = xrealloc(pairs->pair, pairs->room * sizeof(*pairs->pair));
	}
	pairs->pair[pairs->nr++] = (struct pair){start, end, extra};
}

void pairs_fini(struct pairs *pairs)
{
	free(pairs->pair);
	*pairs = (struct pairs){0};
}

static void add_gap(struct gaps *gaps, uint64_t start, uint64_t end)
{
	if (gaps->nr == gaps->room) {
		gaps->room = gaps->room ? gaps->room * 2 : 16;
		gaps->gap = xrealloc(gaps->gap, gaps->room * sizeof(*gaps->gap));
	}
	gaps->gap[gaps->nr++] = (struct gap){start, end};
}

void gaps_see(struct gaps *gaps, uint32_t cpu, uint64_t ts, int64_t missed)
{
	if (cpu >= gaps->nr_cpus) {
		size_t nr = (size_t)cpu + 16;

		gaps->last = xrealloc(gaps->last, nr * sizeof(*gaps->last));
		for (size_t i = gaps->nr_cpus; i < nr; i++)
			gaps->last[i] = 0;
		gaps->nr_cpus = nr;
	}
	if (missed)
		add_gap(gaps, gaps->last[cpu], ts);
	gaps->last[cpu] = ts;
}

void gaps_end(struct gaps *gaps, uint64_t ts)
{
	add_gap(gaps, ts, UINT64_MAX);
}

static int by_start(const void *ap, const void *bp)
{
	const struct gap *a = ap;
	const struct gap *b = bp;

	return a->start < b->start ? -1 : a->start > b->start;
}

void gaps_finish(struct gaps *gaps)
{
	size_t nr = 0;

	if (gaps->nr)
		qsort(gaps->gap, gaps->nr, sizeof(*gaps->gap), by_start);
	for (size_t i = 0; i < gaps->nr; i++) {
		struct gap *last = nr ? &gaps->gap[nr - 1] : NULL;

		if (!last || gaps->gap[i].start > last->end)
			gaps->gap[nr++] = gaps->gap[i];
		else if (gaps->gap[i].end > last->end)
			last->end = gaps->gap[i].end;
	}
	gaps->nr = nr;
}

bool gaps_overlap(const struct gaps *gaps, uint64_t start, uint64_t end)
{
	size_t low = 0;
	size_t high = gaps->nr;

	/* The first gap that ends behind @start. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (gaps->gap[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low < gaps->nr && gaps->gap[low].start < end;
}

void gaps_fini(struct gaps *gaps)
{
	free(gaps->gap);
	free(gaps->last);
	*gaps = (struct gaps){0};
}

size_t pairs_split(struct pairs *pairs, const struct gaps *gaps)
{
	size_t nr = 0;

	if (!gaps->nr)
		return pairs->nr;
	for (size_t i = 0; i < pairs->nr; i++) {
		struct pair pair = pairs->pair[i];

		if (gaps_overlap(gaps, pair.start, pair.end))
			continue;
		pairs->pair[i] = pairs->pair[nr];
		pairs->pair[nr++] = pair;
	}
	return nr;
}

uint64_t stats_rank(const uint64_t *sorted, size_t nr, unsigned int percent)
{
	/* In two parts, since nr * percent may not fit. */
	size_t rank = nr / 100 * percent + (nr % 100 * percent + 99) / 100;

	if (!nr)
		return 0;
	return sorted[rank ? rank - 1 : 0];
}

static int by_value(const void *ap, const void *bp)
{
	uint64_t a = *(const uint64_t *)ap;
	uint64_t b = *(const uint64_t *)bp;

	return a < b ? -1 : a > b;
}

void stats_of(uint64_t *value, size_t nr, struct stats *out)
{
	double squares = 0;

	*out = (struct stats){.count = nr};
	if (!nr)
		return;
	qsort(value, nr, sizeof(*value), by_value);
	for (size_t i = 0; i < nr; i++)
		out->total += value[i];
	out->mean = (double)out->total / (double)nr;
	for (size_t i = 0; i < nr; i++) {
		double off = (double)value[i] - out->mean;

		squares += off * off;
	}
	out->stddev = sqrt(squares / (double)nr);
	out->min = value[0];
	out->max = value[nr - 1];
	out->p50 = stats_rank(value, nr, 50);
	out->p90 = stats_rank(value, nr, 90);
	out->p99 = stats_rank(value, nr, 99);
}

void stats_of_pairs(const struct pairs *pairs, size_t nr, struct stats *out)
{
	cleanup_free uint64_t *value = xcalloc(nr + 1, sizeof(*value));

	for (size_t i = 0; i < nr; i++)
		value[i] = pairs->pair[i].end - pairs->pair[i].start;
	stats_of(value, nr, out);
}

unsigned int stats_bucket(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

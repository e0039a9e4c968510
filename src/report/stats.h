/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers about durations: exact ones, from all of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that took time. */
struct pair {
	uint64_t start;
	uint64_t end;
	int64_t extra; /* whatever its owner needs at the end */
};

/* All zero is an empty list. */
struct pairs {
	struct pair *pair;
	size_t nr;
	size_t room;
};

void pairs_add(struct pairs *pairs, uint64_t start, uint64_t end, int64_t extra);
void pairs_fini(struct pairs *pairs);

/* Times in which a CPU of one buffer lost events. */
struct gap {
	uint64_t start; /* of the last event before it */
	uint64_t end;	/* of the first behind it */
};

struct gaps {
	struct gap *gap;
	size_t nr;
	size_t room;
	uint64_t *last; /* by CPU: the time of its last event */
	size_t nr_cpus;
};

/* Each event of the buffer, in any order of CPUs; @missed is raw_event's. */
void gaps_see(struct gaps *gaps, uint32_t cpu, uint64_t ts, int64_t missed);
/* Events were lost behind the last one of a CPU. */
void gaps_end(struct gaps *gaps, uint64_t ts);
/* Once before gaps_overlap(): orders them and joins those that overlap. */
void gaps_finish(struct gaps *gaps);
/* True when a pair from @start to @end was open while events were lost. */
bool gaps_overlap(const struct gaps *gaps, uint64_t start, uint64_t end);
void gaps_fini(struct gaps *gaps);

/* Moves the pairs that gaps_overlap() behind the others; returns how many others there are. */
size_t pairs_split(struct pairs *pairs, const struct gaps *gaps);

/* Zero when count is. */
struct stats {
	uint64_t count;
	uint64_t total;
	uint64_t min;
	uint64_t max;
	uint64_t p50; /* nearest rank: the smallest that this share of them does not exceed */
	uint64_t p90;
	uint64_t p99;
	double mean;
	double stddev; /* of the whole population: divided by count */
};

/* Of the first @nr pairs. */
void stats_of_pairs(const struct pairs *pairs, size_t nr, struct stats *out);
/* Of durations; orders them. */
void stats_of(uint64_t *value, size_t nr, struct stats *out);
/* The nearest rank: @sorted[ceil(percent / 100 * nr) - 1]; 0 of none. */
uint64_t stats_rank(const uint64_t *sorted, size_t nr, unsigned int percent);

#define STATS_BUCKETS 65
/* 0 for 0, else n for 2^(n-1) <= value < 2^n. */
unsigned int stats_bucket(uint64_t value);

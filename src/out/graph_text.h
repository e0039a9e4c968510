/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the function graph: duration and depth. */
#pragma once

#include "out/digits.h"
#include "out/graph.h"

/* More levels than any kernel traces; a damaged depth must not fill the disk. */
#define GRAPH_DEEPEST 200
/* Bytes that may be written at a place where a duration begins. */
#define DURATION_MOST 40

/* The two characters that say how long it took, in ns. */
static inline const char *graph_overhead(uint64_t duration)
{
	if (duration <= 10000)
		return "  ";
	if (duration <= 100000)
		return "+ ";
	if (duration <= 1000000)
		return "! ";
	return duration <= 1000000000 ? "# " : "$ ";
}

/* The bars stand below each other up to 999 us. */
static inline char *put_any_duration(char *at, uint64_t duration)
{
	char *end = put_dec(at, duration / 1000);
	unsigned int len = (unsigned int)(end - at);

	at = end;
	if (len < 7) {
		*at = '.';
		put_3_digits(at + 1, (uint32_t)(duration % 1000));
		at += 4;
		len += 4;
	}
	memcpy(at, " us ", 4);
	at += 4;
	memset(at, ' ', 8);
	at += len < 7 ? 7 - len : 0;
	memcpy(at, "|  ", 4);
	return at + 3;
}

/* @three_digits has "000" to "999". */
static inline char *put_duration(char *at, uint64_t duration, const char (*three_digits)[4])
{
	uint32_t us = (uint32_t)duration / 1000;

	memcpy(at, graph_overhead(duration), 2);
	if (__builtin_expect(duration >= 100000, 0))
		return put_any_duration(at + 2, duration);
	if (us < 10) {
		memcpy(at + 2, "0.000 us   |  ", 14);
		at[2] = (char)('0' + us);
		memcpy(at + 4, three_digits[duration % 1000], 3);
	} else {
		memcpy(at + 2, "00.000 us  |  ", 14);
		memcpy(at + 2, put_pairs + 2 * us, 2);
		memcpy(at + 5, three_digits[duration % 1000], 3);
	}
	return at + 16;
}

/* Two blanks a level. */
static inline char *put_depth(char *at, const struct graph_fields *graph,
			      const struct raw_event *raw)
{
	uint64_t depth = graph_depth(graph, raw);

	if (__builtin_expect(depth > GRAPH_DEEPEST, 0))
		depth = (int32_t)depth < 0 ? 0 : GRAPH_DEEPEST;
	return put_blanks(at, depth * 2);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The levels of functions and where their symbols are, found by the scan of a slice and used, in the same order on each
 * CPU, when its lines are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out/symbol_cache.h"

/* Symbols are fetched so many events before they are needed. */
#define LEVELS_AHEAD 8

struct levels {
	uint32_t *level;
	uint16_t *seen; /* LEVELS_AHEAD more than there are levels */
	size_t nr;
	size_t room;
	size_t next;
};

struct level_lists {
	struct levels **cpu; /* NULL where there is none */
	uint32_t nr;
};

void levels_fini(struct level_lists *lists);
/* The list of a CPU, a new one where there is none. */
struct levels *levels_of(struct level_lists *lists, uint32_t cpu);
/* @seen is the symbol's place in the cache. */
void levels_add(struct levels *levels, uint32_t level, uint16_t seen);
/* To the first of each list; with @forget the lists are empty afterwards. */
void levels_rewind(struct level_lists *lists, bool forget);

/* The next level and its symbol, which may have been forgotten: its address must be looked at. False when there is none. */
static inline bool levels_next(const struct level_lists *lists, uint32_t cpu,
			       const struct symbol_cache *symbols, uint32_t *level,
			       const struct seen_symbol **symbol)
{
	struct levels *levels = cpu < lists->nr ? lists->cpu[cpu] : NULL;
	const uint16_t *seen;

	if (!levels || levels->next >= levels->nr)
		return false;
	seen = levels->seen + levels->next;
	__builtin_prefetch(&symbols->seen[seen[LEVELS_AHEAD]]);
	__builtin_prefetch(symbols->seen[seen[LEVELS_AHEAD / 2]].name);
	*symbol = &symbols->seen[*seen];
	*level = levels->level[levels->next++];
	return true;
}

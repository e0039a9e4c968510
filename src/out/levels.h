/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The levels of functions, found by the scan of a slice and used, in the same order on each CPU, when its lines are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct level {
	uint32_t level;
	uint32_t name; /* the function's, by the number that indent_name() gave; 0 without */
};

struct levels {
	struct level *level;
	size_t nr;
	size_t room;
	size_t next;
};

struct level_lists {
	struct levels **cpu; /* NULL where there is none */
	uint32_t nr;
};

struct level_lists *level_lists_new(void);
void level_lists_free(struct level_lists *lists);
struct levels *levels_new_of(struct level_lists *lists, uint32_t cpu);
void levels_grow(struct levels *levels);
/* To the first of each list; with @forget the lists are empty afterwards. */
void levels_rewind(struct level_lists *lists, bool forget);

/* The list of a CPU, a new one where there is none. */
static inline struct levels *levels_of(struct level_lists *lists, uint32_t cpu)
{
	if (__builtin_expect(cpu < lists->nr && lists->cpu[cpu] != NULL, 1))
		return lists->cpu[cpu];
	return levels_new_of(lists, cpu);
}

static inline void levels_add(struct levels *levels, uint32_t level, uint32_t name)
{
	if (__builtin_expect(levels->nr == levels->room, 0))
		levels_grow(levels);
	levels->level[levels->nr++] = (struct level){level, name};
}

/* NULL when there is none, or no more. */
static inline const struct level *levels_next(const struct level_lists *lists, uint32_t cpu)
{
	struct levels *levels = cpu < lists->nr ? lists->cpu[cpu] : NULL;

	return levels && levels->next < levels->nr ? &levels->level[levels->next++] : NULL;
}

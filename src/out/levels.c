/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of levels for each CPU. */
#include "out/levels.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define ROOM_FIRST 4096

void levels_fini(struct level_lists *lists)
{
	for (uint32_t i = 0; i < lists->nr; i++) {
		if (!lists->cpu[i])
			continue;
		free(lists->cpu[i]->level);
		free(lists->cpu[i]->seen);
		free(lists->cpu[i]);
	}
	free(lists->cpu);
	*lists = (struct level_lists){0};
}

struct levels *levels_of(struct level_lists *lists, uint32_t cpu)
{
	if (__builtin_expect(cpu < lists->nr && lists->cpu[cpu] != NULL, 1))
		return lists->cpu[cpu];
	if (cpu >= lists->nr) {
		lists->cpu = xrealloc(lists->cpu, (cpu + 1) * sizeof(*lists->cpu));
		memset(lists->cpu + lists->nr, 0, (cpu + 1 - lists->nr) * sizeof(*lists->cpu));
		lists->nr = cpu + 1;
	}
	lists->cpu[cpu] = xzalloc_apart(sizeof(**lists->cpu));
	return lists->cpu[cpu];
}

static void grow(struct levels *levels)
{
	size_t room = levels->room ? levels->room * 2 : ROOM_FIRST;

	levels->level = xrealloc(levels->level, room * sizeof(*levels->level));
	levels->seen = xrealloc(levels->seen, (room + LEVELS_AHEAD) * sizeof(*levels->seen));
	memset(levels->seen + levels->nr, 0,
	       (room + LEVELS_AHEAD - levels->nr) * sizeof(*levels->seen));
	levels->room = room;
}

void levels_add(struct levels *levels, uint32_t level, uint16_t seen)
{
	if (__builtin_expect(levels->nr == levels->room, 0))
		grow(levels);
	levels->seen[levels->nr] = seen;
	levels->level[levels->nr++] = level;
}

void levels_rewind(struct level_lists *lists, bool forget)
{
	for (uint32_t i = 0; i < lists->nr; i++) {
		if (!lists->cpu[i])
			continue;
		lists->cpu[i]->next = 0;
		if (forget)
			lists->cpu[i]->nr = 0;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of levels for each CPU. */
#include "out/levels.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define ROOM_FIRST 4096

struct level_lists *level_lists_new(void)
{
	return xzalloc_apart(sizeof(struct level_lists));
}

void level_lists_free(struct level_lists *lists)
{
	if (!lists)
		return;
	for (uint32_t i = 0; i < lists->nr; i++) {
		if (lists->cpu[i])
			free(lists->cpu[i]->level);
		free(lists->cpu[i]);
	}
	free(lists->cpu);
	free(lists);
}

struct levels *levels_new_of(struct level_lists *lists, uint32_t cpu)
{
	if (cpu >= lists->nr) {
		lists->cpu = xrealloc(lists->cpu, (cpu + 1) * sizeof(*lists->cpu));
		memset(lists->cpu + lists->nr, 0, (cpu + 1 - lists->nr) * sizeof(*lists->cpu));
		lists->nr = cpu + 1;
	}
	lists->cpu[cpu] = xzalloc_apart(sizeof(**lists->cpu));
	return lists->cpu[cpu];
}

void levels_grow(struct levels *levels)
{
	levels->room = levels->room ? levels->room * 2 : ROOM_FIRST;
	levels->level = xrealloc(levels->level, levels->room * sizeof(*levels->level));
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

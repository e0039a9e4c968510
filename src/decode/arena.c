/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for the many small parts of one event type, freed in one go. */
#include "decode/arena.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define BLOCK_ROOM 4000
#define ALIGN (sizeof(void *) * 2)

struct arena_block {
	struct arena_block *next;
	_Alignas(sizeof(void *) * 2) char data[];
};

static void add_block(struct arena *arena, size_t room)
{
	struct arena_block *block = xzalloc(sizeof(*block) + room);

	block->next = arena->block;
	arena->block = block;
	arena->used = 0;
	arena->room = room;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *p;

	size = (size + ALIGN - 1) & ~(ALIGN - 1);
	if (arena->room - arena->used < size)
		add_block(arena, size > BLOCK_ROOM ? size : BLOCK_ROOM);
	p = arena->block->data + arena->used;
	arena->used += size;
	return p;
}

char *arena_text(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

void arena_fini(struct arena *arena)
{
	struct arena_block *block = arena->block;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	*arena = (struct arena){0};
}

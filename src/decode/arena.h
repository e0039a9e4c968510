/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for the many small parts of one event type, freed in one go. */
#pragma once

#include <stddef.h>

struct arena_block;

/* All zero is an empty one. */
struct arena {
	struct arena_block *block;
	size_t used;
	size_t room;
};

/* Zeroed and aligned for any type; lives until arena_fini(). */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy that ends in NUL. */
char *arena_text(struct arena *arena, const char *text, size_t len);
void arena_fini(struct arena *arena);

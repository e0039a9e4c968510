/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from bytes to a pointer, in the order of insertion. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct keymap_entry {
	void *value;
	uint64_t hash;
	size_t len;
	char key[];
};

/* All zero is an empty one. */
struct keymap {
	struct keymap_entry **entry; /* nr of them; owned, their values are not */
	size_t nr;
	size_t room;
	uint32_t *slot; /* index + 1 into entry; 0 is empty */
	size_t nr_slots;
};

/* Where the value of @key is; NULL is its value when it is new. Valid until keymap_fini(). */
void **keymap_at(struct keymap *map, const void *key, size_t len);
void keymap_fini(struct keymap *map);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open addressing over entries that stay where they are. */
#include "util/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define FIRST_SLOTS 64

/* FNV-1a, with the high bits mixed into the low ones, which choose the slot. */
static uint64_t hash_bytes(const void *key, size_t len)
{
	const unsigned char *at = key;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

static void put_slot(struct keymap *map, uint64_t hash, size_t index)
{
	size_t at = hash & (map->nr_slots - 1);

	while (map->slot[at])
		at = (at + 1) & (map->nr_slots - 1);
	map->slot[at] = (uint32_t)index + 1;
}

static void grow(struct keymap *map)
{
	map->nr_slots = map->nr_slots ? map->nr_slots * 2 : FIRST_SLOTS;
	free(map->slot);
	map->slot = xcalloc(map->nr_slots, sizeof(*map->slot));
	for (size_t i = 0; i < map->nr; i++)
		put_slot(map, map->entry[i]->hash, i);
}

static struct keymap_entry *find(const struct keymap *map, const void *key, size_t len,
				 uint64_t hash)
{
	if (!map->nr_slots)
		return NULL;
	for (size_t at = hash & (map->nr_slots - 1); map->slot[at];
	     at = (at + 1) & (map->nr_slots - 1)) {
		struct keymap_entry *entry = map->entry[map->slot[at] - 1];

		if (entry->hash == hash && entry->len == len && !memcmp(entry->key, key, len))
			return entry;
	}
	return NULL;
}

void **keymap_at(struct keymap *map, const void *key, size_t len)
{
	uint64_t hash = hash_bytes(key, len);
	struct keymap_entry *entry = find(map, key, len, hash);

	if (entry)
		return &entry->value;
	if (map->nr == map->room) {
		map->room = map->room ? map->room * 2 : FIRST_SLOTS;
		map->entry = xrealloc(map->entry, map->room * sizeof(struct keymap_entry *));
	}
	entry = xmalloc(sizeof(*entry) + len);
	*entry = (struct keymap_entry){.hash = hash, .len = len};
	memcpy(entry->key, key, len);
	map->entry[map->nr++] = entry;
	if (map->nr * 4 > map->nr_slots * 3)
		grow(map);
	else
		put_slot(map, hash, map->nr - 1);
	return &entry->value;
}

void keymap_fini(struct keymap *map)
{
	for (size_t i = 0; i < map->nr; i++)
		free(map->entry[i]);
	free(map->entry);
	free(map->slot);
	*map = (struct keymap){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the symbols are that do not fit in one place, and new ones. */
#include "out/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void symbol_cache_init(struct symbol_cache *cache)
{
	*cache = (struct symbol_cache){
		.place = xcalloc(SYMBOL_CACHE_SLOTS, sizeof(*cache->place)),
		.seen = xcalloc(SYMBOL_CACHE_MOST + 1, sizeof(*cache->seen)),
	};
}

void symbol_cache_fini(struct symbol_cache *cache)
{
	free(cache->place);
	free(cache->seen);
	*cache = (struct symbol_cache){0};
}

struct seen_symbol *symbol_cache_search(struct symbol_cache *cache, uint64_t addr)
{
	size_t at = symbol_cache_hash(addr);

	while (cache->place[at] && cache->seen[cache->place[at]].addr != addr)
		at = (at + 1) % SYMBOL_CACHE_SLOTS;
	if (cache->place[at])
		return &cache->seen[cache->place[at]];
	if (cache->nr == SYMBOL_CACHE_MOST) {
		memset(cache->place, 0, SYMBOL_CACHE_SLOTS * sizeof(*cache->place));
		cache->nr = 0;
		at = symbol_cache_hash(addr);
	}
	cache->place[at] = (uint16_t)++cache->nr;
	cache->seen[cache->nr] = (struct seen_symbol){.addr = addr};
	return &cache->seen[cache->nr];
}

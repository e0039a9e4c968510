/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of addresses that lines have named: side by side in memory in the order in which they came, since a table
 * strewn with them does not stay in the processor's caches beside the text. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SYMBOL_CACHE_BITS 14
#define SYMBOL_CACHE_SLOTS (1u << SYMBOL_CACHE_BITS)
/* When so many are there, they are forgotten. */
#define SYMBOL_CACHE_MOST (SYMBOL_CACHE_SLOTS / 4 * 3)

struct seen_symbol {
	uint64_t addr;
	const char *name; /* NULL until the owner of the cache has filled in what follows */
	uint32_t len;
	uint32_t id; /* for the indentation */
};

struct symbol_cache {
	uint16_t *place; /* by hash: which of the symbols, counted from 1; 0 where there is none */
	struct seen_symbol *seen; /* [0] is not used */
	uint32_t nr;
};

void symbol_cache_init(struct symbol_cache *cache);
void symbol_cache_fini(struct symbol_cache *cache);
/* For an address that is not at its first place: finds or adds it. Symbols got before may be gone. */
struct seen_symbol *symbol_cache_search(struct symbol_cache *cache, uint64_t addr);

static inline size_t symbol_cache_hash(uint64_t addr)
{
	return addr * 0x9e3779b97f4a7c15u >> (64 - SYMBOL_CACHE_BITS);
}

/* The symbol of @addr, new ones without name. It stays until the next call. */
static inline struct seen_symbol *symbol_cache_get(struct symbol_cache *cache, uint64_t addr)
{
	size_t place = cache->place[symbol_cache_hash(addr)];

	if (__builtin_expect(place && cache->seen[place].addr == addr, 1))
		return &cache->seen[place];
	return symbol_cache_search(cache, addr);
}

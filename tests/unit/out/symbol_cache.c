/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by address, and what happens when there are too many. */
#include "../test.h"

#include "out/levels.h"
#include "out/symbol_cache.h"

static void fill(struct symbol_cache *cache, uint64_t first, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct seen_symbol *symbol = symbol_cache_get(cache, first + i);

		assert_null(symbol->name);
		symbol->name = "name";
		symbol->len = i;
	}
}

static void finds_each_again(void **state)
{
	struct symbol_cache cache;

	(void)state;
	symbol_cache_init(&cache);
	/* 0 is an address as any other. */
	fill(&cache, 0, SYMBOL_CACHE_MOST);
	for (uint32_t i = 0; i < SYMBOL_CACHE_MOST; i++) {
		const struct seen_symbol *symbol = symbol_cache_get(&cache, i);

		assert_int_equal(symbol->addr, i);
		assert_int_equal(symbol->len, i);
	}
	symbol_cache_fini(&cache);
}

static void forgets_all_when_full(void **state)
{
	struct symbol_cache cache;

	(void)state;
	symbol_cache_init(&cache);
	fill(&cache, 1000, SYMBOL_CACHE_MOST);
	/* None is left, neither the first nor the last. */
	fill(&cache, 1000 + SYMBOL_CACHE_MOST, 1);
	fill(&cache, 1000, 1);
	fill(&cache, 1000 + SYMBOL_CACHE_MOST - 1, 1);
	assert_int_equal(cache.nr, 3);
	symbol_cache_fini(&cache);
}

static void gives_levels_in_order(void **state)
{
	struct symbol_cache cache;
	struct level_lists lists = {0};
	const struct seen_symbol *symbol = NULL;
	uint32_t level = 0;

	(void)state;
	symbol_cache_init(&cache);
	fill(&cache, 0xffffffff81000000, 3);
	assert_false(levels_next(&lists, 1, &cache, &level, &symbol));
	for (uint32_t i = 0; i < 10000; i++)
		levels_add(levels_of(&lists, 1), i, (uint16_t)(i % 3 + 1));
	assert_false(levels_next(&lists, 0, &cache, &level, &symbol));
	for (uint32_t i = 0; i < 10000; i++) {
		assert_true(levels_next(&lists, 1, &cache, &level, &symbol));
		assert_int_equal(level, i);
		assert_int_equal(symbol->addr, 0xffffffff81000000 + i % 3);
	}
	assert_false(levels_next(&lists, 1, &cache, &level, &symbol));
	levels_rewind(&lists, false);
	assert_true(levels_next(&lists, 1, &cache, &level, &symbol));
	assert_int_equal(level, 0);
	levels_rewind(&lists, true);
	assert_false(levels_next(&lists, 1, &cache, &level, &symbol));
	levels_fini(&lists);
	symbol_cache_fini(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_again),
		cmocka_unit_test(forgets_all_when_full),
		cmocka_unit_test(gives_levels_in_order),
	};

	return cmocka_run_group_tests_name("symbol-cache", tests, NULL, NULL);
}

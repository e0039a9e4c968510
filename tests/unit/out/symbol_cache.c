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
	struct level_lists *lists = level_lists_new();

	(void)state;
	assert_null(levels_next(lists, 1));
	for (uint32_t i = 0; i < 10000; i++)
		levels_add(levels_of(lists, 1), i, i % 3);
	assert_null(levels_next(lists, 0));
	for (uint32_t i = 0; i < 10000; i++) {
		const struct level *level = levels_next(lists, 1);

		assert_non_null(level);
		assert_int_equal(level->level, i);
		assert_int_equal(level->name, i % 3);
	}
	assert_null(levels_next(lists, 1));
	levels_rewind(lists, false);
	assert_int_equal(levels_next(lists, 1)->level, 0);
	assert_int_equal(levels_next(lists, 1)->level, 1);
	levels_rewind(lists, true);
	assert_null(levels_next(lists, 1));
	level_lists_free(lists);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles, spread, and what losses make of pairs. */
#include "report/stats.h"

#include "../test.h"

static void ranks(void **state)
{
	uint64_t value[200];

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		value[i] = i + 1;
	/* ceil(p / 100 * n), counted from 1. */
	assert_int_equal(stats_rank(value, 0, 50), 0);
	assert_int_equal(stats_rank(value, 1, 1), 1);
	assert_int_equal(stats_rank(value, 1, 99), 1);
	assert_int_equal(stats_rank(value, 2, 50), 1);
	assert_int_equal(stats_rank(value, 2, 51), 2);
	assert_int_equal(stats_rank(value, 3, 50), 2);
	assert_int_equal(stats_rank(value, 10, 90), 9);
	assert_int_equal(stats_rank(value, 10, 91), 10);
	assert_int_equal(stats_rank(value, 100, 99), 99);
	assert_int_equal(stats_rank(value, 101, 99), 100);
	assert_int_equal(stats_rank(value, 200, 50), 100);
	assert_int_equal(stats_rank(value, 200, 100), 200);
}

static void numbers(void **state)
{
	uint64_t value[] = {9, 2, 4, 4, 5, 4, 5, 7};
	struct stats stats;

	(void)state;
	stats_of(value, 8, &stats);
	assert_int_equal(stats.count, 8);
	assert_int_equal(stats.total, 40);
	assert_int_equal(stats.min, 2);
	assert_int_equal(stats.max, 9);
	assert_int_equal(stats.p50, 4);
	assert_int_equal(stats.p90, 9);
	assert_true(stats.mean == 5.0);
	assert_true(stats.stddev == 2.0);
	stats_of(value, 0, &stats);
	assert_int_equal(stats.count, 0);
	assert_int_equal(stats.max, 0);
}

static void buckets(void **state)
{
	(void)state;
	assert_int_equal(stats_bucket(0), 0);
	assert_int_equal(stats_bucket(1), 1);
	assert_int_equal(stats_bucket(2), 2);
	assert_int_equal(stats_bucket(3), 2);
	assert_int_equal(stats_bucket(4), 3);
	assert_int_equal(stats_bucket(1023), 10);
	assert_int_equal(stats_bucket(1024), 11);
	assert_int_equal(stats_bucket(UINT64_MAX), 64);
}

/* CPU 0 loses between 20 and 50, CPU 1 between 40 and 60, CPU 2 before 5 and behind 90. */
static void losses(void **state)
{
	struct gaps gaps = {0};

	(void)state;
	gaps_see(&gaps, 2, 5, -1);
	gaps_see(&gaps, 0, 20, 0);
	gaps_see(&gaps, 1, 40, 0);
	gaps_see(&gaps, 0, 50, 7);
	gaps_see(&gaps, 1, 60, 1);
	gaps_see(&gaps, 2, 90, 0);
	gaps_end(&gaps, 90);
	gaps_finish(&gaps);
	assert_int_equal(gaps.nr, 3);
	assert_true(gaps_overlap(&gaps, 1, 2));
	assert_true(gaps_overlap(&gaps, 4, 6));
	assert_false(gaps_overlap(&gaps, 5, 20));
	assert_true(gaps_overlap(&gaps, 19, 21));
	assert_true(gaps_overlap(&gaps, 30, 31));
	assert_true(gaps_overlap(&gaps, 59, 70));
	assert_false(gaps_overlap(&gaps, 60, 90));
	assert_true(gaps_overlap(&gaps, 10, 80));
	assert_true(gaps_overlap(&gaps, 89, 91));
	gaps_fini(&gaps);
}

static void split(void **state)
{
	struct pairs pairs = {0};
	struct gaps gaps = {0};

	(void)state;
	gaps_see(&gaps, 0, 20, 0);
	gaps_see(&gaps, 0, 30, 1);
	gaps_finish(&gaps);
	pairs_add(&pairs, 10, 25, 1);
	pairs_add(&pairs, 5, 15, 2);
	pairs_add(&pairs, 22, 23, 3);
	pairs_add(&pairs, 30, 40, 4);
	assert_int_equal(pairs_split(&pairs, &gaps), 2);
	assert_int_equal(pairs.nr, 4);
	assert_int_equal(pairs.pair[0].extra, 2);
	assert_int_equal(pairs.pair[1].extra, 4);
	pairs_fini(&pairs);
	gaps_fini(&gaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),  cmocka_unit_test(numbers), cmocka_unit_test(buckets),
		cmocka_unit_test(losses), cmocka_unit_test(split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, durations and CPU lists as people type them. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "util/mem.h"
#include "util/str.h"

struct amount {
	const char *text;
	int64_t value; /* -1: refused */
};

static void test_sizes(void **state)
{
	static const struct amount cases[] = {
		{"1", 1024},
		{"1k", 1024},
		{"1KiB", 1024},
		{"4M", 4194304},
		{"1.5g", 1610612736},
		{"10b", 10},
		{"0", 0},
		{"", -1},
		{"x", -1},
		{"1x", -1},
		{"-1", -1},
		{"1e3", -1},
		{"0x10", -1},
		{"nan", -1},
		{"1 2", -1},
		{"99999999999999999999", -1},
		{"18446744073709551615", -1},
		{".", -1},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		uint64_t got = 0;
		int r = parse_size(cases[i].text, true, &got, NULL);

		if (cases[i].value < 0)
			assert_true(r < 0);
		else
			assert_true(r == 0 && got == (uint64_t)cases[i].value);
	}
}

static void test_durations(void **state)
{
	static const struct amount cases[] = {
		{"1", 1000000000},
		{"1.5s", 1500000000},
		{"200ms", 200000000},
		{"3us", 3000},
		{"7ns", 7},
		{"1700000000.123456789", 1700000000123456789},
		{"0.0000000005", 1},
		{"0.00000000049", 0},
		{".5", 500000000},
		{"9223372036.854775807", INT64_MAX},
		{"9223372036.854775808", -1},
		{"99999999999999999999", -1},
		{"2m", 120000000000},
		{"", -1},
		{"s", -1},
		{"1y", -1},
		{"-1s", -1},
		{"1e30", -1},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		uint64_t got = 0;
		int r = parse_duration(cases[i].text, &got, NULL);

		if (cases[i].value < 0)
			assert_true(r < 0);
		else
			assert_true(r == 0 && got == (uint64_t)cases[i].value);
	}
}

static void test_cpulists(void **state)
{
	cleanup_free unsigned int *cpus = NULL;
	size_t nr;

	(void)state;
	assert_int_equal(parse_cpulist("3,0-1,1", &cpus, &nr, NULL), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[2], 3);
	assert_true(parse_cpulist("2-1", &cpus, &nr, NULL) < 0);
	assert_true(parse_cpulist("", &cpus, &nr, NULL) < 0);
	assert_true(parse_cpulist("a", &cpus, &nr, NULL) < 0);
	assert_true(parse_cpulist("0-99999999", &cpus, &nr, NULL) < 0);
}

static void test_formats(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(format_bytes(812, buf, sizeof(buf)), "812 B");
	assert_string_equal(format_bytes(1572864, buf, sizeof(buf)), "1.5 MiB");
	assert_string_equal(format_count(1234567, buf, sizeof(buf)), "1,234,567");
	assert_string_equal(format_count(0, buf, sizeof(buf)), "0");
	assert_string_equal(format_count(UINT64_MAX, buf, sizeof(buf)),
			    "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_cpulists),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}

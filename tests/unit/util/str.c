/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of strings, globs and near names. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "util/mem.h"
#include "util/str.h"

static void check_near(const char *wrong, const char *want)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;

	strv_split(&names,
		   "sched_switch sched_wakeup sched_waking finish_task_switch.isra.0 vfs_read",
		   " ");
	near = near_names(wrong, &names);
	assert_string_equal(near, want);
}

static void test_near_names(void **state)
{
	(void)state;
	check_near("sched_swich", " (did you mean sched_switch?)");
	check_near("SCHED_SWITCH", " (did you mean sched_switch?)");
	check_near("vfs_raed", " (did you mean vfs_read?)");
	check_near("finish_task_switch", " (did you mean finish_task_switch.isra.0?)");
	check_near("sched_wakin", " (did you mean sched_waking or sched_wakeup?)");
	check_near("completely_else", "");
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(edit_distance("abc", "abc"), 0);
	assert_int_equal(edit_distance("abc", "acb"), 2);
	assert_int_equal(edit_distance("abc", "Abc"), 1);
	assert_int_equal(edit_distance("", "abc"), 6);
	assert_int_equal(edit_distance("kitten", "sitting"), 6);
}

static void test_split_join(void **state)
{
	cleanup(strv_fini) struct strv v = {0};
	cleanup_free char *joined = NULL;

	(void)state;
	strv_split(&v, ",b,,a,b", ",");
	strv_sort(&v);
	strv_uniq(&v);
	joined = strv_join(&v, "+");
	assert_string_equal(joined, "a+b");
	assert_null(v.item[v.nr]);
}

static void test_lines(void **state)
{
	char text[] = "one\n\nthree";
	char *at = text;

	(void)state;
	assert_string_equal(str_next_line(&at), "one");
	assert_string_equal(str_next_line(&at), "");
	assert_string_equal(str_next_line(&at), "three");
	assert_null(str_next_line(&at));
}

static void test_globs(void **state)
{
	(void)state;
	assert_true(glob_matches("sched_*", "sched_switch"));
	assert_false(glob_matches("sched_", "sched_switch"));
	assert_true(glob_matches("*[ab]", ".hidden/a"));
	assert_true(is_glob("a?") && is_glob("[a]") && !is_glob("plain"));
}

static void test_utf8_length(void **state)
{
	(void)state;
	assert_int_equal(str_utf8_length("a", 1), 1);
	assert_int_equal(str_utf8_length("\xe2\x82\xac", 3), 3);
	/* A whole character, of which the text has only a part. */
	assert_int_equal(str_utf8_length("\xe2\x82\xac", 2), 0);
	assert_int_equal(str_utf8_length("\xed\xa0\x80", 3), 0);
	assert_int_equal(str_utf8_length("\xc0\x80", 2), 0);
	assert_true(str_is_high_control("\xc2\x9b", 2));
	assert_false(str_is_high_control("\xc2\xa0", 2));
	assert_false(str_is_high_control("\xc2\x9b", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_names), cmocka_unit_test(test_distance),
		cmocka_unit_test(test_split_join), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_globs),	   cmocka_unit_test(test_utf8_length),
	};

	return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}

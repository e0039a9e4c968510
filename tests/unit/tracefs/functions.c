/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of functions, small and large. */

#include "tests/unit/tracefs/fake.h"

#define LIST "available_filter_functions"

static int setup(void **state)
{
	struct fake *fake = xzalloc(sizeof(*fake));

	fake_open(fake);
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	fake_close(*state);
	free(*state);
	return 0;
}

static void write_small(struct fake *fake)
{
	fake_write(fake, LIST,
		   "vfs_write\nvfs_read\n__ftrace_invalid_address___64\nvfs_read\n"
		   "finish_task_switch.isra.0\next4_iget\t[ext4]\next4_sync_fs\t[ext4]\n"
		   "xfs_iget [xfs]");
}

static size_t count(struct fake *fake, const char *pattern)
{
	struct err err = {0};
	size_t nr = 0;

	if (tfs_match_functions(fake->tfs, pattern, &nr, &err) < 0)
		fail_msg("%s", err.text);
	return nr;
}

static void check_none(struct fake *fake, const char *pattern, int code, const char *want)
{
	struct err err = {0};
	size_t nr = 7;

	assert_int_equal(tfs_match_functions(fake->tfs, pattern, &nr, &err), -code);
	assert_string_equal(err.text, want);
	assert_int_equal(nr, 0);
}

static void test_list(void **state)
{
	struct fake *fake = *state;
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *all = NULL;

	write_small(fake);
	assert_int_equal(tfs_functions(fake->tfs, &names, NULL), 0);
	all = strv_join(&names, ",");
	assert_string_equal(all, "ext4_iget [ext4],ext4_sync_fs [ext4],finish_task_switch.isra.0,"
				 "vfs_read,vfs_write,xfs_iget [xfs]");
}

static void test_match(void **state)
{
	struct fake *fake = *state;

	write_small(fake);
	assert_int_equal(count(fake, "vfs_read"), 1);
	assert_int_equal(count(fake, "ext4_iget"), 1);
	assert_int_equal(count(fake, "xfs_iget"), 1);
	assert_int_equal(count(fake, "vfs_*"), 2);
	assert_int_equal(count(fake, "*iget"), 2);
	assert_int_equal(count(fake, ":mod:ext4"), 2);
	assert_int_equal(count(fake, "*iget:mod:ext4"), 1);
	assert_int_equal(count(fake, "ext4_iget:mod:*"), 1);
}

static void test_no_match(void **state)
{
	struct fake *fake = *state;

	write_small(fake);
	check_none(fake, "vfs_raed", ENOENT,
		   "no function vfs_raed can be traced (did you mean vfs_read?)");
	check_none(fake, "finish_task_switch", ENOENT,
		   "no function finish_task_switch can be traced (did you mean "
		   "finish_task_switch.isra.0?)");
	check_none(fake, "no*", ENOENT, "no function matches 'no*'");
	check_none(fake, ":mod:ext5", ENOENT,
		   "no function matches ':mod:ext5': no module ext5 has any (did you mean ext4?)");
	check_none(fake, "", EINVAL, "the name of a function cannot be empty");
	check_none(fake, "a b", EINVAL, "'a b' is no function name: it holds a blank");
	check_none(fake, "vfs_read:traceoff", EINVAL,
		   "'vfs_read:traceoff' is no function name (only :mod: may follow one)");
	check_none(fake, ":mod:", EINVAL, "':mod:' names no module");
}

/* Names become the numbers of their lines, each as often as it is called so, or once. */
static void test_numbers(void **state)
{
	struct fake *fake = *state;
	static const struct {
		const char *tokens;
		bool exact;
		const char *want;
	} cases[] = {
		{"vfs_read twice", false, "1 2 4 5"},
		{"twice", true, "2"},
		{"twice twice", true, "2 4"},
		{"twice:mod:ext4", true, "5"},
		{"twice:mod:ext4 nosuch vfs_* !vfs_read", false, "5 nosuch vfs_* !vfs_read"},
	};

	fake_write(fake, LIST, "vfs_read\ntwice\nother\ntwice\ntwice\t[ext4]\n");
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup(strv_fini) struct strv tokens = {0};
		cleanup(tfs_numbered_fini) struct tfs_numbered out = {0};
		cleanup_free char *got = NULL;

		strv_split(&tokens, cases[i].tokens, " ");
		assert_true(tfs_number_functions(fake->dir, &tokens, cases[i].exact, &out));
		got = strv_join(&out.tokens, " ");
		assert_string_equal(got, cases[i].want);
	}
}

/* Lines that straddle the chunks of the reader, and one without its newline. */
static void test_large(void **state)
{
	struct fake *fake = *state;
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strv_fini) struct strv names = {0};

	for (int i = 0; i < 72000; i++)
		strbuf_addf(&text, i == 71999 ? "function_number_%05d" : "function_number_%05d\n",
			    i);
	fake_write(fake, LIST, text.text);
	assert_int_equal(tfs_functions(fake->tfs, &names, NULL), 0);
	assert_int_equal(names.nr, 72000);
	for (int i = 0; i < 72000; i++)
		assert_int_equal(atoi(names.item[i] + strlen("function_number_")), i);
	assert_int_equal(count(fake, "function_number_71999"), 1);
	assert_int_equal(count(fake, "*7"), 7200);
}

static void test_long_line(void **state)
{
	struct fake *fake = *state;
	cleanup_free char *text = xzalloc(200001);
	cleanup(strv_fini) struct strv names = {0};

	memset(text, 'x', 200000);
	fake_write(fake, LIST, text);
	assert_int_equal(tfs_functions(fake->tfs, &names, NULL), 0);
	assert_true(names.nr >= 1);
}

static void test_missing(void **state)
{
	struct fake *fake = *state;
	cleanup_free char *path = xasprintf("%s/" LIST, fake->dir);
	cleanup_free char *want = xasprintf("this kernel cannot choose functions: there is no %s"
					    " (CONFIG_DYNAMIC_FTRACE)",
					    path);

	unlink(path);
	check_none(fake, "vfs_read", ENOENT, want);
	check_none(fake, "vfs_*", ENOENT, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),	 cmocka_unit_test(test_match),
		cmocka_unit_test(test_no_match), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_large),	 cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("functions", tests, setup, teardown);
}

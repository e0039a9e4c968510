/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing of files, the short lists, instances' names, the counters. */
#include "tests/unit/tracefs/fake.h"
#include "tracefs/private.h"

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

static void check_list(const struct strv *list, const char *want)
{
	cleanup_free char *all = strv_join(list, " ");

	assert_string_equal(all, want);
}

static void test_lists(void **state)
{
	struct fake *fake = *state;
	cleanup(strv_fini) struct strv tracers = {0};
	cleanup(strv_fini) struct strv clocks = {0};
	cleanup(strv_fini) struct strv options = {0};
	cleanup_free char *current = NULL;

	fake_write(fake, "available_tracers", "wakeup function nop\n");
	fake_write(fake, "trace_clock", "local global [mono] x86-tsc\n");
	fake_write(fake, "trace_options", "print-parent\nnosym-offset\nnoblock\n");
	assert_int_equal(tfs_tracers(fake->tfs, &tracers, NULL), 0);
	check_list(&tracers, "function nop wakeup");
	assert_int_equal(tfs_clocks(fake->tfs, &clocks, &current, NULL), 0);
	check_list(&clocks, "global local mono x86-tsc");
	assert_string_equal(current, "mono");
	assert_int_equal(tfs_options(fake->tfs, &options, NULL), 0);
	check_list(&options, "block print-parent sym-offset");
}

static void test_numbers(void **state)
{
	struct fake *fake = *state;
	struct err err = {0};
	long n = 0;

	fake_write(fake, "a", "42\n");
	assert_int_equal(tfs_read_number(fake->tfs, "a", &n, &err), 0);
	assert_int_equal(n, 42);
	fake_write(fake, "a", "7 (expanded: 1408)\n");
	assert_int_equal(tfs_read_number(fake->tfs, "a", &n, &err), 0);
	assert_int_equal(n, 7);
	fake_write(fake, "a", "X\n");
	assert_int_equal(tfs_read_number(fake->tfs, "a", &n, &err), -EPROTO);
	assert_string_equal(err.text, "a holds 'X', not a number");
	assert_int_equal(tfs_read_number(fake->tfs, "none", &n, &err), -ENOENT);
}

static void test_write(void **state)
{
	struct fake *fake = *state;
	cleanup_free char *text = NULL;
	struct err err = {0};

	fake_write(fake, "b", "before\n");
	assert_int_equal(tfs_write(fake->tfs, "b", "x", 0, &err), 0);
	assert_int_equal(tfs_read_line(fake->tfs, "b", &text, &err), 0);
	assert_string_equal(text, "xefore");
	assert_int_equal(tfs_write(fake->tfs, "b", "", TFS_TRUNCATE, &err), 0);
	free(take_ptr(text));
	assert_int_equal(tfs_read(fake->tfs, "b", &text, &err), 0);
	assert_string_equal(text, "");
	assert_int_equal(tfs_write(fake->tfs, "none", "x", 0, &err), -ENOENT);
}

static void test_instance_names(void **state)
{
	char longest[256 + 1];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[255] = '\0';
	assert_int_equal(tfs_check_instance_name("a b-c.d", NULL), 0);
	assert_int_equal(tfs_check_instance_name(longest, NULL), 0);
	longest[255] = 'x';
	longest[256] = '\0';
	assert_int_equal(tfs_check_instance_name(longest, NULL), -ENAMETOOLONG);
	assert_int_equal(tfs_check_instance_name("", NULL), -EINVAL);
	assert_int_equal(tfs_check_instance_name(".", NULL), -EINVAL);
	assert_int_equal(tfs_check_instance_name("..", NULL), -EINVAL);
	assert_int_equal(tfs_check_instance_name("../events/sched", NULL), -EINVAL);
	assert_int_equal(tfs_check_instance_name("a\nb", NULL), -EINVAL);
}

static void test_instances(void **state)
{
	struct fake *fake = *state;
	cleanup(tfs_freep) struct tfs *inst = NULL;
	cleanup(strv_fini) struct strv names = {0};
	struct err err = {0};

	assert_int_equal(tfs_instances(fake->tfs, &names, &err), -ENOENT);
	assert_int_equal(tfs_instance_create(fake->tfs, "one", &err), -ENOENT);
	fake_write(fake, "instances/one/current_tracer", "nop\n");
	assert_int_equal(tfs_instance_create(fake->tfs, "one", &err), -EEXIST);
	assert_int_equal(tfs_instances(fake->tfs, &names, &err), 0);
	check_list(&names, "one");
	assert_null(tfs_open_instance(fake->tfs, "onw", &err));
	assert_string_equal(err.text, "no instance 'onw' (did you mean one?)");
	inst = tfs_open_instance(fake->tfs, "one", &err);
	assert_non_null(inst);
	assert_string_equal(tfs_instance_name(inst), "one");
	assert_true(tfs_has(inst, "current_tracer"));
	assert_int_equal(tfs_instance_remove(fake->tfs, "two", &err), -ENOENT);
}

static void test_cpus(void **state)
{
	struct fake *fake = *state;
	cleanup_free unsigned int *cpus = NULL;
	struct tfs_cpu_stats stats;
	struct err err = {0};
	size_t nr;

	fake_write(fake, "per_cpu/cpu10/stats",
		   "entries: 5\noverrun: 3\ncommit overrun: 1\nbytes: 4096\n"
		   "oldest event ts:  2724.123456\nnow ts:  2725.1\ndropped events: 2\n"
		   "read events: 18446744073709551615\n");
	fake_write(fake, "per_cpu/cpu9/stats", "");
	fake_write(fake, "per_cpu/cpux/stats", "");
	assert_int_equal(tfs_cpus(fake->tfs, &cpus, &nr, &err), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(cpus[0], 9);
	assert_int_equal(cpus[1], 10);
	assert_int_equal(tfs_cpu_stats(fake->tfs, 10, &stats, &err), 0);
	assert_int_equal(stats.entries, 5);
	assert_int_equal(stats.overrun, 3);
	assert_int_equal(stats.commit_overrun, 1);
	assert_int_equal(stats.bytes, 4096);
	assert_int_equal(stats.dropped_events, 2);
	assert_true(stats.read_events == UINT64_MAX);
	assert_int_equal(tfs_cpu_stats(fake->tfs, 3, &stats, &err), -ENOENT);
}

static void test_no_directory(void **state)
{
	struct fake *fake = *state;
	cleanup_free char *file = xasprintf("%s/events", fake->dir);
	struct err err = {0};

	assert_null(tfs_open("/nonexistent", &err));
	assert_string_equal(err.text,
			    "no tracing directory /nonexistent: No such file or directory");
	mkdir(file, 0755);
	assert_null(tfs_open(file, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),	     cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_write),	     cmocka_unit_test(test_instance_names),
		cmocka_unit_test(test_instances),    cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests_name("names", tests, setup, teardown);
}

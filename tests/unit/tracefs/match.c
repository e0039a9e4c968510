/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names and patterns of events stand for. */
#include "tests/unit/tracefs/fake.h"

static int setup(void **state)
{
	struct fake *fake = xzalloc(sizeof(*fake));

	fake_open(fake);
	fake_write(fake, "available_events",
		   "sched:sched_wakeup\nsched:sched_switch\nkmem:kmalloc\nkmem:kfree\n"
		   "syscalls:sys_enter_read\nsyscalls:sys_exit_read\nthp:thp\n");
	fake_write(fake, "events/sched/sched_switch/enable", "0\n");
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	fake_close(*state);
	free(*state);
	return 0;
}

static void check_match(void **state, const char *pattern, const char *want)
{
	struct fake *fake = *state;
	cleanup(strv_fini) struct strv found = {0};
	cleanup_free char *all = NULL;
	struct err err = {0};

	assert_int_equal(tfs_match_events(fake->tfs, pattern, &found, &err), 0);
	all = strv_join(&found, " ");
	assert_string_equal(all, want);
}

static void check_none(void **state, const char *pattern, int code, const char *want)
{
	struct fake *fake = *state;
	cleanup(strv_fini) struct strv found = {0};
	struct err err = {0};

	assert_int_equal(tfs_match_events(fake->tfs, pattern, &found, &err), -code);
	assert_string_equal(err.text, want);
	assert_int_equal(found.nr, 0);
}

static void test_names(void **state)
{
	check_match(state, "sched:sched_switch", "sched:sched_switch");
	check_match(state, "kmem:kfree", "kmem:kfree");
	check_match(state, "kmalloc", "kmem:kmalloc");
	check_match(state, "sched", "sched:sched_switch sched:sched_wakeup");
	check_match(state, "sched:", "sched:sched_switch sched:sched_wakeup");
	check_match(state, "thp", "thp:thp");
}

static void test_globs(void **state)
{
	check_match(state, "kmem:k*", "kmem:kfree kmem:kmalloc");
	check_match(state, "*:*_read", "syscalls:sys_enter_read syscalls:sys_exit_read");
	check_match(state, "k*", "kmem:kfree kmem:kmalloc");
	check_match(state, "sys_e[nx]*", "syscalls:sys_enter_read syscalls:sys_exit_read");
	check_match(state, "?hp:*", "thp:thp");
}

static void test_near(void **state)
{
	check_none(state, "sched:sched_swich", ENOENT,
		   "no event sched:sched_swich (did you mean sched:sched_switch or "
		   "sched:sched_wakeup?)");
	check_none(state, "sysalls:sys_enter_exit", ENOENT,
		   "no event sysalls:sys_enter_exit: there is no event system sysalls (did you "
		   "mean syscalls?)");
	check_none(state, "sched:kmalloc", ENOENT,
		   "no event sched:kmalloc (did you mean kmem:kmalloc?)");
	check_none(state, "mm:kmalloc", ENOENT,
		   "no event mm:kmalloc: there is no event system mm (did you mean kmem:kmalloc?)");
	check_none(state, "kmaloc", ENOENT,
		   "no event or event system kmaloc (did you mean kmalloc?)");
	check_none(state, "x*", ENOENT, "no event matches 'x*'");
}

static void test_odd_input(void **state)
{
	check_none(state, "", EINVAL, "the name of an event cannot be empty");
	check_none(state, ":", EINVAL, "the name of an event cannot be empty");
	/* Not a way out of the directory. */
	check_none(state, "..:events", ENOENT, "no event ..:events: there is no event system ..");
	check_none(
		state, "sched/sched_switch:../..", ENOENT,
		"no event sched/sched_switch:../..: there is no event system sched/sched_switch");
}

/* Without available_events the directories tell; what has no switch is no event. */
static void test_walk(void **state)
{
	struct fake *fake = *state;
	cleanup_free char *list = xasprintf("%s/available_events", fake->dir);

	assert_int_equal(unlink(list), 0);
	fake_write(fake, "events/irq/softirq_entry/enable", "0\n");
	fake_write(fake, "events/ftrace/print/format", "\n");
	fake_write(fake, "events/enable", "0\n");
	check_match(state, "*", "irq:softirq_entry sched:sched_switch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_globs),
		cmocka_unit_test(test_near),  cmocka_unit_test(test_odd_input),
		cmocka_unit_test(test_walk),
	};

	return cmocka_run_group_tests_name("match", tests, setup, teardown);
}

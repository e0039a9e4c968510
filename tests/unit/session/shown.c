/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernels 4.19 to 6.18 show in their files, and what they take. */
#include "session/shown.h"

#include "tests/unit/test.h"
#include "util/mem.h"

struct pair {
	const char *shown;
	const char *want;
};

static void test_value(void **state)
{
	static const struct pair cases[] = {
		{"local [global] counter", "global"},
		{"7 (expanded: 1408)", "1408"},
		{"1410 (expanded: 1408)", "1408"},
		{"1*", "1"},
		{"0*", "0"},
		{"X", "X"},
		{"", ""},
		{"function_graph", "function_graph"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = shown_value(cases[i].shown);

		assert_string_equal(got, cases[i].want);
	}
}

static void test_action(void **state)
{
	static const struct pair cases[] = {
		{"stacktrace:unlimited", "stacktrace"},
		{"stacktrace:unlimited if pid == 1", "stacktrace if pid == 1"},
		{"traceon:count=3", "traceon:3"},
		{"traceon:count=3 if comm == \"a:unlimited\"",
		 "traceon:3 if comm == \"a:unlimited\""},
		{"vfs_mknod:traceoff:unlimited", "vfs_mknod:traceoff"},
		{"vfs_mknod:traceoff:count=2", "vfs_mknod:traceoff:2"},
		{"enable_event:sched:sched_switch:unlimited", "enable_event:sched:sched_switch"},
		{"hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]",
		 "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048"},
		{"hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 if pid > 1 [active]",
		 "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 if pid > 1"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = shown_action(cases[i].shown);

		assert_string_equal(got, cases[i].want);
	}
}

static void test_removal(void **state)
{
	static const struct pair cases[] = {
		{"stacktrace", "!stacktrace"},
		{"stacktrace if pid == 1", "!stacktrace"},
		{"traceon:3", "!traceon"},
		{"traceon:3 if a == 5", "!traceon"},
		{"vfs_mknod:traceoff:12", "!vfs_mknod:traceoff:12"},
		{"enable_event:syscalls:sys_enter_dup2", "!enable_event:syscalls:sys_enter_dup2"},
		{"enable_event:syscalls:sys_enter_dup2:4", "!enable_event:syscalls:sys_enter_dup2"},
		{"hist:keys=pid if pid > 1", "!hist:keys=pid if pid > 1"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = shown_action_removal(cases[i].shown);

		assert_string_equal(got, cases[i].want);
	}
}

static void test_compare(void **state)
{
	static const struct {
		const char *file;
		const char *wanted;
		const char *value;
		enum shown_match want;
	} cases[] = {
		{"current_tracer", "nop", "nop", SHOWN_SAME},
		{"current_tracer", "nop", "function", SHOWN_DIFFERS},
		{"buffer_size_kb", "1000", "1002", SHOWN_ROUNDED},
		{"per_cpu/cpu1/buffer_size_kb", "1000", "1002", SHOWN_ROUNDED},
		{"buffer_size_kb", "1000", "999", SHOWN_DIFFERS},
		{"buffer_size_kb", "1000", "X", SHOWN_DIFFERS},
		{"saved_cmdlines_size", "128", "6552", SHOWN_ROUNDED},
		{"buffer_percent", "50", "51", SHOWN_DIFFERS},
		{"max_graph_depth", "0x3", "3", SHOWN_SAME},
		{"tracing_cpumask", "3", "00000000,00000003", SHOWN_SAME},
		{"tracing_cpumask", "3", "1", SHOWN_DIFFERS},
		{"instances/a/tracing_cpumask", "f0", "00f0", SHOWN_SAME},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++)
		assert_int_equal(shown_compare(cases[i].file, cases[i].wanted, cases[i].value),
				 cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_action),
		cmocka_unit_test(test_removal),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests_name("shown", tests, NULL, NULL);
}

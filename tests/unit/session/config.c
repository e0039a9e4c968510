/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kind of tracer a name stands for, and the life time of a config. */
#include "session/config.h"

#include "tests/unit/test.h"
#include "util/mem.h"

static void test_function_tracers(void **state)
{
	(void)state;
	assert_true(is_function_tracer("function"));
	assert_true(is_function_tracer("function_graph"));
	assert_true(is_function_tracer("wakeup_rt"));
	assert_true(is_function_tracer("preemptirqsoff"));
	assert_false(is_function_tracer("nop"));
	assert_false(is_function_tracer("blk"));
	assert_false(is_function_tracer("hwlat"));
	assert_false(is_function_tracer("func"));
	assert_false(is_function_tracer(""));
	assert_false(is_function_tracer(NULL));
}

static void test_graph_tracers(void **state)
{
	(void)state;
	assert_true(is_graph_tracer("function_graph"));
	assert_false(is_graph_tracer("function"));
	assert_false(is_graph_tracer(NULL));
}

/* Twice, and on one that is empty. */
static void test_fini(void **state)
{
	struct trace_config config = {0};

	(void)state;
	trace_config_fini(&config);
	config.tracer = xstrdup("function");
	config.instance = xstrdup("mine");
	config.clock = xstrdup("mono");
	config.buffer_kb = 8;
	strv_add(&config.events, "sched:sched_switch");
	strv_add(&config.own_pids, "1");
	trace_config_fini(&config);
	assert_null(config.tracer);
	assert_int_equal(config.events.nr, 0);
	assert_int_equal(config.buffer_kb, 0);
	trace_config_fini(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function_tracers),
		cmocka_unit_test(test_graph_tracers),
		cmocka_unit_test(test_fini),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of writes for the usual wishes, as a dry run prints it. */
#include "session/steps.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/tracefs/fake.h"
#include "util/mem.h"

/* What must be there for a step that is optional to be printed. */
static const char *const usual_files[] = {
	"saved_cmdlines_size",
	"options/record-cmd",
	"options/record-tgid",
	"options/event-fork",
	"options/function-fork",
	"options/copy_trace_marker",
	"set_ftrace_filter",
	"set_ftrace_notrace",
	"set_graph_function",
	"set_graph_notrace",
	"max_graph_depth",
	"tracing_thresh",
	"set_event_pid",
	"set_event_notrace_pid",
	"set_ftrace_pid",
	"set_ftrace_notrace_pid",
	"events/sched/sched_switch/filter",
};

struct bed {
	struct fake fake;
	struct trace_config config;
	struct strv enabled;
	struct strv options;
};

static int setup(void **state)
{
	struct bed *bed = xzalloc(sizeof(*bed));

	fake_open(&bed->fake);
	for (size_t i = 0; i < array_size(usual_files); i++)
		fake_write(&bed->fake, usual_files[i], "");
	strv_split(&bed->options, "overwrite print-parent nonsense stacktrace", " ");
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	fake_close(&bed->fake);
	trace_config_fini(&bed->config);
	strv_fini(&bed->enabled);
	strv_fini(&bed->options);
	free(bed);
	return 0;
}

static void lack(const struct bed *bed, const char *file)
{
	cleanup_free char *path = xasprintf("%s/%s", bed->fake.dir, file);

	assert_int_equal(remove(path), 0);
}

/* @text with "@" for the directory. */
static char *expand(const struct bed *bed, const char *text)
{
	struct strbuf sb = {0};

	for (; *text; text++) {
		if (*text == '@')
			strbuf_add(&sb, bed->fake.dir);
		else
			strbuf_add_mem(&sb, text, 1);
	}
	return strbuf_take(&sb);
}

static char *printed(const struct bed *bed)
{
	const struct kernel_facts facts = {&bed->enabled, &bed->options, "3"};
	cleanup(steps_fini) struct steps steps = {0};
	struct strbuf out = {0};
	cleanup_free char *dir = bed->config.instance ? xasprintf("%s/instances/%s", bed->fake.dir,
								  bed->config.instance)
						      : xstrdup(bed->fake.dir);

	steps_build(&bed->config, &facts, &steps);
	steps_build_last(&bed->config, &steps);
	steps_build_start(&bed->config, &steps);
	steps_print(&steps, bed->fake.dir, dir, &out);
	return strbuf_take(&out);
}

static void check(const struct bed *bed, const char *want)
{
	cleanup_free char *got = printed(bed);
	cleanup_free char *wanted = expand(bed, want);

	assert_string_equal(got, wanted);
}

static void check_line(const struct bed *bed, const char *line, bool there)
{
	cleanup_free char *got = printed(bed);
	cleanup_free char *full = xasprintf("\n%s\n", line);
	cleanup_free char *wanted = expand(bed, full);

	if (!!strstr(got, wanted) != there)
		fail_msg("%s '%s' in:\n%s", there ? "no" : "there is", line, got);
}

static void test_events_at_the_top(void **state)
{
	struct bed *bed = *state;
	struct trace_config *config = &bed->config;

	config->clock = xstrdup("mono");
	config->buffer_kb = 1408;
	config->cmdlines = 4096;
	strv_add(&config->events, "sched:sched_switch");
	strv_add(&config->systems, "irq");
	strv_add(&config->pids, "$$");
	strv_add(&config->own_pids, "10");
	strv_add(&config->own_pids, "11");
	check(bed, "echo 0 > @/tracing_on\n"
		   "echo nop > @/current_tracer\n"
		   "echo 3 > @/tracing_cpumask\n"
		   "echo mono > @/trace_clock\n"
		   "echo 1408 > @/buffer_size_kb\n"
		   "echo 4096 > @/saved_cmdlines_size\n"
		   "echo 1 > @/options/record-cmd\n"
		   "echo 1 > @/options/record-tgid\n"
		   "echo 1 > @/options/event-fork\n"
		   ": > @/set_event_pid\n"
		   "echo $$ >> @/set_event_pid\n"
		   ": > @/set_event_notrace_pid\n"
		   "echo 10 >> @/set_event_notrace_pid\n"
		   "echo 11 >> @/set_event_notrace_pid\n"
		   "echo 0 > @/events/sched/sched_switch/filter\n"
		   "echo 0 > @/events/irq/filter\n"
		   "echo 1 > @/events/irq/enable\n"
		   "echo 1 > @/events/sched/sched_switch/enable\n"
		   ": > @/trace\n"
		   "echo 1 > @/tracing_on\n");
}

static void test_graph_at_the_top(void **state)
{
	struct bed *bed = *state;
	struct trace_config *config = &bed->config;

	config->tracer = xstrdup("function_graph");
	strv_add(&config->functions, "vfs_*");
	strv_add(&config->notrace, "vfs_write");
	strv_add(&config->graph, "do_sys_openat2");
	strv_add(&config->pids, "77");
	strv_add(&config->own_pids, "10");
	check(bed, "echo 0 > @/tracing_on\n"
		   "echo nop > @/current_tracer\n"
		   "echo 3 > @/tracing_cpumask\n"
		   "echo 1 > @/options/record-cmd\n"
		   "echo 1 > @/options/record-tgid\n"
		   "echo 1 > /proc/sys/kernel/ftrace_enabled\n"
		   ": > @/set_ftrace_filter\n"
		   "echo 'vfs_*' >> @/set_ftrace_filter\n"
		   ": > @/set_ftrace_notrace\n"
		   "echo vfs_write >> @/set_ftrace_notrace\n"
		   ": > @/set_graph_function\n"
		   "echo do_sys_openat2 >> @/set_graph_function\n"
		   ": > @/set_graph_notrace\n"
		   "echo 0 > @/max_graph_depth\n"
		   "echo 0 > @/tracing_thresh\n"
		   "echo 1 > @/options/function-fork\n"
		   ": > @/set_ftrace_pid\n"
		   "echo 77 >> @/set_ftrace_pid\n"
		   ": > @/set_ftrace_notrace_pid\n"
		   "echo 10 >> @/set_ftrace_notrace_pid\n"
		   "echo function_graph > @/current_tracer\n"
		   ": > @/trace\n"
		   "echo 1 > @/tracing_on\n");
}

/* The tracer comes last: what it would record before its filters are in place is not wanted. */
static void test_function_needs_no_graph_files(void **state)
{
	struct bed *bed = *state;

	bed->config.tracer = xstrdup("function");
	check(bed, "echo 0 > @/tracing_on\n"
		   "echo nop > @/current_tracer\n"
		   "echo 3 > @/tracing_cpumask\n"
		   "echo 1 > @/options/record-cmd\n"
		   "echo 1 > @/options/record-tgid\n"
		   "echo 1 > /proc/sys/kernel/ftrace_enabled\n"
		   ": > @/set_ftrace_filter\n"
		   ": > @/set_ftrace_notrace\n"
		   ": > @/set_ftrace_pid\n"
		   ": > @/set_ftrace_notrace_pid\n"
		   "echo function > @/current_tracer\n"
		   ": > @/trace\n"
		   "echo 1 > @/tracing_on\n");
}

/* An instance is new: nothing in it needs clearing, and nothing at the top is turned off. */
static void test_instance(void **state)
{
	struct bed *bed = *state;
	struct trace_config *config = &bed->config;

	config->instance = xstrdup("mine");
	config->clock = xstrdup("mono");
	config->cmdlines = 4096;
	strv_add(&config->events, "sched:sched_switch");
	strv_add(&config->own_pids, "10");
	strv_add(&bed->enabled, "kmem:kfree");
	lack(bed, "options/record-tgid");
	check(bed, "mkdir @/instances/mine\n"
		   "echo 0 > @/instances/mine/tracing_on\n"
		   "echo mono > @/instances/mine/trace_clock\n"
		   "if [ -e @/instances/mine/saved_cmdlines_size ]; "
		   "then echo 4096 > @/instances/mine/saved_cmdlines_size; "
		   "else echo 4096 > @/saved_cmdlines_size; fi\n"
		   "if [ -e @/instances/mine/options/record-cmd ]; "
		   "then echo 1 > @/instances/mine/options/record-cmd; "
		   "else echo 1 > @/options/record-cmd; fi\n"
		   ": > @/instances/mine/set_event_pid\n"
		   ": > @/instances/mine/set_event_notrace_pid\n"
		   "echo 10 >> @/instances/mine/set_event_notrace_pid\n"
		   "echo 1 > @/instances/mine/events/sched/sched_switch/enable\n"
		   "echo 1 > @/instances/mine/options/copy_trace_marker\n"
		   "echo 1 > @/instances/mine/tracing_on\n");
}

/* What somebody else has on at the top would mix with ours; what we want on stays on. */
static void test_foreign_events(void **state)
{
	struct bed *bed = *state;

	strv_add(&bed->config.events, "sched:sched_switch");
	strv_add(&bed->config.systems, "irq");
	strv_split(&bed->enabled, "sched:sched_switch sched:sched_waking irq:softirq_entry", " ");
	check_line(bed, "echo 0 > @/events/sched/sched_waking/enable", true);
	check_line(bed, "echo 0 > @/events/sched/sched_switch/enable", false);
	check_line(bed, "echo 0 > @/events/irq/softirq_entry/enable", false);
}

/* Moved when all else is done, wherever -O stands; not by what is only named "no". */
static void test_printk(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *got = NULL;
	const char *at;

	bed->config.instance = xstrdup("mine");
	strv_add(&bed->options, "trace_printk_dest");
	fake_write(&bed->fake, "options/trace_printk_dest", "");
	check_line(bed, "echo 1 > @/instances/mine/options/trace_printk_dest", false);
	bed->config.printk = true;
	strv_add(&bed->config.options, "trace_printk_dest");
	got = printed(bed);
	at = strstr(got, "trace_printk_dest\n");
	assert_non_null(at);
	assert_null(strstr(at + 1, "trace_printk_dest"));
	assert_non_null(strstr(at, "trace_printk_dest\necho 1 > "));
	assert_true(str_ends(got, "tracing_on\n"));
}

static void test_options(void **state)
{
	struct bed *bed = *state;

	strv_split(&bed->config.options, "print-parent nooverwrite nonsense nostacktrace", " ");
	check_line(bed, "echo 1 > @/options/print-parent", true);
	check_line(bed, "echo 0 > @/options/overwrite", true);
	check_line(bed, "echo 0 > @/options/stacktrace", true);
	/* There is an option of that very name. */
	check_line(bed, "echo 1 > @/options/nonsense", true);
	check_line(bed, "echo 0 > @/options/nsense", false);
}

/* The user's word on an option comes after ft's own, so that it holds. */
static void test_options_of_the_user_hold(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *lines = expand(bed, "echo 1 > @/options/record-cmd\n"
					       "echo 1 > @/options/record-tgid\n"
					       "echo 0 > @/options/record-cmd\n");
	cleanup_free char *got = NULL;

	strv_add(&bed->config.options, "norecord-cmd");
	got = printed(bed);
	assert_non_null(strstr(got, lines));
}

static void test_without_optional_files(void **state)
{
	struct bed *bed = *state;

	bed->config.tracer = xstrdup("function_graph");
	for (size_t i = 0; i < array_size(usual_files); i++)
		lack(bed, usual_files[i]);
	check(bed, "echo 0 > @/tracing_on\n"
		   "echo nop > @/current_tracer\n"
		   "echo 3 > @/tracing_cpumask\n"
		   "echo 1 > /proc/sys/kernel/ftrace_enabled\n"
		   "echo function_graph > @/current_tracer\n"
		   ": > @/trace\n"
		   "echo 1 > @/tracing_on\n");
}

/* A filter that is asked for and has no file is an error of the kernel's, not to be passed over. */
static void test_wanted_lists_are_not_optional(void **state)
{
	struct bed *bed = *state;

	bed->config.tracer = xstrdup("function");
	strv_add(&bed->config.functions, "vfs_read");
	lack(bed, "set_ftrace_filter");
	check_line(bed, "echo vfs_read >> @/set_ftrace_filter", true);
}

static void test_quoting(void **state)
{
	struct bed *bed = *state;

	bed->config.tracer = xstrdup("function");
	strv_split(&bed->config.functions, "a'b|$HOME|two words|*:mod:ext4|#x", "|");
	check_line(bed, "echo 'a'\\''b' >> @/set_ftrace_filter", true);
	check_line(bed, "echo '$HOME' >> @/set_ftrace_filter", true);
	check_line(bed, "echo 'two words' >> @/set_ftrace_filter", true);
	check_line(bed, "echo '*:mod:ext4' >> @/set_ftrace_filter", true);
	check_line(bed, "echo '#x' >> @/set_ftrace_filter", true);
}

/* "nop" is what is there when no tracer is wanted: one write is enough. */
static void test_nop_is_set_once(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *got = NULL;
	const char *first;

	bed->config.tracer = xstrdup("nop");
	got = printed(bed);
	first = strstr(got, "/current_tracer");
	assert_non_null(first);
	assert_null(strstr(first + 1, "/current_tracer"));
}

/* Of markers alone the kernel would not know the names of those who write them. */
static void test_names(void **state)
{
	static const char filter[] = "echo 'pid < 0' > @/events/sched/sched_process_exec/filter";
	static const char enable[] = "echo 1 > @/events/sched/sched_process_exec/enable";
	struct bed *bed = *state;

	check_line(bed, enable, false);
	fake_write(&bed->fake, "events/sched/sched_process_exec/filter", "");
	fake_write(&bed->fake, "events/sched/sched_process_exec/enable", "");
	check_line(bed, filter, true);
	check_line(bed, enable, true);
	bed->config.tracer = xstrdup("nop");
	check_line(bed, enable, true);
	bed->config.tracer[0] = 'x';
	check_line(bed, enable, false);
	bed->config.tracer[0] = 'n';
	strv_add(&bed->config.systems, "irq");
	check_line(bed, filter, false);
	check_line(bed, enable, false);
}

/* Rules come behind the clearing of what somebody left, and before the start. */
static void test_rules(void **state)
{
	struct bed *bed = *state;
	struct trace_config *config = &bed->config;

	strv_add(&config->events, "sched:sched_switch");
	strv_add(&config->filters, "sched:sched_switch prev_prio < 100");
	strv_add(&config->triggers, "sched:sched_switch stacktrace:5 if prev_prio < 100");
	config->stack = true;
	check(bed, "echo 0 > @/tracing_on\n"
		   "echo nop > @/current_tracer\n"
		   "echo 3 > @/tracing_cpumask\n"
		   "echo 1 > @/options/record-cmd\n"
		   "echo 1 > @/options/record-tgid\n"
		   ": > @/set_event_pid\n"
		   ": > @/set_event_notrace_pid\n"
		   "echo 0 > @/events/sched/sched_switch/filter\n"
		   "echo 1 > @/events/sched/sched_switch/enable\n"
		   "echo 'prev_prio < 100' > @/events/sched/sched_switch/filter\n"
		   ": > @/trace\n"
		   "echo 'stacktrace:5 if prev_prio < 100' >> @/events/sched/sched_switch/trigger\n"
		   "echo 1 > @/tracing_on\n");
	fake_write(&bed->fake, "options/stacktrace", "0");
	check_line(bed, "echo 1 > @/options/stacktrace", true);
	/* One that somebody left on is not ours. */
	config->stack = false;
	check_line(bed, "echo 0 > @/options/stacktrace", true);
}

/* A depth that was asked for is not left out where the kernel has no such file. */
static void test_depth(void **state)
{
	struct bed *bed = *state;

	bed->config.tracer = xstrdup("function_graph");
	check_line(bed, "echo 0 > @/max_graph_depth", true);
	bed->config.depth = 2;
	lack(bed, "max_graph_depth");
	check_line(bed, "echo 2 > @/max_graph_depth", true);
}

/* Somebody's instance is as the top level is: what is on there is turned off, and not made. */
static void test_instance_of_others(void **state)
{
	struct bed *bed = *state;
	struct trace_config *config = &bed->config;

	config->instance = xstrdup("theirs");
	config->is_there = true;
	strv_add(&bed->enabled, "sched:sched_waking");
	strv_add(&config->events, "sched:sched_switch");
	check_line(bed, "echo nop > @/instances/theirs/current_tracer", true);
	check_line(bed, "echo 0 > @/instances/theirs/events/sched/sched_waking/enable", true);
	check_line(bed, ": > @/instances/theirs/trace", true);
	check_line(bed, "mkdir @/instances/theirs", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events_at_the_top, setup, teardown),
		cmocka_unit_test_setup_teardown(test_graph_at_the_top, setup, teardown),
		cmocka_unit_test_setup_teardown(test_function_needs_no_graph_files, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_instance, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options, setup, teardown),
		cmocka_unit_test_setup_teardown(test_printk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options_of_the_user_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_optional_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wanted_lists_are_not_optional, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_instance_of_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quoting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nop_is_set_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};

	return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters as the kernel spells them, and what it cannot do. */
#include "tests/unit/test.h"

#include <string.h>

#include "report/filter.h"
#include "util/mem.h"

static int run(const char *text, struct strbuf *out, struct err *err)
{
	struct strv fields = {0};
	int ret;

	strv_split(&fields, "prev_comm prev_pid prev_prio prev_state next_comm next_prio call_site",
		   " ");
	ret = filter_check_fields(text, "sched_switch", &fields, out, err);
	strv_fini(&fields);
	return ret;
}

static void good(const char *text, const char *kernel)
{
	struct strbuf out = {0};
	struct err err = {0};

	if (run(text, &out, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(strbuf_str(&out), kernel);
	strbuf_fini(&out);
	assert_int_equal(run(text, NULL, NULL), 0);
}

static void bad(const char *text, const char *sentence)
{
	struct strbuf out = {0};
	struct err err = {0};

	assert_int_equal(run(text, &out, &err), -EINVAL);
	if (!strstr(err.text, sentence))
		fail_msg("'%s': %s", text, err.text);
	assert_int_equal(out.len, 0);
}

static void spelling(void **state)
{
	(void)state;
	good("prev_prio<100", "prev_prio < 100");
	good("100>prev_prio", "prev_prio < 100");
	good("prev_prio < 100 && next_comm ~ \"ssh*\"", "prev_prio < 100 && next_comm ~ \"ssh*\"");
	good("next_comm == sshd", "next_comm == \"sshd\"");
	good("next_comm ~ ssh*", "next_comm ~ \"ssh*\"");
	good("next_comm == 'a\"b'", "next_comm == 'a\"b'");
	good("pid == 1 && common_pid != 2", "common_pid == 1 && common_pid != 2");
	good("PID == 1", "common_pid == 1");
	good("comm == 1234", "comm == \"1234\"");
	good("COMM == bash || cpu == 0x1", "COMM == \"bash\" || cpu == 0x1");
	good("prev_prio==1&&(prev_pid==2||prev_pid==-3)",
	     "prev_prio == 1 && (prev_pid == 2 || prev_pid == -3)");
	good("prev_prio==1||prev_pid==2&&prev_pid==3",
	     "prev_prio == 1 || prev_pid == 2 && prev_pid == 3");
	good("!(prev_pid==2||prev_pid==3)", "!(prev_pid == 2 || prev_pid == 3)");
	good("!prev_pid==2", "!(prev_pid == 2)");
	good("prev_state & 2", "prev_state & 2");
	good("cpu & CPUS{0-1}", "cpu & CPUS{0-1}");
	good("call_site.function == vfs_read", "call_site.function == vfs_read");
}

static void refusals(void **state)
{
	(void)state;
	bad("prev_pro < 100", "event sched_switch has no field prev_pro (did you mean prev_prio");
	bad("prev_prio < 100 &&", "a field is missing at the end");
	bad("next_comm =~ '^ssh'", "no regular expressions");
	bad("(prev_state & 2) == 2", "compares no bits");
	bad("time > 5", "no times");
	bad("prev_prio < next_prio", "not with the field next_prio");
	bad("prev_prio < 1x", "not a number");
	bad("comm < 5", "is a text");
	bad("next_comm == \"a\\\"b'c\"", "both kinds of quotes");
	bad("sched_switch: prev_pid==1", "named already");
	bad("sched_switch", "a comparison is missing");
	bad("prev_comm[0] == 'x'", "no elements");
	bad("", "empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelling),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

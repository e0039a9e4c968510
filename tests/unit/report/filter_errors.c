/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What filters refuse: each case names part of the sentence and the place of the caret. */
#include "tests/unit/test.h"

#include "report/filter.h"
#include "tests/unit/report/filter_sample.h"

/* The column of the caret, from 0; -1 when there is none. */
static int caret(const char *text)
{
	const char *line = strrchr(text, '\n');

	return line && strchr(line, '^') ? (int)(strchr(line, '^') - line) - 3 : -1;
}

static void check(const char *text, int column, const char *sentence, bool at_bind)
{
	struct filter_set *set = filter_set_new();
	struct sample sample;
	struct err err = {0};

	sample_init(&sample);
	if (at_bind && filter_set_add(set, text, false, &err) < 0)
		fail_msg("'%s' is not even parsed: %s", text, err.text);
	if (at_bind && filter_set_bind(set, sample.dec, &err) == 0)
		fail_msg("'%s' is bound", text);
	if (!at_bind && filter_set_add(set, text, false, &err) == 0)
		fail_msg("'%s' is parsed", text);
	if (!strstr(err.text, sentence) || caret(err.text) != column)
		fail_msg("'%s': column %d of\n%s", text, caret(err.text), err.text);
	decode_free(sample.dec);
	filter_set_free(set);
}

static void bad_syntax(void **state)
{
	(void)state;
	check("", -1, "empty", false);
	check("  ", -1, "empty", false);
	check("next_pid==", 10, "a value is missing at the end", false);
	check("pid==1 ||", 9, "a field is missing at the end", false);
	check("pid==1 || && x==1", 10, "a field is missing here", false);
	check("sched_switch: pid && x==1", 18, "after 'pid' a comparison is missing", false);
	check("pid = 1", 4, "equal is ==", false);
	check("pid==1 | cpu==1", 7, "or is ||", false);
	check("pid==1, cpu==1", 6, "lists of events", false);
	check("pid==1 cpu==1", 7, "&& or || is missing", false);
	check("(pid==1", 0, "not closed", false);
	check("(pid==1 cpu==2)", 8, "is missing here", false);
	check("pid==1)", 6, "not opened", false);
	check("comm==\"x", 6, "has no end", false);
	check("comm=='x\\'", 6, "has no end", false);
	check("1==1", 0, "not a field", false);
	check("'x' ~ comm", 0, "not a field", false);
	check("a < b < c", 6, "one comparison follows another", false);
	check("a & 4 == 4", 6, "(a & 4) ==", false);
	check("(a == 4) == 4", 9, "only (FIELD & MASK)", false);
	check("a,,b", 2, "an event is missing", false);
	check("a,b,:pid==1", 4, "an event is missing", false);
	check("pid == \x01", 7, "control characters", false);
	check("comm =~ '('", 8, "regular expression", false);
	check("comm =~ '(a)\\1'", 8, "refers back", false);
	check("comm =~ '((a{1,99}){1,99}){1,99}'", 8, "repeats too much", false);
	check("comm =~ 'a{0,65535}'", 8, "repeats too much", false);
	check("comm =~ '((((((((((((((((((a))))))))))))))))))'", 8, "too many parentheses", false);
}

static void bad_names(void **state)
{
	(void)state;
	check("sched_swich", 0, "no event sched_swich in the file (did you mean sched_switch?)",
	      true);
	check("kfree,sched:sched_swich: pid==1", 6, "did you mean sched:sched_switch or", true);
	check("sched_switch:", 13, "an expression is missing behind the ':'", true);
	check(":", 0, "an event is missing here", false);
	check("sched_switch,/: pid==1", 13, "an event is missing here", false);
	check("sched_switch: prev_pid", 22, "after 'prev_pid' a comparison is missing", true);
	check("shed: pid==1", 0, "did you mean sched?", true);
	check("next_pri<100", 0,
	      "no event of the file has a field next_pri (did you mean next_prio", true);
	check("sched_wakeup: next_prio<100", 14, "event sched_wakeup has no field next_prio", true);
	check("sched: foo==1", 7, "no event of these has a field foo", true);
	check("sched_switch: prev_pid==1 || bogus==1", 29, "has no field bogus", true);
	check("args[9]==1", 0, "no such element", true);
	check("args==1", 0, "args[0]", true);
	check("list==1", 0, "list[0]", true);
}

static void bad_values(void **state)
{
	(void)state;
	check("next_prio == high", 13, "'high' is a text, but next_prio (int) is a number", true);
	check("next_prio == '100'", 13, "is a text", true);
	check("next_prio == 12x", 13, "'12x' is not a number", true);
	check("next_prio == 99999999999999999999999", 13, "is not a number", true);
	check("next_prio == 0xfg", 13, "is not a number", true);
	check("next_prio == 08", 13, "is not a number", true);
	check("next_prio ~ '1*'", 10, "~ compares texts", true);
	check("next_prio =~ '1*'", 10, "=~ compares texts", true);
	check("next_prio == 5000000000", 13, "is never 5000000000", true);
	check("small == 256", 9, "small (u8) is never 256", true);
	check("small > -1", 8, "is never -1", true);
	check("tiny == 128", 8, "is never 128", true);
	check("cpu == -1", 7, "is never -1", true);
	check("next_comm < sshd", 10, "is a text: only", true);
	check("comm & 1", 5, "is a text: only", true);
	check("comm > pid", 5, "is a text: only", true);
	check("(next_comm & 1) == 1", 13, "has no bits", true);
	check("time > yesterday", 7, "is not a time", true);
	check("time > 5.5.5", 7, "is not a time", true);
	check("time > 99999999999999999999", 7, "is not a time", true);
	check("call_site == vfs_raed", 13, "no function vfs_raed (did you mean vfs_read?)", true);
	check("call_site ~ ext4_*", 12, "no function ext4_*", true);
	check("next_prio == prev_comm", 13, "is a text", true);
}

/* No text exhausts the stack or the memory. */
static void long_and_deep(void **state)
{
	struct strbuf deep = {0};
	struct strbuf many = {0};

	(void)state;
	for (int i = 0; i < 4000; i++)
		strbuf_add(&deep, "(");
	check(strbuf_str(&deep), 63, "levels", false);
	strbuf_fini(&deep);
	for (int i = 0; i < 4000; i++)
		strbuf_add(&deep, "!");
	check(strbuf_str(&deep), 63, "levels", false);
	strbuf_fini(&deep);
	for (int i = 0; i < 9000; i++)
		strbuf_add(&deep, "x");
	check(strbuf_str(&deep), -1, "at most 8192 bytes", false);
	strbuf_fini(&deep);
	for (int i = 0; i < 300; i++)
		strbuf_add(&many, i ? "||pid==1" : "pid==1");
	check(strbuf_str(&many), 63, "at most 256 comparisons", false);
	strbuf_fini(&many);
}

/* The caret stands under its place behind letters of several bytes, too. */
static void wide_letters(void **state)
{
	(void)state;
	check("comm == 'äöü' && foo == 1", 17, "foo", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_syntax),	cmocka_unit_test(bad_names),
		cmocka_unit_test(bad_values),	cmocka_unit_test(long_and_deep),
		cmocka_unit_test(wide_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

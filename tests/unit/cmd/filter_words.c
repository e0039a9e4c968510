/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of ft filter, and the places and arguments of dynamic events. */
#include "cmd/filter.h"
#include "cmd/filter_probe.h"

#include <string.h>

#include "tests/unit/test.h"
#include "util/mem.h"

static const char *const kind_names[] = {
	[ITEM_ADD] = "add",
	[ITEM_KEEP_OUT] = "keep-out",
	[ITEM_TAKE_OUT] = "take-out",
	[ITEM_COMMAND] = "command",
	[ITEM_COMMAND_OFF] = "command-off",
	[ITEM_FILTER] = "filter",
	[ITEM_TRIGGER] = "trigger",
	[ITEM_TRIGGER_OFF] = "trigger-off",
	[ITEM_SHOW] = "show",
};

/* The words, with '|' between them, as "kind subject[=what];". */
static char *parsed(const char *line)
{
	cleanup(strv_fini) struct strv words = {0};
	struct filter_items items = {0};
	struct strbuf out = {0};
	struct err err = {0};

	strv_split(&words, line, "|");
	if (filter_items_parse(&words, &items, &err) < 0)
		strbuf_addf(&out, "error: %s", err.text);
	for (size_t i = 0; !err.code && i < items.nr; i++)
		strbuf_addf(&out, "%s %s%s%s;", kind_names[items.item[i].kind],
			    items.item[i].subject, items.item[i].what ? "=" : "",
			    items.item[i].what ? items.item[i].what : "");
	filter_items_fini(&items);
	return strbuf_take(&out);
}

static void test_words(void **state)
{
	static const struct {
		const char *line;
		const char *want;
	} cases[] = {
		{"+vfs_*|-*lock*|:mod:ext4|!vfs_read",
		 "add vfs_*;keep-out *lock*;add :mod:ext4;take-out vfs_read;"},
		{"+vfs_read:traceoff:3|!vfs_read:traceoff|+x:mod:m",
		 "command vfs_read=traceoff:3;command-off vfs_read=traceoff;add x:mod:m;"},
		{"sched_switch|prev_prio < 100|sched:|none",
		 "filter sched_switch=prev_prio < 100;filter sched:=0;"},
		{"e|stacktrace|e|traceoff:2|e|hist:keys=a,b|e|snapshot  if a == 1",
		 "trigger e=stacktrace;trigger e=traceoff:2;trigger e=hist:keys=a,b;trigger e=snapshot  if a == 1;"},
		{"e|!stacktrace|e|!(a == 1)", "trigger-off e=stacktrace;filter e=!(a == 1);"},
		{"e|snapshot == 1|+f|g", "filter e=snapshot == 1;add f;show g;"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = parsed(cases[i].line);

		assert_string_equal(got, cases[i].want);
	}
}

static void test_wrong_words(void **state)
{
	static const struct {
		const char *line;
		const char *want;
	} cases[] = {
		{"+", "names no function"},
		{"-f:traceoff", "a command has no '-'"},
		{"+f:traceof", "did you mean traceoff"},
		{"e|stacktrac", "did you mean stacktrace"},
		{"vfs_read|vfs_write", "for functions write +vfs_read +vfs_write"},
		{"e| ", "is empty; 'none' takes it away"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = parsed(cases[i].line);

		assert_true(str_starts(got, "error: "));
		assert_non_null(strstr(got, cases[i].want));
	}
}

/* "name|place|arg,arg|condition", or the error. */
static char *spec_of(enum probe_kind kind, const char *text)
{
	cleanup(probe_spec_fini) struct probe_spec spec = {0};
	cleanup_free char *args = NULL;
	struct err err = {0};

	if (probe_spec_parse(kind, text, &spec, &err) < 0)
		return xasprintf("error: %s", err.text);
	args = strv_join(&spec.args, ",");
	return xasprintf("%s|%s|%s|%s", spec.name ? spec.name : "", spec.place, args,
			 spec.condition ? spec.condition : "");
}

static void test_places(void **state)
{
	static const struct {
		enum probe_kind kind;
		const char *text;
		const char *want;
	} cases[] = {
		{PROBE_KPROBE, "vfs_read", "|vfs_read||"},
		{PROBE_KPROBE, "my=vfs_read+0x10 a=%di  count:u32",
		 "my|vfs_read+0x10|a=%di,count:u32|"},
		{PROBE_UPROBE, "/bin/a=b:main $arg1", "|/bin/a=b:main|$arg1|"},
		{PROBE_EPROBE, "e=sched:x a b if a == 1 && b == 2",
		 "e|sched:x|a,b|a == 1 && b == 2"},
		{PROBE_KPROBE, " ", "error: --kprobe needs a place"},
		{PROBE_KPROBE, "my=", "error: the place of the event is missing"},
		{PROBE_KPROBE, "1a=f",
		 "error: '1a' cannot be the name of an event (letters, digits, _)"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = spec_of(cases[i].kind, cases[i].text);

		assert_string_equal(got, cases[i].want);
	}
}

/* Arguments that need no kernel to be known. */
static char *arguments_of(enum probe_kind kind, const char *text, const struct strv *fields)
{
	cleanup(probe_spec_fini) struct probe_spec spec = {0};
	struct strbuf out = {0};
	struct err err = {0};

	assert_int_equal(probe_spec_parse(kind, text, &spec, &err), 0);
	if (probe_arguments(kind, &spec, NULL, fields, &out, &err) == 0)
		return strbuf_take(&out);
	strbuf_fini(&out);
	return xasprintf("error: %s", err.text);
}

static void test_arguments(void **state)
{
	cleanup(strv_fini) struct strv fields = {0};
	cleanup_free char *raw = arguments_of(PROBE_KPROBE, "f %di a=$arg2:u32 +8($arg1)", NULL);
	cleanup_free char *ret = arguments_of(PROBE_KRETPROBE, "f ret r=ret:u8", NULL);
	cleanup_free char *no_ret = arguments_of(PROBE_KRETPROBE, "f count", NULL);
	cleanup_free char *no_name = arguments_of(PROBE_UPROBE, "/bin/x:f count", NULL);
	cleanup_free char *field;
	cleanup_free char *no_field;

	(void)state;
	strv_split(&fields, "next_pid next_comm", " ");
	field = arguments_of(PROBE_EPROBE, "s:e next_pid c=next_comm:string", &fields);
	no_field = arguments_of(PROBE_EPROBE, "s:e next_pdi", &fields);
	assert_string_equal(raw, " %di a=$arg2:u32 +8($arg1)");
	assert_string_equal(ret, " ret=$retval r=$retval:u8");
	assert_non_null(strstr(no_ret, "only ret"));
	assert_non_null(strstr(no_name, "give a register or $argN"));
	assert_string_equal(field, " next_pid=$next_pid c=$next_comm:string");
	assert_string_equal(no_field,
			    "error: the event has no field next_pdi (did you mean next_pid?)");
#if defined(__x86_64__)
	{
		cleanup_free char *user =
			arguments_of(PROBE_UPROBE, "/x:f a=+0($arg2):string", NULL);

		assert_string_equal(user, " a=+0(%si):string");
	}
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that have their own text, symbols and names of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab.h"

static const char kallsyms[] = "ffffffff81000000 D a_label\n"
			       "ffffffff81000000 T do_work\n"
			       "ffffffff81000100 t do_rest\t[module]\n"
			       "0000000000001000 A an_offset\n"
			       "ffffffff82000000 T _etext\n";

static void check(struct lab lab, const void *data, size_t len, const char *expected)
{
	cleanup_free char *text = NULL;

	lab.kallsyms = kallsyms;
	lab_open(&lab);
	text = lab_print(&lab, data, len, false);
	assert_string_equal(text, expected);
	assert_int_equal(event_plan_kind(decode_event(lab.dec, 100)), PLAN_NATIVE);
	lab_close(&lab);
}

static void test_sched_switch(void **state)
{
	struct {
		char prev_comm[16];
		int prev_pid;
		int prev_prio;
		int64_t prev_state;
		char next_comm[16];
		int next_pid;
		int next_prio;
	} record = {"lab beta", 200, 120, 2, "swapper/0", 0, -1};
	struct lab lab = {
		.system = "sched",
		.name = "sched_switch",
		.fields = "char prev_comm[16]:8:16:0;pid_t prev_pid:24:4:1;int prev_prio:28:4:1;"
			  "long prev_state:32:8:1;char next_comm[16]:40:16:0;pid_t next_pid:56:4:1;"
			  "int next_prio:60:4:1",
		.print = "\"%s\", REC->prev_comm",
	};

	(void)state;
	check(lab, &record, sizeof(record), "lab beta:200 [120] D ==> swapper/0:0 [-1]");
	record.prev_state = 0;
	check(lab, &record, sizeof(record), "lab beta:200 [120] R ==> swapper/0:0 [-1]");
	/* A name that would drive the terminal. */
	memcpy(record.prev_comm, "a\x1b[2J", 5);
	record.prev_comm[5] = '\0';
	check(lab, &record, sizeof(record), "a\\x1b[2J:200 [120] R ==> swapper/0:0 [-1]");
}

static void test_wakeup(void **state)
{
	struct {
		char comm[16];
		int pid;
		int prio;
		int target_cpu;
	} record = {"lab", 200, 120, 3};
	struct lab lab = {
		.system = "sched",
		.name = "sched_wakeup",
		.fields = "char comm[16]:8:16:0;pid_t pid:24:4:1;int prio:28:4:1;"
			  "int target_cpu:32:4:1",
		.print = "\"\"",
	};

	(void)state;
	check(lab, &record, sizeof(record), "lab:200 [120] CPU:003");
}

static void test_kmem(void **state)
{
	uint64_t record[2] = {0xffffffff81000010, 0x1234};
	struct lab lab = {
		.system = "kmem",
		.name = "kfree",
		.fields = "unsigned long call_site:8:8:0;const void * ptr:16:8:0",
		.print = "\"call_site=%pS ptr=%p\", (void *)REC->call_site, REC->ptr",
	};

	(void)state;
	check(lab, record, sizeof(record), "(do_work+0x10) call_site=do_work+0x10 ptr=0x1234");
	record[0] = 0x77;
	check(lab, record, sizeof(record), "call_site=0x77 ptr=0x1234");
}

static void test_hrtimer(void **state)
{
	uint64_t record[4] = {0x1234, 0xffffffff81000100, 5, 6};
	struct lab lab = {
		.system = "timer",
		.name = "hrtimer_start",
		.fields = "void * hrtimer:8:8:0;void * function:16:8:0;s64 expires:24:8:1;"
			  "s64 softexpires:32:8:1",
		.print = "\"\"",
	};

	(void)state;
	check(lab, record, sizeof(record),
	      "hrtimer=0x1234 function=do_rest/0x0 expires=5 softexpires=6");
}

static void test_stack(void **state)
{
	uint64_t record[5] = {3, 0xffffffff81000010, 0x10, 0xffffffff81000108, UINT64_MAX};
	struct lab lab = {
		.system = "ftrace",
		.name = "kernel_stack",
		.fields = "int size:8:4:1;unsigned long caller[]:16:0:0",
		.print = "\"\"",
	};

	(void)state;
	check(lab, record, sizeof(record),
	      "<stack trace >\n=> do_work (ffffffff81000010)\n=> 10\n=> do_rest (ffffffff81000108)");
}

static void test_print(void **state)
{
	static const unsigned char record[] = "\x10\0\0\x81\xff\xff\xff\xffhello\tyou\nthere\n";
	struct lab lab = {
		.system = "ftrace",
		.name = "print",
		.fields = "unsigned long ip:8:8:0;char buf[]:16:0:0",
		.print = "\"%ps: %s\", (void *)REC->ip, REC->buf",
	};

	(void)state;
	check(lab, record, sizeof(record), "do_work: hello\tyou\\nthere");
}

/* ip, format, then: int 7, "text", u64 aligned to 4, a char. */
static void test_bprint(void **state)
{
	static const unsigned char record[] = "\x10\0\0\x81\xff\xff\xff\xff"
					      "\0\0\0\x82\xff\xff\xff\xff"
					      "\7\0\0\0text\0\0\0\0\1\0\0\0\0\0\0\0z";
	struct lab lab = {
		.system = "ftrace",
		.name = "bprint",
		.fields = "unsigned long ip:8:8:0;const char * fmt:16:8:0;u32 buf[]:24:0:0",
		.print = "\"%ps: %s\", (void *)REC->ip, REC->fmt",
		.printk = "0xffffffff82000000 : \"n=%03d %s %llu%c %d\\n\"\n",
	};

	(void)state;
	check(lab, record, sizeof(record) - 1,
	      "do_work: n=007 text 1z <error: past end of record>");
	lab.printk = NULL;
	check(lab, record, sizeof(record) - 1, "do_work: (NO FORMAT FOUND at ffffffff82000000)");
}

/* Symbols are looked up and padded when printed; what was text already is as wide as it is to be. */
static void test_bprint_pointers(void **state)
{
	static const unsigned char record[] = "\x10\0\0\x81\xff\xff\xff\xff"
					      "\0\0\0\x82\xff\xff\xff\xff"
					      "\x10\0\0\x81\xff\xff\xff\xff"
					      "\5\0\0\0de ad be ef 01\0"
					      "   10.0.0.1\0\0"
					      "do_rest+0x1/0x10\0ab\0"
					      "\0\0\0\x82\xff\xff\xff\xff"
					      "\6\0\0\0\7\0\0\0";
	struct lab lab = {
		.system = "ftrace",
		.name = "bprint",
		.fields = "unsigned long ip:8:8:0;const char * fmt:16:8:0;u32 buf[]:24:0:0",
		.print = "\"%ps: %s\", (void *)REC->ip, REC->fmt",
		.printk =
			"0xffffffff82000000 : \"[%10ps|%*ph|%11pI4|%64pbl|%pB|%-4.s|%20p|%*%%d]\"\n",
	};

	(void)state;
	check(lab, record, sizeof(record) - 1,
	      "do_work: [   do_work|de ad be ef 01|   10.0.0.1||do_rest+0x1/0x10|ab  |"
	      "  0xffffffff82000000|%7]");
}

static void test_symbols(void **state)
{
	struct lab lab = {.fields = "int a:8:4:1", .print = "\"\"", .kallsyms = kallsyms};
	uint64_t offset = 77;

	(void)state;
	lab_open(&lab);
	/* The function, not the label at the same address. */
	assert_string_equal(decode_symbol(lab.thread, 0xffffffff81000000, &offset), "do_work");
	assert_int_equal(offset, 0);
	assert_string_equal(decode_symbol(lab.thread, 0xffffffff810000ff, &offset), "do_work");
	assert_int_equal(offset, 0xff);
	assert_string_equal(decode_symbol(lab.thread, 0xffffffff81000101, &offset), "do_rest");
	/* Below the first, absolute ones, and past the last, whose end nobody knows. */
	assert_null(decode_symbol(lab.thread, 0x1000, &offset));
	assert_null(decode_symbol(lab.thread, 0xffffffff82000001, &offset));
	assert_string_equal(decode_symbol(lab.thread, 0xffffffff82000000, &offset), "_etext");
	lab_close(&lab);
}

static void test_comms(void **state)
{
	struct lab lab = {
		.fields = "int a:8:4:1",
		.print = "\"\"",
		.cmdlines = "200 lab beta\n7 seven\n200 later\n\nnonsense\n",
	};

	(void)state;
	lab_open(&lab);
	assert_string_equal(decode_comm(lab.dec, 200), "lab beta");
	assert_string_equal(decode_comm(lab.dec, 7), "seven");
	assert_string_equal(decode_comm(lab.dec, 0), "<idle>");
	assert_null(decode_comm(lab.dec, 1));
	lab_close(&lab);
}

static void test_fields(void **state)
{
	struct lab lab = {
		.fields = "char comm[16]:8:16:0;__data_loc u32[] d:24:4:0;s16 small:28:2:1;"
			  "void * p:32:8:0;u8 buf[32 + 2]:40:34:0",
		.print = "\"\"",
	};
	const struct event *event = NULL;
	const struct decode_field *field;

	(void)state;
	lab_open(&lab);
	assert_int_equal(decode_find(lab.dec, "te*", "l?b", &event, 1), 1);
	assert_int_equal(decode_find(lab.dec, "*", "other", &event, 1), 0);
	assert_int_equal(event->min_size, 74);
	field = event_field(event, "comm");
	assert_true(field->is_string && field->is_array && field->elem_size == 1);
	assert_string_equal(field->type, "char[16]");
	field = event_field(event, "d");
	assert_true(field->is_dynamic && field->elem_size == 4 && !field->is_string);
	assert_true(event_field(event, "small")->is_signed);
	assert_true(event_field(event, "p")->is_pointer);
	assert_int_equal(event_field(event, "buf")->elem_size, 1);
	assert_true(event_field(event, "common_pid")->is_common);
	assert_null(event_field(event, "none"));
	assert_null(decode_event(lab.dec, 101));
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched_switch), cmocka_unit_test(test_wakeup),
		cmocka_unit_test(test_kmem),	     cmocka_unit_test(test_hrtimer),
		cmocka_unit_test(test_stack),	     cmocka_unit_test(test_print),
		cmocka_unit_test(test_bprint),	     cmocka_unit_test(test_bprint_pointers),
		cmocka_unit_test(test_symbols),	     cmocka_unit_test(test_comms),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

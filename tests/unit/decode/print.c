/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print formats against the text that C and the kernel's vsnprintf() make of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab.h"

struct row {
	const char *print;
	const char *expected;
};

/* Over one record: s32 a = -7, u32 b = 9, u64 q = 1 << 40, s8 c = -1, u16 w[2] = {5, 65535}, then
 * char name[8] = "lab". */
static const char fields[] = "int a:8:4:1;u32 b:12:4:0;u64 q:16:8:0;s8 c:24:1:1;u8 u:25:1:0;"
			     "u16 w[2]:26:4:0;char name[8]:32:8:0";
static const unsigned char record[] = {
	0xf9, 0xff, 0xff, 0xff, 9,    0,    0, 0, 0,   0,   0,	 0, 0, 1, 0, 0,
	0xff, 200,  5,	  0,	0xff, 0xff, 0, 0, 'l', 'a', 'b', 0, 0, 0, 0, 0,
};

static const struct row rows[] = {
	/* Precedence and associativity. */
	{"\"%d\", REC->b & (1 | 2)", "1"},
	{"\"%d\", REC->b & 1 | 2", "3"},
	{"\"%d\", 7 - 2 - 1", "4"},
	{"\"%d\", 100 / 10 / 5", "2"},
	{"\"%d\", 2 + 3 * 4 % 5", "4"},
	{"\"%d\", 1 << 2 + 1", "8"},
	{"\"%d\", REC->b == 9 && REC->a < 0 || 0", "1"},
	{"\"%d\", 1 ? 2 : 0 ? 3 : 4", "2"},
	{"\"%d\", 0 ? 2 : 0 ? 3 : 4", "4"},
	{"\"%d\", (1, 2)", "2"},
	/* Signs and widths. */
	{"\"%d %d %d\", REC->a / 2, REC->a % 2, REC->a >> 1", "-3 -1 -4"},
	{"\"%s\", REC->a < 0 ? \"neg\" : \"pos\"", "neg"},
	{"\"%s\", REC->a < REC->b ? \"less\" : \"more\"", "more"},
	{"\"%lld\", (s64)REC->a", "-7"},
	{"\"%llu\", (u64)REC->a", "18446744073709551609"},
	{"\"%llu\", (u64)(u32)REC->a", "4294967289"},
	{"\"%u\", REC->b - 10", "4294967295"},
	{"\"%lld\", (long long)(REC->b - 10)", "4294967295"},
	{"\"%d %u\", REC->c, REC->c", "-1 4294967295"},
	{"\"%d\", REC->c == -1", "1"},
	{"\"%u %u\", (u8)300, (bool)REC->b", "44 1"},
	{"\"%d %d\", -1 < 1U, -1 < 1", "0 1"},
	{"\"%llx %x\", REC->q, (u32)(REC->q >> 32)", "10000000000 100"},
	{"\"%d\", 'a' + 1", "98"},
	{"\"%lu %lu %lu\", sizeof(u16), sizeof(REC->w), sizeof(unsigned long)", "2 4 8"},
	{"\"%d\", ({ int x = REC->a; int y = 3; (x) < (y) ? (x) : (y); })", "-7"},
	/* What must not trap. */
	{"\"%d %d\", REC->b / 0, REC->b % 0", "0 0"},
	{"\"%d\", REC->b / (REC->b - 9)", "0"},
	{"\"%d\", (-2147483647 - 1) / -1", "-2147483648"},
	/* Conversions. */
	{"\"[%5d|%-5d|%05d|%+d|% d]\", 42, 42, 42, 42, 42", "[   42|42   |00042|+42| 42]"},
	{"\"[%#x|%#o|%X|%o]\", 255, 8, 255, 8", "[0xff|010|FF|10]"},
	{"\"[%#x]\", 0", "[0x0]"},
	{"\"[%.3d|%8.3d|%08x]\", 7, 7, 0xbeef", "[007|     007|0000beef]"},
	{"\"[%hd|%hhu|%hhd]\", 65535, 511, 255", "[-1|255|-1]"},
	{"\"[%c%c]\", 'o', REC->name[0]", "[ol]"},
	{"\"[%6s|%-6s|%.2s|%*s|%-*s]\", REC->name, REC->name, REC->name, 5, REC->name, 4, \"x\"",
	 "[   lab|lab   |la|  lab|x   ]"},
	{"\"100%% %d\", 1", "100% 1"},
	{"\"%zu %zd %td %Lu\", 1UL, -1L, 2L, 3ULL", "1 -1 2 3"},
	{"\"%px\", 0xabcdUL", "000000000000abcd"},
	{"\"%p %p\", REC->q, NULL", "0x10000000000 (nil)"},
	{"\"%*phC %*phN %3phD\", 2, REC->w, 2, REC->w, REC->w", "05:00 0500 05-00-ff"},
	{"\"%*pbl %*pb\", 3, REC->w, 16, REC->w", "0,2 0005"},
	{"\"%pe\", (void *)-12L", "-ENOMEM"},
	/* Helpers. */
	{"\"%s\", __print_flags(REC->b, \"|\", { 8, \"E\" }, { 1, \"A\" })", "E|A"},
	{"\"%s\", __print_flags(REC->b, \"|\", { 0, \"NONE\" }, { 9, \"ALL\" })", "NONE|ALL"},
	{"\"%s\", __print_symbolic(REC->a, { -7, \"MINUS\" })", "MINUS"},
	{"\"%s\", __print_symbolic(REC->b, { UNKNOWN_NAME, \"X\" }, { 9, \"NINE\" })", "NINE"},
	{"\"%s\", __print_symbolic(REC->b, { 8 + 1, \"N\" \"INE\" })", "NINE"},
	{"\"[%6s]\", __print_symbolic(REC->b, { 9, \"N\" })", "[     N]"},
	{"\"%s\", __print_hex(REC->w, 4)", "05 00 ff ff"},
	{"\"%s\", __print_hex_str(REC->w, 4)", "0500ffff"},
	{"\"%s\", __print_array(REC->w, 2, 2)", "{0x5,0xffff}"},
	{"\"%s %s\", str_yes_no(REC->b), str_plural(REC->b)", "yes s"},
	{"\"%x %x\", be16_to_cpu(REC->w[0]), __builtin_bswap32(1)", "500 1000000"},
	{"\"%x\", le32_to_cpup((__le32 *)REC->w)", "ffff0005"},
	{"\"%d:%d\", MAJOR(8388609), MINOR(8388609)", "8:1"},
	{"\"%llu.%09u\", __print_ns_to_secs(1500000000), __print_ns_without_secs(1500000000)",
	 "1.500000000"},
	{"\"%d\", IS_ERR_VALUE(REC->q)", "0"},
	{"\"%s\", *REC->name ? REC->name : \"none\"", "lab"},
	{"\"%u\", ((u16 *)REC->w)[1]", "65535"},
	{"\"%u\", *(u16 *)&REC->w[1]", "65535"},
	{"\"%d\", (REC)->a", "-7"},
	{"\"%d\", ((struct x) { .v = REC->a }).v", "-7"},
	/* Texts of the format. */
	{"\"a\\tb\\\\c\"", "a\tb\\c"},
	{"\"tab\there\"", "tab\there"},
	{"\"two\nlines %d\n\", 1", "two\\nlines 1"},
	{"\"\xc3\xbc \xff\"", "\xc3\xbc \\xff"},
	/* What cannot be known stays visible. */
	{"\"%d %s\", REC->b, mystery(REC->a)",
	 "9 ? a=-7 q=1099511627776 c=-1 u=200 w=ARRAY[05, 00, ff, ff] name=lab"},
	{"\"%s\", mystery(REC->a)",
	 "a=-7 b=9 q=1099511627776 c=-1 u=200 w=ARRAY[05, 00, ff, ff] name=lab"},
	{"\"%d\", NO_SUCH_SYMBOL + 1", "?"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < array_size(rows); i++) {
		struct lab lab = {.fields = fields, .print = rows[i].print};
		cleanup_free char *text = NULL;

		lab_open(&lab);
		text = lab_print(&lab, record, sizeof(record), false);
		if (strcmp(text, rows[i].expected))
			print_error("%s\n", rows[i].print);
		assert_string_equal(text, rows[i].expected);
		lab_close(&lab);
	}
}

static void check(struct lab lab, const void *data, size_t len, const char *expected)
{
	cleanup_free char *text = NULL;

	lab_open(&lab);
	text = lab_print(&lab, data, len, false);
	assert_string_equal(text, expected);
	lab_close(&lab);
}

static void test_big_endian(void **state)
{
	static const unsigned char data[] = {0xff, 0xff, 0xff, 0xf9, 0,	  3,   0, 20,
					     0,	   0,	 0,    42,   'h', 'i', 0};
	struct lab lab = {
		.fields = "int a:8:4:1;__data_loc char[] s:12:4:0;unsigned long p:16:4:0",
		.print = "\"%d %s %lu %s\", REC->a, __get_str(s), REC->p, "
			 "__print_symbolic(REC->a, { 1, \"x\" })",
		.big_endian = true,
		.long_size = 4,
	};

	(void)state;
	check(lab, data, sizeof(data), "-7 hi 42 0xfffffff9");
}

static void test_relative_location(void **state)
{
	static const unsigned char data[] = {2, 0, 3, 0, 'x', 'x', 'h', 'i', 0};
	struct lab lab = {
		.fields = "__rel_loc char[] s:8:4:0",
		.print = "\"%s %d\", __get_rel_str(s), __get_rel_dynamic_array_len(s)",
	};

	(void)state;
	check(lab, data, sizeof(data), "hi 3");
}

static void test_cut_record(void **state)
{
	struct lab lab = {
		.fields = "int a:8:4:1;int b:12:4:1",
		.print = "\"%d %d\", REC->a, REC->b",
	};

	(void)state;
	check(lab, "\1\0\0\0", 4, "1 <error>");
}

static void test_raw(void **state)
{
	struct lab lab = {
		.fields = "unsigned long p:8:8:0;int a:16:4:1;char s[4]:20:4:0",
		.print = "\"p=0x%lx a=%03d\", REC->p, REC->a",
	};
	cleanup_free char *text = NULL;

	(void)state;
	lab_open(&lab);
	text = lab_print(&lab, "\xff\0\0\0\0\0\0\0\7\0\0\0abc", 16, true);
	assert_string_equal(text, " p=0xff a=007 s=abc");
	lab_close(&lab);
}

static void test_raw_texts(void **state)
{
	struct lab lab = {
		.fields = "__data_loc char[][2] names:8:8:1;int a:16:4:1",
		.print = "\"%s %s\", __get_str(names[0]), __get_str(names[1])",
	};
	cleanup_free char *text = NULL;
	cleanup_free char *cut = NULL;

	(void)state;
	lab_open(&lab);
	text = lab_print(&lab, "\x14\0\3\0\x17\0\2\0\7\0\0\0lo\0up", 17, true);
	assert_string_equal(text, " names={\"lo\",\"up\"} a=7");
	cut = lab_print(&lab, "\x14\0\3\0\x17\0\2\0\7\0\0\0lo\0", 15, true);
	assert_string_equal(cut, " names={\"lo\",\"<error: past end of record>\"} a=7");
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_big_endian),
		cmocka_unit_test(test_relative_location),
		cmocka_unit_test(test_cut_record),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escaping of strings in JSON. */
#include "tests/unit/test.h"
#include "util/json.h"
#include "util/mem.h"

static void check_string(const char *text, const char *want)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	json_add_string(&sb, text);
	assert_string_equal(strbuf_str(&sb), want);
}

static void test_strings(void **state)
{
	(void)state;
	check_string("", "\"\"");
	check_string("a\"b\\c", "\"a\\\"b\\\\c\"");
	check_string("\n\t\r\b\f\x01\x7f", "\"\\n\\t\\r\\b\\f\\u0001\\u007f\"");
	check_string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7",
		     "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7\"");
	check_string(NULL, "null");
}

static void test_broken_utf8(void **state)
{
	(void)state;
	check_string("a\xff", "\"a\\ufffd\"");
	/* Cut short, overlong, half of a pair, too large. */
	check_string("\xe2\x82", "\"\\ufffd\\ufffd\"");
	check_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");
	check_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	check_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void test_members(void **state)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	(void)state;
	strbuf_add(&sb, "{");
	json_add_member(&sb, "a", "b");
	json_add_raw(&sb, "n", "1");
	strbuf_add(&sb, "}");
	assert_string_equal(sb.text, "{\"a\":\"b\",\"n\":1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_broken_utf8),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of markers: the grammar, and cutting between characters. */
#include "../test.h"

#include <string.h>

#include "cmd/marker_text.h"
#include "util/mem.h"

static void expect(const struct marker_line *line, const char *wanted)
{
	cleanup_free char *text = marker_line_text(line);

	assert_string_equal(text, wanted);
}

static void test_words(void **state)
{
	cleanup(strv_fini) struct strv words = {0};
	struct marker_line line = {0};

	(void)state;
	strv_add(&words, "left");
	strv_add(&words, "out");
	strv_add(&words, "a  b");
	assert_int_equal(marker_text_words(&words, 1, &line, NULL), 0);
	expect(&line, "out a  b");
	marker_line_fini(&line);
	strv_add(&words, "c\n");
	assert_int_equal(marker_text_words(&words, 3, &line, NULL), 0);
	expect(&line, "c");
	marker_line_fini(&line);
}

static void test_bad_words(void **state)
{
	static const char *const bad[] = {"", "\n", "a\nb", "a\n\n"};

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		cleanup(strv_fini) struct strv words = {0};
		struct marker_line line = {0};

		strv_add(&words, bad[i]);
		assert_int_equal(marker_text_words(&words, 0, &line, NULL), -EINVAL);
		marker_line_fini(&line);
	}
}

static void test_grammar(void **state)
{
	struct marker_line line = {0};

	(void)state;
	assert_int_equal(marker_text_async('S', 12, "read file", 7, &line, NULL), 0);
	expect(&line, "S|12|read file|7");
	marker_line_fini(&line);
	assert_int_equal(marker_text_instant(3, "now", &line, NULL), 0);
	expect(&line, "I|3|now");
	marker_line_fini(&line);
	assert_int_equal(marker_text_counter(3, "a=b=-9223372036854775808", &line, NULL), 0);
	expect(&line, "C|3|a=b|-9223372036854775808");
	marker_line_fini(&line);
}

static void test_bad_counters(void **state)
{
	static const char *const bad[] = {"",	 "a",	  "=1",	  "a=",	   "a=1.5",
					  "a=x", "a|b=1", "a=1 ", "a\n=1", "a=9223372036854775808"};

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		struct marker_line line = {0};
		struct err err = {0};

		assert_int_equal(marker_text_counter(1, bad[i], &line, &err), -EINVAL);
		assert_true(err.text[0]);
		marker_line_fini(&line);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(marker_check_name("a b-\xc3\xa9", NULL), 0);
	assert_int_equal(marker_check_name("", NULL), -EINVAL);
	assert_int_equal(marker_check_name("a|b", NULL), -EINVAL);
	assert_int_equal(marker_check_name("a\tb", NULL), -EINVAL);
	assert_int_equal(marker_check_name("a\x7f", NULL), -EINVAL);
}

/* Readers take cookies for signed numbers of 32 bits. */
static void test_cookie(void **state)
{
	(void)state;
	assert_int_equal(marker_cookie("upload"), marker_cookie("upload"));
	assert_int_not_equal(marker_cookie("upload"), marker_cookie("uplaod"));
	for (int i = 0; i < 1000; i++) {
		cleanup_free char *name = xasprintf("name %d", i);

		assert_true(marker_cookie(name) <= INT32_MAX);
	}
}

static void test_utf8(void **state)
{
	static const char *const good[] = {"",
					   "a",
					   "\xc3\xa9",
					   "\xe2\x82\xac",
					   "\xf0\x9f\x98\x80",
					   "\xf4\x8f\xbf\xbf",
					   "\xed\x9f\xbf"};
	static const char *const bad[] = {"\xff",
					  "\xc3",
					  "\xa9",
					  "\xc0\x80",
					  "\xe0\x80\x80",
					  "\xed\xa0\x80",
					  "\xf0\x80\x80\x80",
					  "\xf4\x90\x80\x80",
					  "z\xe2\x82z"};

	(void)state;
	for (size_t i = 0; i < array_size(good); i++)
		assert_true(marker_is_utf8(good[i], strlen(good[i])));
	for (size_t i = 0; i < array_size(bad); i++)
		assert_false(marker_is_utf8(bad[i], strlen(bad[i])));
}

static size_t cut(const char *s, size_t limit)
{
	return marker_cut(s, strlen(s), limit);
}

static void test_cut(void **state)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
	static const size_t wanted[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};

	(void)state;
	for (size_t limit = 0; limit < array_size(wanted); limit++)
		assert_int_equal(cut(text, limit), wanted[limit]);
	/* What is no UTF-8 is cut where the limit is. */
	assert_int_equal(cut("\x80\x80\x80\x80\x80\x80", 4), 4);
	assert_int_equal(cut("\xe2zz\xac", 2), 2);
	assert_int_equal(cut("\xff\xff\xff", 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_grammar), cmocka_unit_test(test_bad_counters),
		cmocka_unit_test(test_names),	cmocka_unit_test(test_cookie),
		cmocka_unit_test(test_utf8),	cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

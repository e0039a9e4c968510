/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a user event, and their values as bytes. */
#include "../test.h"

#include <string.h>

#include "cmd/marker_fields.h"
#include "util/mem.h"

static void test_text(void **state)
{
	cleanup(marker_fields_fini) struct marker_fields fields = {0};
	cleanup_free char *text = NULL;

	(void)state;
	assert_int_equal(marker_fields_parse(" u32 id; char what[16];char[8] more; string path ;"
					     "unsigned int n;",
					     &fields, NULL),
			 0);
	text = marker_fields_text("event", &fields);
	assert_string_equal(text, "event u32 id;char[16] what;char[8] more;__rel_loc char[] path;"
				  "unsigned int n");
}

static void test_bad(void **state)
{
	static const char *const bad[] = {"",	       ";;",	       "u32",	   "u33 a",
					  "u32 a b",   "u32 1a",       "u32 a[4]", "char a[]",
					  "char a[0]", "char a[9999]", "char a[4", "string s[3]",
					  "u32 a-b"};

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		cleanup(marker_fields_fini) struct marker_fields fields = {0};
		struct err err = {0};

		assert_int_equal(marker_fields_parse(bad[i], &fields, &err), -EINVAL);
		assert_true(err.text[0]);
	}
}

static int pack(const char *types, const char *values, struct strbuf *out)
{
	cleanup(marker_fields_fini) struct marker_fields fields = {0};
	cleanup(strv_fini) struct strv words = {0};
	struct err err = {0};

	assert_int_equal(marker_fields_parse(types, &fields, NULL), 0);
	strv_split(&words, values, ",");
	return marker_fields_pack(&fields, &words, 0, out, &err);
}

/* The layout of a C struct without holes, and after it the strings. */
static void test_pack(void **state)
{
	cleanup(strbuf_fini) struct strbuf data = {0};
	struct {
		uint32_t id;
		int16_t small;
		char what[4];
		uint8_t byte;
		uint32_t place;
		int64_t large;
		char path[3];
	} __attribute__((packed)) wanted = {7, -3, "abc", 255, 3 << 16 | 8, INT64_MIN, "xy"};

	(void)state;
	assert_int_equal(pack("u32 id;s16 small;char what[4];u8 byte;string path;s64 large",
			      "7,-3,abc,255,xy,-9223372036854775808", &data),
			 0);
	assert_int_equal(data.len, sizeof(wanted));
	assert_memory_equal(data.text, &wanted, sizeof(wanted));
}

static void test_ranges(void **state)
{
	static const struct {
		const char *type;
		const char *value;
		bool fits;
	} cases[] = {
		{"u8 a", "255", true},
		{"u8 a", "256", false},
		{"s8 a", "-128", true},
		{"s8 a", "128", false},
		{"u32 a", "-1", false},
		{"int a", "2147483648", false},
		{"int a", "-2147483648", true},
		{"u64 a", "18446744073709551615", true},
		{"u64 a", "18446744073709551616", false},
		{"u16 a", "x", false},
		{"char a[3]", "ab", true},
		{"char a[3]", "abc", false},
		{"u8 a", "1,2", false},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup(strbuf_fini) struct strbuf data = {0};

		assert_int_equal(pack(cases[i].type, cases[i].value, &data) == 0, cases[i].fits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

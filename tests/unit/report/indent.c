/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The indentation of functions under their callers. */
#include "../test.h"

#include "out/indent.h"

static void follows_callers(void **state)
{
	struct indent *indent = indent_new();
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t same;

	(void)state;
	assert_string_equal(indent_name(indent, "a", &a), "a");
	indent_name(indent, "b", &b);
	indent_name(indent, "c", &c);
	indent_name(indent, "a", &same);
	assert_int_equal(a, same);
	assert_int_not_equal(a, b);
	assert_int_equal(indent_level(indent, 0, a, b), 0);
	assert_int_equal(indent_level(indent, 0, b, c), 1);
	assert_int_equal(indent_level(indent, 0, c, a), 2);
	assert_int_equal(indent_level(indent, 0, a, c), 0);
	/* What stands deeper is never forgotten: c took the place of b, a is still behind the old c. */
	assert_int_equal(indent_level(indent, 0, c, b), 1);
	/* Other CPUs have lists of their own. */
	assert_int_equal(indent_level(indent, 7, c, b), 0);
	assert_int_equal(indent_level(indent, 7, b, 0), 1);
	indent_free(indent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_callers),
	};

	return cmocka_run_group_tests_name("indent", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of this very program, and of damaged copies of it. */
#include "util/elf.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "util/io.h"
#include "util/mem.h"
#include "util/str.h"

/* Bytes that are nowhere else. */
__attribute__((noinline, used)) static int elf_test_landmark(int x)
{
	return x * 0x5eed + 0x1234567;
}

static void test_found(void **state)
{
	cleanup(strbuf_fini) struct strbuf file = {0};
	uint64_t offset = 0;
	struct err err = {0};

	(void)state;
	assert_int_equal(io_read_file("/proc/self/exe", &file, &err), 0);
	if (elf_find_symbol("/proc/self/exe", "elf_test_landmark", &offset, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(offset + 16 <= file.len);
	assert_memory_equal(file.text + offset, (const void *)elf_test_landmark, 16);
}

static void test_refused(void **state)
{
	uint64_t offset;
	struct err err = {0};

	(void)state;
	assert_int_equal(elf_find_symbol("/proc/self/exe", "elf_test_landmrak", &offset, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "did you mean elf_test_landmark"));
	assert_int_equal(elf_find_symbol("/etc/passwd", "main", &offset, &err), -ENOEXEC);
	assert_int_equal(elf_find_symbol("/nonexistent", "main", &offset, &err), -ENOENT);
	assert_int_equal(elf_find_symbol("/dev/null", "main", &offset, &err), -ENOEXEC);
}

/* Every cut, and a wrong byte everywhere in the head: an answer, and no byte read outside (the
 * sanitizers see that). */
static void test_damaged(void **state)
{
	cleanup(strbuf_fini) struct strbuf file = {0};
	uint64_t offset;
	struct err err = {0};

	(void)state;
	assert_int_equal(io_read_file("/proc/self/exe", &file, &err), 0);
	for (size_t len = 0; len < file.len; len = len * 2 + 1) {
		cleanup_free uint8_t *copy = xmalloc(len + 1);

		memcpy(copy, file.text, len);
		assert_true(elf_find_symbol_in(copy, len, "cut", "elf_test_landmark", &offset,
					       NULL) < 0);
	}
	for (size_t at = 4; at < 64; at++) {
		char old = file.text[at];

		file.text[at] = (char)(old ^ 0x7f);
		elf_find_symbol_in((uint8_t *)file.text, file.len, "bent", "no_such_symbol",
				   &offset, &err);
		assert_true(err.code != 0);
		file.text[at] = old;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

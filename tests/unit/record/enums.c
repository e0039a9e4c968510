/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names of a print format are replaced, and by what. */
#include "record/enums.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/record/blob.h"
#include "util/io.h"

struct folder {
	char path[64];
};

static void write_blob(const struct folder *folder, const char *name, const struct blob *blob)
{
	cleanup_free char *path = xasprintf("%s/%s", folder->path, name);
	cleanup_free uint8_t *data = NULL;
	size_t len;
	FILE *f = fopen(path, "w");

	data = blob_build(blob, &len);
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	cleanup(blob_fini) struct blob kernel = {0};
	cleanup(blob_fini) struct blob module = {0};
	struct folder *folder = xzalloc(sizeof(*folder));

	strcpy(folder->path, "/tmp/ft-btf.XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	blob_string(&kernel, "");
	blob_enum(&kernel, "A", 1, false);
	blob_enum(&kernel, "B", 2, false);
	blob_enum(&kernel, "MINUS", (uint32_t)-5, true);
	blob_enum(&kernel, "TOP", 0x80000000, false);
	blob_enum64(&kernel, "MOST", UINT64_MAX, false);
	blob_enum64(&kernel, "WIDE", 1ull << 40, false);
	blob_enum(&kernel, "TWICE", 3, false);
	blob_enum(&kernel, "TWICE", 3, false);
	blob_enum(&kernel, "BOTH", 3, false);
	blob_enum(&kernel, "name", 7, false);
	blob_enum(&kernel, "u64", 8, false);
	blob_enum(&kernel, "struct", 9, false);
	write_blob(folder, "vmlinux", &kernel);
	module.base = kernel.strings.len;
	blob_enum(&module, "IN_MODULE", 11, false);
	blob_enum(&module, "BOTH", 4, false);
	write_blob(folder, "module", &module);
	*state = folder;
	return 0;
}

static int teardown(void **state)
{
	struct folder *folder = *state;
	cleanup_free char *kernel = xasprintf("%s/vmlinux", folder->path);
	cleanup_free char *module = xasprintf("%s/module", folder->path);

	unlink(kernel);
	unlink(module);
	rmdir(folder->path);
	free(folder);
	return 0;
}

/* What becomes of the text behind "print fmt: ". */
static void check(const char *dir, const char *print, const char *want)
{
	static const char head[] = "name: A\nID: 1\nformat:\n\tfield:int A;\toffset:0;\tsize:4;"
				   "\tsigned:1;\n\nprint fmt: ";
	cleanup_free char *format = xasprintf("%s%s\n", head, print);
	cleanup_free char *wanted = xasprintf("%s%s\n", head, want);
	cleanup(enums_fini) struct enums enums = {0};
	cleanup_free char *got = NULL;

	enums_want(&enums, format);
	enums_load(&enums, dir);
	got = enums_put(&enums, format);
	if (strcmp(print, want) == 0)
		assert_null(got);
	else
		assert_non_null(got);
	if (got)
		assert_string_equal(got, wanted);
}

static void test_replaced(void **state)
{
	const struct folder *folder = *state;
	static const char *const pairs[][2] = {
		{"\"%s\", __print_symbolic(REC->A, { A, \"A\" }, {B, \"B\"})",
		 "\"%s\", __print_symbolic(REC->A, { 1, \"A\" }, {2, \"B\"})"},
		{"\"%s\", __print_flags(REC->A, \"|\", { (1 << A), \"A\" }, { ((1UL)) << (B), \"B\" })",
		 "\"%s\", __print_flags(REC->A, \"|\", { (1 << 1), \"A\" }, { ((1UL)) << (2), \"B\" })"},
		{"\"%d\", REC->A == A ? B : (B)", "\"%d\", REC->A == 1 ? 2 : (2)"},
		{"\"%d\", (A) & REC->A", "\"%d\", (1) & REC->A"},
		{"\"%d\", 1 -MINUS, (u8)MINUS", "\"%d\", 1 - -5, (u8)-5"},
		{"\"%d\", MOST, WIDE", "\"%d\", 18446744073709551615ULL, 1099511627776"},
		{"\"%d\", TWICE", "\"%d\", 3"},
		{"\"%d\", IN_MODULE", "\"%d\", 11"},
		{"\"%d\", __print_array(__get_dynamic_array(name), A)",
		 "\"%d\", __print_array(__get_dynamic_array(name), 1)"},
		{"\"%d\", ({ int A = B; A; }), A", "\"%d\", ({ int A = B; A; }), 1"},
	};

	for (size_t i = 0; i < array_size(pairs); i++)
		check(folder->path, pairs[i][0], pairs[i][1]);
}

static void test_kept(void **state)
{
	const struct folder *folder = *state;
	static const char *const prints[] = {
		"\"A %d \\\" A\", REC->A",
		"\"%d\", REC->x.A, REC -> A",
		"\"%d\", A(1), A (1), xA, A2, 'A', 0xA, 1A",
		"\"%s\", __get_str(name), __get_rel_str( name )",
		"\"%d\", sizeof(u64), (u64)REC->x, (u64)(1), (u64 *)REC->x, (struct A *)REC->x",
		"\"%d\", A.x, A->x, A[1]",
		"\"%d\", TOP, BOTH, UNKNOWN",
		"\"A",
		"({ A",
		"",
		"\"\\",
	};

	for (size_t i = 0; i < array_size(prints); i++)
		check(folder->path, prints[i], prints[i]);
}

static void test_nothing_there(void **state)
{
	cleanup(enums_fini) struct enums enums = {0};
	const struct folder *folder = *state;

	check("/nonexistent", "\"%d\", A", "\"%d\", A");
	/* A base that cannot be used leaves its modules alone. */
	enums_want(&enums, "no print format, A");
	assert_int_equal(enums.nr, 0);
	enums_load(&enums, folder->path);
	assert_null(enums_put(&enums, "\nprint fmt: \"%d\", A"));
}

/* More names than the table begins with. */
static void test_many(void **state)
{
	const struct folder *folder = *state;
	cleanup(strbuf_fini) struct strbuf print = {0};
	cleanup_free char *want = NULL;

	strbuf_add(&print, "\"%d\"");
	for (int i = 0; i < 2000; i++)
		strbuf_addf(&print, ", NAME_%d", i);
	want = xasprintf("%s, 2", strbuf_str(&print));
	strbuf_add(&print, ", B");
	check(folder->path, strbuf_str(&print), want);
}

static void test_kernel(void **state)
{
	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		skip();
	check("/sys/kernel/btf", "\"%s\", __print_symbolic(REC->A, { IOPRIO_CLASS_RT, \"rt\" })",
	      "\"%s\", __print_symbolic(REC->A, { 1, \"rt\" })");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),      cmocka_unit_test(test_kept),
		cmocka_unit_test(test_nothing_there), cmocka_unit_test(test_many),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests_name("enums", tests, setup, teardown);
}

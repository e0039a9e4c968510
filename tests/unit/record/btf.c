/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Enumerators out of BTF: made by hand, damaged, and the kernel's. */
#include "record/btf.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/record/blob.h"
#include "util/io.h"

static void list_one(void *ctx, const char *name, const struct btf_value *value)
{
	struct strbuf *out = ctx;

	if (value->is_signed)
		strbuf_addf(out, "%s=%" PRId64 " ", name, (int64_t)value->bits);
	else
		strbuf_addf(out, "%s=%" PRIu64 "%s ", name, value->bits,
			    value->is_unsure ? "?" : "");
}

static int list(const void *data, size_t len, const struct btf *base, struct strbuf *out,
		struct err *err)
{
	struct btf btf;
	int r = btf_open(data, len, base, &btf, err);

	return r < 0 ? r : btf_each_enumerator(&btf, list_one, out, err);
}

/* One of each kind that there is, with enums between them. */
static void fill(struct blob *blob)
{
	static const uint8_t empty[] = {2, 7, 8, 9, 10, 11, 12, 16, 18};

	blob_string(blob, "");
	blob_type(blob, 1, 0, false, 4, 1);
	blob_type(blob, 3, 0, false, 0, 3);
	blob_type(blob, 4, 2, false, 8, 6);
	blob_enum(blob, "ONE", 1, false);
	blob_type(blob, 5, 1, true, 8, 3);
	blob_type(blob, 13, 3, false, 0, 6);
	blob_enum(blob, "MINUS", (uint32_t)-2, true);
	blob_type(blob, 14, 0, false, 0, 1);
	blob_type(blob, 15, 2, false, 0, 6);
	blob_type(blob, 17, 0, false, 0, 1);
	for (size_t i = 0; i < sizeof(empty); i++)
		blob_type(blob, empty[i], 0, false, 0, 0);
	blob_enum64(blob, "WIDE", 0x123456789, false);
	blob_enum64(blob, "LEAST", (uint64_t)INT64_MIN, true);
	blob_enum(blob, "TOP", 0x80000000, false);
	/* Cut by old makers of BTF. */
	blob_type(blob, 6, 1, false, 8, 2);
}

static void test_kinds(void **state)
{
	cleanup(blob_fini) struct blob blob = {0};
	cleanup(strbuf_fini) struct strbuf out = {0};
	cleanup_free uint8_t *data = NULL;
	struct err err = {0};
	size_t len;

	(void)state;
	fill(&blob);
	data = blob_build(&blob, &len);
	assert_int_equal(list(data, len, NULL, &out, &err), 0);
	assert_string_equal(strbuf_str(&out), "ONE=1 MINUS=-2 WIDE=4886718345 "
					      "LEAST=-9223372036854775808 TOP=2147483648? ");
}

static void test_module(void **state)
{
	cleanup(blob_fini) struct blob kernel = {0};
	cleanup(blob_fini) struct blob module = {0};
	cleanup(strbuf_fini) struct strbuf out = {0};
	cleanup_free uint8_t *kernel_data = NULL;
	cleanup_free uint8_t *data = NULL;
	struct err err = {0};
	struct btf base;
	size_t len;

	(void)state;
	blob_string(&kernel, "");
	blob_string(&kernel, "SHARED");
	kernel_data = blob_build(&kernel, &len);
	assert_int_equal(btf_open(kernel_data, len, NULL, &base, &err), 0);
	module.base = kernel.strings.len;
	blob_enum(&module, "OWN", 5, false);
	blob_type(&module, 6, 1, false, 4, 0);
	blob_word(&module, 1);
	blob_word(&module, 6);
	data = blob_build(&module, &len);
	assert_int_equal(list(data, len, &base, &out, &err), 0);
	assert_string_equal(strbuf_str(&out), "OWN=5 SHARED=6 ");
	assert_int_equal(list(data, len, NULL, &out, &err), -EPROTO);
}

static void check_error(struct blob *blob, const char *want)
{
	cleanup(strbuf_fini) struct strbuf out = {0};
	cleanup_free uint8_t *data = NULL;
	struct err err = {0};
	size_t len;

	data = blob_build(blob, &len);
	assert_int_equal(list(data, len, NULL, &out, &err), -EPROTO);
	assert_string_equal(err.text, want);
}

static void test_wrong(void **state)
{
	cleanup(blob_fini) struct blob members = {0};
	cleanup(blob_fini) struct blob kind = {0};
	cleanup(blob_fini) struct blob name = {0};
	cleanup(blob_fini) struct blob open_end = {0};

	(void)state;
	blob_type(&members, 6, 2, false, 4, 3);
	check_error(&members, "the last type of the BTF is cut off");
	blob_type(&kind, 20, 0, false, 4, 0);
	check_error(&kind, "the BTF has a type of unknown kind 20");
	blob_string(&name, "");
	blob_type(&name, 6, 1, false, 4, 0);
	blob_word(&name, 1);
	blob_word(&name, 0);
	check_error(&name, "the BTF has no string at 1");
	strbuf_add_mem(&open_end.strings, "x", 1);
	check_error(&open_end, "the last string of the BTF has no end");
}

/* Each length, and each byte in turn with other values: in memory of just that size, so that a
 * sanitizer sees the first byte read too far. */
static void test_damage(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	cleanup(blob_fini) struct blob blob = {0};
	cleanup_free uint8_t *data = NULL;
	size_t len;

	(void)state;
	fill(&blob);
	data = blob_build(&blob, &len);
	for (size_t cut = 0; cut < len; cut++) {
		cleanup(strbuf_fini) struct strbuf out = {0};
		cleanup_free uint8_t *copy = xmalloc(cut ? cut : 1);

		memcpy(copy, data, cut);
		assert_int_equal(list(copy, cut, NULL, &out, NULL), -EPROTO);
	}
	for (size_t at = 0; at < len * array_size(values); at++) {
		cleanup(strbuf_fini) struct strbuf out = {0};
		cleanup_free uint8_t *copy = xmalloc(len);

		memcpy(copy, data, len);
		copy[at / array_size(values)] = values[at % array_size(values)];
		list(copy, len, NULL, &out, NULL);
	}
}

static void count_one(void *ctx, const char *name, const struct btf_value *value)
{
	size_t *found = ctx;

	found[0]++;
	if (strcmp(name, "IOPRIO_CLASS_IDLE") == 0 && value->bits == 3)
		found[1]++;
}

static void test_kernel(void **state)
{
	cleanup(strbuf_fini) struct strbuf data = {0};
	size_t found[2] = {0};
	struct err err = {0};
	struct btf btf;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		skip();
	assert_int_equal(io_read_file("/sys/kernel/btf/vmlinux", &data, &err), 0);
	assert_int_equal(btf_open(data.text, data.len, NULL, &btf, &err), 0);
	if (btf_each_enumerator(&btf, count_one, found, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(found[0] > 1000);
	assert_int_equal(found[1], 1);
}

/* A function that every kernel has. */
static void test_function(void **state)
{
	cleanup(strbuf_fini) struct strbuf file = {0};
	struct btf_function f;
	struct btf btf;

	(void)state;
	if (io_read_file("/sys/kernel/btf/vmlinux", &file, NULL) < 0)
		skip();
	assert_int_equal(btf_open(file.text, file.len, NULL, &btf, NULL), 0);
	assert_int_equal(btf_find_function(&btf, "no_such_function", &f, NULL), -ENOENT);
	assert_int_equal(btf_find_function(&btf, "vfs_read", &f, NULL), 0);
	assert_int_equal(f.nr, 4);
	assert_string_equal(f.argument[2].name, "count");
	assert_int_equal(f.argument[0].kind, BTF_ARGUMENT_POINTER);
	assert_int_equal(f.argument[1].kind, BTF_ARGUMENT_TEXT);
	assert_int_equal(f.argument[2].kind, BTF_ARGUMENT_UNSIGNED);
	assert_int_equal(f.argument[2].size, sizeof(size_t));
	assert_int_equal(f.result.kind, BTF_ARGUMENT_SIGNED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_module),	 cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_damage),	 cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests_name("btf", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The undo list, its journal, and what the kernel's lists show. */
#include "session/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/shown.h"
#include "tests/unit/test.h"
#include "util/io.h"
#include "util/mem.h"

static int journal_of(const char *text)
{
	int fd = memfd_create("journal", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
	return fd;
}

static char *text_of(int fd)
{
	struct strbuf sb = {0};

	assert_true(lseek(fd, 0, SEEK_SET) == 0);
	assert_int_equal(io_read_fd(fd, &sb), 0);
	return strbuf_take(&sb);
}

static void test_round_trip(void **state)
{
	static const struct undo entries[] = {
		{UNDO_WRITE, (char *)"/t/current_tracer", (char *)"nop"},
		{UNDO_LIST, (char *)"/t/set_ftrace_filter", (char *)"vfs_read\nvfs_write\n"},
		{UNDO_LIST, (char *)"/t/set_ftrace_notrace", (char *)""},
		{UNDO_REMOVE, (char *)"/t/instances/a\tb\\c\nd", (char *)""},
		{UNDO_WRITE, (char *)"/t/filter", (char *)"comm == \"a\\n\tb\\\\\" || x\n"},
		{UNDO_WRITE, (char *)"/t/filter", (char *)"ends in \\"},
		{UNDO_WRITE, (char *)"#/not/a/comment", (char *)"#neither"},
	};
	cleanup_close int fd = journal_of("");
	struct undo_list out = {.journal = fd};
	struct undo_list in = {.journal = -1};
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < array_size(entries); i++)
		assert_int_equal(
			undo_add(&out, entries[i].kind, entries[i].path, entries[i].text, &err), 0);
	assert_int_equal(undo_read_journal(fd, &in, &err), 0);
	assert_int_equal(in.nr, array_size(entries));
	assert_int_equal(out.nr, array_size(entries));
	for (size_t i = 0; i < in.nr; i++) {
		assert_int_equal(in.entry[i].kind, entries[i].kind);
		assert_string_equal(in.entry[i].path, entries[i].path);
		assert_string_equal(in.entry[i].text, entries[i].text);
		assert_string_equal(out.entry[i].text, entries[i].text);
	}
	undo_list_fini(&in);
	undo_list_fini(&out);
}

/* One line an entry, whatever is in it: else a cut line could look whole. */
/* What the kernel refused is not there to be taken back, for whoever reads the journal either. */
static void test_refused(void **state)
{
	cleanup_close int fd = journal_of("");
	struct undo_list out = {.journal = fd};
	struct undo_list in = {.journal = -1};

	(void)state;
	assert_int_equal(undo_add(&out, UNDO_WRITE, "/t/filter", "0", NULL), 0);
	assert_int_equal(undo_add(&out, UNDO_APPEND, "/t/trigger", "!hist:keys=x\n", NULL), 0);
	undo_forget_last(&out);
	assert_int_equal(undo_add(&out, UNDO_WRITE, "/t/other", "1", NULL), 0);
	assert_int_equal(undo_read_journal(fd, &in, NULL), 0);
	assert_int_equal(out.nr, 2);
	assert_int_equal(in.nr, 2);
	assert_string_equal(in.entry[0].path, "/t/filter");
	assert_string_equal(in.entry[1].path, "/t/other");
	undo_list_fini(&in);
	undo_list_fini(&out);
}

/* A file that cannot be written has not been changed; one that is otherwise has to be told. */
static void test_as_it_was(void **state)
{
	static const char path[] = "/proc/sys/kernel/ostype";
	struct undo_list list = {.journal = -1};
	struct err err = {0};

	(void)state;
	assert_int_equal(undo_add(&list, UNDO_WRITE, path, "Linux", NULL), 0);
	assert_int_equal(undo_run(&list, &err), 0);
	assert_int_equal(undo_add(&list, UNDO_WRITE, path, "Other", NULL), 0);
	assert_true(undo_run(&list, &err) < 0);
	assert_true(str_starts(err.text, "cannot put /proc/sys/kernel/ostype back to 'Other'"));
}

static void test_lines(void **state)
{
	cleanup_close int fd = journal_of("");
	struct undo_list list = {.journal = fd};
	cleanup_free char *text = NULL;

	(void)state;
	assert_int_equal(undo_add(&list, UNDO_LIST, "/t/x", "a\nb\t\\\n", NULL), 0);
	assert_int_equal(undo_add(&list, UNDO_REMOVE, "/t/instances/i", "", NULL), 0);
	text = text_of(fd);
	assert_string_equal(text, "L\t/t/x\ta\\nb\\t\\\\\\n\nR\t/t/instances/i\t\n");
	undo_list_fini(&list);
}

static void check_read(const char *text, int want, size_t want_nr)
{
	cleanup_close int fd = journal_of(text);
	struct undo_list list = {.journal = -1};
	struct err err = {0};

	assert_int_equal(undo_read_journal(fd, &list, &err), want);
	assert_int_equal(list.nr, want_nr);
	assert_true((want == 0) == (err.text[0] == '\0'));
	undo_list_fini(&list);
}

/* The change of a line that is cut has not been made: it is written before the change. */
static void test_cut_line(void **state)
{
	static const char whole[] = "W\t/t/a\t1\nW\t/t/b\t22\n";

	(void)state;
	check_read(whole, 0, 2);
	for (size_t len = 0; len < strlen(whole); len++) {
		cleanup_free char *cut = xstrndup(whole, len);

		check_read(cut, 0, len >= strlen("W\t/t/a\t1\n") ? 1 : 0);
	}
	check_read("# a remark\nW\t/t/a\t1\n", 0, 1);
}

static void test_wrong_line(void **state)
{
	(void)state;
	check_read("X\t/t/a\t1\n", -EPROTO, 0);
	check_read("W\t/t/a\n", -EPROTO, 0);
	check_read("W /t/a\t1\n", -EPROTO, 0);
	check_read("\n", -EPROTO, 0);
}

/* A journal that cannot be written stops the change. */
static void test_full_journal(void **state)
{
	cleanup_close int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct undo_list list = {.journal = fd};
	struct err err = {0};

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(undo_add(&list, UNDO_WRITE, "/t/a", "1", &err), -ENOSPC);
	assert_string_equal(err.text, "cannot write the undo journal: No space left on device");
	assert_int_equal(list.nr, 0);
	undo_list_fini(&list);
}

static void put(const char *dir, const char *file, const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, file);
	cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
}

static void check_file(const char *dir, const char *file, const char *want)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, file);
	cleanup(strbuf_fini) struct strbuf got = {0};

	assert_int_equal(io_read_file(path, &got, NULL), 0);
	assert_string_equal(strbuf_str(&got), want);
	assert_int_equal(unlink(path), 0);
}

static void add(struct undo_list *list, enum undo_kind kind, const char *dir, const char *file,
		const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, file);

	assert_int_equal(undo_add(list, kind, path, text, NULL), 0);
}

/* Newest first, so that the oldest content is what stays. */
static void test_run(void **state)
{
	char dir[] = "/tmp/ft-undo.XXXXXX";
	cleanup_free char *inside = NULL;
	struct undo_list list = {.journal = -1};
	struct err err = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	inside = xasprintf("%s/instance", dir);
	assert_int_equal(mkdir(inside, 0755), 0);
	put(dir, "value", "3");
	put(dir, "list", "new\nmore\n");
	add(&list, UNDO_REMOVE, dir, "instance", "");
	add(&list, UNDO_WRITE, dir, "value", "1");
	add(&list, UNDO_WRITE, dir, "value", "2");
	add(&list, UNDO_LIST, dir, "list", "old\nolder\n");
	/* What went away with its event needs nothing put back. */
	add(&list, UNDO_WRITE, dir, "gone", "1");
	add(&list, UNDO_REMOVE, dir, "gone", "");
	assert_int_equal(undo_run(&list, &err), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(list.nr, 0);
	assert_int_equal(access(inside, F_OK), -1);
	check_file(dir, "value", "1");
	check_file(dir, "list", "old\nolder\n");
	assert_int_equal(rmdir(dir), 0);
}

/* One that fails is told, and does not keep the others from being put back. */
static void test_run_goes_on(void **state)
{
	char dir[] = "/tmp/ft-undo.XXXXXX";
	cleanup_free char *inside = NULL;
	struct undo_list list = {.journal = -1};
	struct err err = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	inside = xasprintf("%s/full", dir);
	assert_int_equal(mkdir(inside, 0755), 0);
	put(dir, "value", "2");
	put(inside, "x", "");
	add(&list, UNDO_WRITE, dir, "value", "1");
	add(&list, UNDO_REMOVE, dir, "full", "");
	assert_int_equal(undo_run(&list, &err), -ENOTEMPTY);
	assert_non_null(strstr(err.text, "/full"));
	assert_non_null(strstr(err.text, "not empty"));
	check_file(inside, "x", "");
	check_file(dir, "value", "1");
	assert_int_equal(rmdir(inside), 0);
	assert_int_equal(rmdir(dir), 0);
}

struct shown {
	const char *shown;
	const char *want;
};

/* As kernels 4.19 to 6.18 show them. */
static void test_list_text(void **state)
{
	static const struct shown cases[] = {
		{"#### all functions enabled ####\n", ""},
		{"#### no functions disabled ####\n", ""},
		{"no pid\n", ""},
		{"", ""},
		{"vfs_read\nvfs_write\n", "vfs_read\nvfs_write\n"},
		{"ext4_iget [ext4]\nvfs_read\n", "ext4_iget:mod:ext4\nvfs_read\n"},
		{"ext4_iget\t[ext4]\n", "ext4_iget:mod:ext4\n"},
		{"vfs_read (1)           \tR\n", "vfs_read\n"},
		{"vfs_read\nschedule:traceoff:unlimited\nkfree:stacktrace:count=3\n", "vfs_read\n"},
		{"#### all functions enabled ####\nschedule:traceoff:unlimited\n", ""},
		{"1\n4711\n", "1\n4711\n"},
		/* Functions of a module that is not there yet: emptying the list forgets them. */
		{"vfs_read\n*:mod:ext4\n", "vfs_read\n*:mod:ext4\n"},
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		cleanup_free char *got = shown_list(cases[i].shown);

		assert_string_equal(got, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_as_it_was),    cmocka_unit_test(test_lines),
		cmocka_unit_test(test_cut_line),     cmocka_unit_test(test_wrong_line),
		cmocka_unit_test(test_full_journal), cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_goes_on),  cmocka_unit_test(test_list_text),
	};

	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}

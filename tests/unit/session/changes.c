/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The entries of lasting changes: numbered, sealed, taken back newest first, and only while nobody
 * else has changed the same since. */
#include "session/changes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "util/io.h"
#include "util/mem.h"

/* A directory for the entries, and files that stand for the kernel's. */
struct bed {
	char dir[32];
	char *value;
	char *list;
};

static void put(const char *path, const char *text)
{
	cleanup_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
}

static void check_file(const char *path, const char *want)
{
	cleanup(strbuf_fini) struct strbuf got = {0};

	assert_int_equal(io_read_file(path, &got, NULL), 0);
	assert_string_equal(strbuf_str(&got), want);
}

static int setup(void **state)
{
	struct bed *bed = xzalloc(sizeof(*bed));

	strcpy(bed->dir, "/tmp/ft-changes.XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	bed->value = xasprintf("%s/value", bed->dir);
	bed->list = xasprintf("%s/list", bed->dir);
	put(bed->value, "1");
	put(bed->list, "a\n");
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *command = xasprintf("rm -rf '%s'", bed->dir);

	assert_int_equal(system(command), 0);
	free(bed->value);
	free(bed->list);
	free(bed);
	return 0;
}

/* Writes @text to the value as one change would. */
static void change(struct bed *bed, const char *command, const char *text)
{
	struct undo_list list = {0};
	cleanup(strbuf_fini) struct strbuf old = {0};
	cleanup_free char *path = NULL;
	cleanup_close int fd = changes_new(bed->dir, command, &path, NULL);

	assert_true(fd >= 0);
	assert_non_null(path);
	list.journal = fd;
	assert_int_equal(io_read_file(bed->value, &old, NULL), 0);
	assert_int_equal(undo_add(&list, UNDO_WRITE, bed->value, old.text, NULL), 0);
	put(bed->value, text);
	assert_int_equal(changes_seal(&list, NULL), 0);
	undo_list_fini(&list);
}

static void undo(struct bed *bed, bool force, int want, const char *want_command)
{
	struct err err = {0};
	cleanup_free char *command = NULL;

	cleanup(strbuf_fini) struct strbuf lines = {0};
	const struct changes_ask ask = {.force = force};

	assert_int_equal(changes_undo(bed->dir, &ask, &command, &lines, &err), want);
	assert_string_equal(strbuf_str(&lines), "");
	assert_int_equal(err.code, -want);
	if (want_command)
		assert_string_equal(command, want_command);
}

static void test_newest_first(void **state)
{
	struct bed *bed = *state;
	cleanup(strv_fini) struct strv commands = {0};

	change(bed, "ft set first", "2");
	change(bed, "ft set 'two\nlines'", "3");
	changes_list(bed->dir, &commands);
	assert_int_equal(commands.nr, 2);
	assert_true(str_ends(commands.item[0], " ft set 'two\nlines'"));
	assert_true(str_ends(commands.item[1], " ft set first"));
	undo(bed, false, 0, "ft set 'two\nlines'");
	check_file(bed->value, "2");
	undo(bed, false, 0, "ft set first");
	check_file(bed->value, "1");
	undo(bed, false, -ENOENT, NULL);
}

/* Only said, not done; and only of an instance, past newer ones of others. */
static void test_ask(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *top = take_ptr(bed->value);
	cleanup_free char *made =
		xasprintf("mkdir -p %s/instances/mine %s/instances/minee", bed->dir, bed->dir);
	struct changes_ask ask = {.instance = "mine", .dry_run = true};
	cleanup(strbuf_fini) struct strbuf lines = {0};
	cleanup_free char *want = NULL;
	cleanup_free char *command = NULL;
	struct err err = {0};

	assert_int_equal(system(made), 0);
	bed->value = xasprintf("%s/instances/mine/value", bed->dir);
	put(bed->value, "it's 1");
	change(bed, "ft set --instance mine a", "2");
	want = xasprintf("echo 'it'\\''s 1' > %s\n", bed->value);
	free(bed->value);
	bed->value = take_ptr(top);
	change(bed, "ft set b", "2");

	assert_int_equal(changes_undo(bed->dir, &ask, &command, &lines, &err), 0);
	assert_string_equal(strbuf_str(&lines), want);
	assert_string_equal(command, "ft set --instance mine a");
	ask = (struct changes_ask){.instance = "min"};
	free(take_ptr(command));
	assert_int_equal(changes_undo(bed->dir, &ask, &command, &lines, &err), -ENOENT);
	assert_string_equal(err.text, "there is no change of ft's in instance min to take back");
	ask.instance = "mine";
	assert_int_equal(changes_undo(bed->dir, &ask, &command, &lines, &err), 0);
	assert_string_equal(command, "ft set --instance mine a");
	undo(bed, false, 0, "ft set b");
	check_file(bed->value, "1");
}

static void test_changed_by_others(void **state)
{
	struct bed *bed = *state;

	change(bed, "ft set a", "2");
	put(bed->value, "9\n");
	undo(bed, false, -EBUSY, "ft set a");
	check_file(bed->value, "9\n");
	undo(bed, true, 0, "ft set a");
	check_file(bed->value, "1\n");
}

/* Somebody who has put it back already is in nobody's way. */
static void test_put_back_by_others(void **state)
{
	struct bed *bed = *state;

	change(bed, "ft set a", "2");
	put(bed->value, "1\n");
	undo(bed, false, 0, "ft set a");
}

/* The kernel shows lists in the order of its hashes. */
static void test_lists_are_sets(void **state)
{
	struct bed *bed = *state;
	struct undo_list list = {0};
	cleanup_free char *path = NULL;
	cleanup_close int fd = changes_new(bed->dir, "ft filter", &path, NULL);

	list.journal = fd;
	assert_int_equal(undo_add(&list, UNDO_LIST, bed->list, "a\n", NULL), 0);
	put(bed->list, "b\nc\n");
	assert_int_equal(changes_seal(&list, NULL), 0);
	undo_list_fini(&list);
	close(take_fd(fd));
	put(bed->list, "c\nb\n");
	undo(bed, false, 0, "ft filter");
	check_file(bed->list, "a\n");
}

/* One that is being made is locked. */
/* The kernel puts the children of processes on their lists and takes off those that have ended. */
static void test_processes_come_and_go(void **state)
{
	struct bed *bed = *state;
	struct undo_list list = {0};
	cleanup_free char *path = NULL;
	cleanup_free char *pids = xasprintf("%s/set_event_pid", bed->dir);
	cleanup_close int fd = changes_new(bed->dir, "ft filter", &path, NULL);

	list.journal = fd;
	put(pids, "1\n7\n");
	assert_int_equal(undo_add(&list, UNDO_LIST, pids, "1\n", NULL), 0);
	assert_int_equal(changes_seal(&list, NULL), 0);
	undo_list_fini(&list);
	close(take_fd(fd));
	put(pids, "1\n7\n8\n");
	undo(bed, false, 0, "ft filter");
	check_file(pids, "1\n");
	unlink(pids);
}

static void test_in_progress(void **state)
{
	struct bed *bed = *state;
	cleanup_free char *path = NULL;
	int fd = changes_new(bed->dir, "ft set slow", &path, NULL);

	assert_true(fd >= 0);
	undo(bed, false, -EBUSY, NULL);
	close(fd);
	undo(bed, false, 0, "ft set slow");
}

/* A change that was cut short has no seal and is taken back all the same. */
static void test_cut_short(void **state)
{
	struct bed *bed = *state;
	struct undo_list list = {0};
	cleanup_free char *path = NULL;
	cleanup_close int fd = changes_new(bed->dir, "ft set killed", &path, NULL);

	list.journal = fd;
	assert_int_equal(undo_add(&list, UNDO_WRITE, bed->value, "1", NULL), 0);
	undo_list_fini(&list);
	close(take_fd(fd));
	put(bed->value, "5");
	undo(bed, false, 0, "ft set killed");
	check_file(bed->value, "1");
}

static void test_old_ones_go(void **state)
{
	struct bed *bed = *state;
	cleanup(strv_fini) struct strv commands = {0};

	for (int i = 0; i < 130; i++) {
		cleanup_free char *path = NULL;
		cleanup_close int fd = changes_new(bed->dir, "ft set x", &path, NULL);

		assert_true(fd >= 0);
	}
	changes_list(bed->dir, &commands);
	assert_in_range(commands.nr, 100, 101);
}

/* Where there is no place for it the change is made all the same. */
static void test_no_directory(void **state)
{
	cleanup_free char *path = NULL;
	cleanup_close int fd = changes_new(NULL, "ft set x", &path, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_null(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_newest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ask, setup, teardown),
		cmocka_unit_test_setup_teardown(test_changed_by_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_put_back_by_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lists_are_sets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes_come_and_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_progress, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_ones_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_directory, setup, teardown),
	};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}

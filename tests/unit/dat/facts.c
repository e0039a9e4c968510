/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file says of its threads, from the lines of its options to the answer. */
#include "../test.h"
#include "sample.h"

#include <stdlib.h>
#include <unistd.h>

#include "dat/facts.h"

/* A recording with these lines at its begin and at its end. */
static struct dat_reader *record(const char *begin, const char *end)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 4};
	const struct dat_meta_option first = {DAT_FACTS, begin, strlen(begin)};
	const struct dat_meta_option last = {DAT_FACTS, end, strlen(end)};
	const struct dat_tail tail = {.option = &last, .nr_options = 1};
	cleanup_free char *path = test_file();
	cleanup(dat_meta_fini) struct dat_meta meta;
	struct err err = {0};
	struct dat_reader *r;
	struct dat_writer *w;
	uint64_t size;

	sample_meta(&meta);
	meta.option = &first;
	meta.nr_options = 1;
	w = dat_writer_create(path, &meta, &spec, 1, &err);
	assert_non_null(w);
	assert_int_equal(dat_writer_finish(w, &tail, &size, &err), 0);
	assert_int_equal(dat_writer_close(w, &err), 0);
	r = dat_reader_open(path, &err);
	assert_non_null(r);
	unlink(path);
	return r;
}

static void threads_have_processes(void **state)
{
	struct dat_reader *r = record("ring\nboot-id 1-2\ncpu 0 package=0\n",
				      "tgid 30 3\ntgid 20 2\ntgid 2147483647 1\ntgid 7 6\n");
	cleanup(dat_tgids_fini) struct dat_tgids tgids;

	(void)state;
	dat_tgids_read(r, &tgids);
	assert_true(dat_has_fact(r, DAT_FACT_RING));
	assert_int_equal(dat_tgids_find(&tgids, 7), 6);
	assert_int_equal(dat_tgids_find(&tgids, 20), 2);
	assert_int_equal(dat_tgids_find(&tgids, 30), 3);
	assert_int_equal(dat_tgids_find(&tgids, 2147483647), 1);
	assert_int_equal(dat_tgids_find(&tgids, 6), 6);
	assert_int_equal(dat_tgids_find(&tgids, 25), 25);
	assert_int_equal(dat_tgids_find(&tgids, 31), 31);
	assert_int_equal(dat_tgids_find(&tgids, -1), -1);
	dat_reader_close(r);
}

static void the_later_line_holds(void **state)
{
	struct dat_reader *r = record("tgid 5 1\n", "tgid 4 4000\ntgid 5 2\ntgid 5 3\n");
	cleanup(dat_tgids_fini) struct dat_tgids tgids;

	(void)state;
	dat_tgids_read(r, &tgids);
	assert_int_equal(dat_tgids_find(&tgids, 5), 3);
	dat_reader_close(r);
}

static void damaged_lines_are_left_out(void **state)
{
	struct dat_reader *r =
		record("tgid\ntgid \ntgid 5\ntgid 5 \ntgid -5 3\ntgid 5 x\n",
		       "tgid 5 3x\ntgid 5  3\ntgid 5 99999999999\ntgid 99999999999 3\n"
		       "tgid 5 -1\nxtgid 5 3\ntgid 6 3");
	cleanup(dat_tgids_fini) struct dat_tgids tgids;

	(void)state;
	dat_tgids_read(r, &tgids);
	assert_int_equal(tgids.nr, 1);
	assert_int_equal(dat_tgids_find(&tgids, 5), 5);
	assert_int_equal(dat_tgids_find(&tgids, 6), 3);
	dat_reader_close(r);
}

static void a_file_without_any(void **state)
{
	struct dat_reader *r = record("ring\n", "");
	cleanup(dat_tgids_fini) struct dat_tgids tgids;
	const struct dat_tgids none = {0};

	(void)state;
	dat_tgids_read(r, &tgids);
	assert_int_equal(dat_tgids_find(&tgids, 5), 5);
	assert_int_equal(dat_tgids_find(&none, 5), 5);
	dat_reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_processes),
		cmocka_unit_test(the_later_line_holds),
		cmocka_unit_test(damaged_lines_are_left_out),
		cmocka_unit_test(a_file_without_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

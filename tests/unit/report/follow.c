/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream in parts is printed in the order of time, however large a part is and whenever each CPU was
 * looked at. */
#include "report/report.h"

#include "../dat/sample.h"
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/report_pipe.h"
#include "dat/write_stream.h"
#include "util/io.h"

/* Over 2 MiB: more than a report takes at once from a running kernel. */
#define MANY_PAGES 600
#define PER_PAGE 2
#define STEP 10000
#define PAGE_NS ((uint64_t)PER_PAGE * STEP)

static const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 2};

struct streaming {
	char *path; /* of the spool */
	int out;
	struct dat_writer *w;
	struct dat_stream *s;
	uint64_t count;
};

static void begin(struct streaming *st)
{
	cleanup(dat_meta_fini) struct dat_meta meta;
	struct err err = {0};

	*st = (struct streaming){.path = test_file()};
	sample_meta(&meta);
	st->w = dat_writer_create(st->path, &meta, &spec, 1, &err);
	assert_non_null(st->w);
	free(meta.version);
	meta.version = xstrdup("ft test" DAT_STREAM_SUFFIX);
	st->out = memfd_create("stream", 0);
	st->s = dat_stream_new(st->out, "stream", &meta, &spec, 1, &err);
	assert_non_null(st->s);
}

/* @nr sub-buffers of a CPU, from @ts on. */
static void add(struct streaming *st, size_t cpu, uint64_t ts, unsigned int nr)
{
	uint8_t page[SAMPLE_PAGE];
	struct err err = {0};

	while (nr-- > 0) {
		sample_page(page, false, ts, PER_PAGE, st->count);
		assert_int_equal(dat_writer_append(st->w, 0, cpu, page, sizeof(page), NULL, &err),
				 0);
		st->count += PER_PAGE;
		ts += PAGE_NS;
	}
}

static void part(struct streaming *st)
{
	uint64_t sizes[2];
	struct err err = {0};

	dat_stream_sizes(st->w, sizes);
	assert_int_equal(dat_stream_part(st->s, st->w, sizes, false, "77 task\n", &err), 1);
}

/* What a report prints of it. */
static char *end(struct streaming *st)
{
	struct report_config config = {.threads = 1};
	cleanup(report_pipe_freep) struct report_pipe *p = NULL;
	const struct dat_tail tail = {.cmdlines = "77 task\n"};
	int text = memfd_create("text", 0);
	struct err err = {0};
	char *out;
	off_t len;

	assert_int_equal(dat_stream_finish(st->s, &tail, &err), 0);
	dat_stream_free(st->s);
	dat_writer_discard(st->w);
	unlink(st->path);
	free(st->path);
	lseek(st->out, 0, SEEK_SET);
	p = report_pipe_take(st->out, "stream", &config, &err);
	assert_non_null(p);
	assert_int_equal(report_run(&config, text, &err), 0);
	len = lseek(text, 0, SEEK_END);
	assert_true(len > 0);
	out = xzalloc((size_t)len + 1);
	assert_int_equal(io_pread_all(text, out, (size_t)len, 0), len);
	close(text);
	return out;
}

/* Also counts the lines. */
static void assert_in_order(const char *text, uint64_t want)
{
	double last = 0;
	uint64_t nr = 0;

	for (const char *at = strstr(text, "] "); at; at = strstr(at, "] ")) {
		double ts = strtod(at + 2, NULL);

		assert_true(ts >= last);
		last = ts;
		nr++;
		at++;
	}
	assert_int_equal(nr, want);
}

/* The thread of CPU 0 got its turn late: its events of the first part are newer than those of CPU 1,
 * which come with the second. */
static void late_look(void **state)
{
	struct streaming st;
	cleanup_free char *text = NULL;

	(void)state;
	begin(&st);
	add(&st, 0, 1000000000, MANY_PAGES);
	add(&st, 1, 1000000500, MANY_PAGES / 10);
	part(&st);
	add(&st, 0, 1000000000 + MANY_PAGES * PAGE_NS, 1);
	add(&st, 1, 1000000500 + MANY_PAGES / 10 * PAGE_NS, MANY_PAGES);
	part(&st);
	text = end(&st);
	assert_in_order(text, st.count);
}

/* A part that is larger than all that is kept of a running kernel. */
static void large_part(void **state)
{
	struct streaming st;
	cleanup_free char *text = NULL;

	(void)state;
	begin(&st);
	add(&st, 0, 1000000000, 1);
	part(&st);
	add(&st, 0, 1000000000 + PAGE_NS, 4 * MANY_PAGES);
	add(&st, 1, 1000000500, 4 * MANY_PAGES);
	part(&st);
	text = end(&st);
	assert_in_order(text, st.count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_look),
		cmocka_unit_test(large_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

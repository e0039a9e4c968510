/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that no one has ended: what reached the file is read, whatever its table tells. */
#include "../test.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat/page.h"
#include "dat/reader.h"
#include "util/io.h"

#define PER_PAGE 3

static const struct dat_buffer_spec specs[] = {
	{"", "mono", SAMPLE_PAGE, sample_cpus, 3},
	{"lab", "mono", SAMPLE_PAGE, sample_cpus, 2},
	{"empty", "mono", SAMPLE_PAGE, sample_cpus, 2},
};

struct recording {
	char path[32];
	struct dat_writer *w;
	struct compressor *c; /* NULL: not compressed */
	uint64_t nr_events;
};

static void begin_packed(struct recording *rec, size_t nr_buffers, enum compress_kind compress)
{
	cleanup(dat_meta_fini) struct dat_meta meta;
	struct err err = {0};
	int fd;

	*rec = (struct recording){.path = "/tmp/ft-unfinished-XXXXXX"};
	fd = mkstemp(rec->path);
	assert_true(fd >= 0);
	close(fd);
	sample_meta(&meta);
	meta.compress = compress;
	rec->c = compress ? compressor_new(compress, 1) : NULL;
	rec->w = dat_writer_create(rec->path, &meta, specs, nr_buffers, &err);
	assert_non_null(rec->w);
}

static void begin(struct recording *rec, size_t nr_buffers)
{
	begin_packed(rec, nr_buffers, COMPRESS_NONE);
}

static void add_pages(struct recording *rec, size_t buffer, unsigned int cpu, unsigned int nr)
{
	uint8_t page[SAMPLE_PAGE];
	struct err err = {0};

	while (nr-- > 0) {
		sample_page(page, false, 1000000 + rec->nr_events * 10000, PER_PAGE,
			    rec->nr_events);
		assert_int_equal(
			dat_writer_append(rec->w, buffer, cpu, page, sizeof(page), rec->c, &err),
			0);
		rec->nr_events += PER_PAGE;
	}
}

static void end(struct recording *rec)
{
	struct err err = {0};

	if (rec->w)
		assert_int_equal(dat_writer_close(rec->w, &err), 0);
	if (rec->c)
		compressor_free(rec->c);
	unlink(rec->path);
}

static uint64_t count(const struct dat_reader *r, struct page_source *src, uint32_t cpu)
{
	struct page_layout layout = {r->big_endian, r->long_size, r->page_data};
	struct time_rule time = {0};
	struct stream s;
	uint64_t nr;

	stream_init(&s, src, cpu, &layout, &time);
	while (stream_head(&s))
		stream_pop(&s);
	nr = s.nr_events;
	stream_fini(&s);
	return nr;
}

static uint64_t count_events(struct dat_reader *r)
{
	uint64_t nr = 0;

	for (size_t b = 0; b < r->nr_buffers; b++) {
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++) {
			const struct dat_cpu *cpu = &r->buffer[b].cpu[i];
			struct page_source *src = source_new_file(r, &r->buffer[b], cpu);

			nr += count(r, src, cpu->cpu);
			source_free(src);
		}
	}
	return nr;
}

static struct dat_reader *read_it(const struct recording *rec)
{
	struct err err = {0};
	struct dat_reader *r = dat_reader_open(rec->path, &err);

	assert_non_null(r);
	return r;
}

/* The table has never been brought up to date, or was so before the last data came. */
static void behind_the_table(enum compress_kind compress)
{
	for (size_t nr = 1; nr <= 3; nr++) {
		for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
			struct recording rec;
			struct err err = {0};
			struct dat_reader *r;

			begin_packed(&rec, nr, compress);
			add_pages(&rec, 0, 0, 5);
			add_pages(&rec, 0, 2, 2);
			if (nr > 1)
				add_pages(&rec, 1, 1, 3);
			if (checkpoint)
				assert_int_equal(dat_writer_checkpoint(rec.w, &err), 0);
			add_pages(&rec, 0, 1, 1);
			add_pages(&rec, 0, 0, 40);
			if (nr > 1)
				add_pages(&rec, 1, 1, 4);
			r = read_it(&rec);
			assert_int_equal(count_events(r), rec.nr_events);
			assert_true(r->is_unfinished);
			assert_int_equal(r->findings.nr, 1);
			dat_check_sections(r);
			assert_int_equal(r->findings.nr, 1);
			dat_reader_close(r);
			end(&rec);
		}
	}
}

static void behind_the_tables(void **state)
{
	(void)state;
	behind_the_table(COMPRESS_NONE);
	behind_the_table(COMPRESS_ZSTD);
	behind_the_table(COMPRESS_ZLIB);
}

static void running_or_dead(void **state)
{
	struct recording rec;
	struct err err = {0};
	struct dat_reader *r;

	(void)state;
	begin(&rec, 1);
	add_pages(&rec, 0, 0, 1);
	r = read_it(&rec);
	assert_true(r->is_running);
	assert_non_null(strstr(r->findings.item[0], "still being recorded"));
	dat_reader_close(r);
	assert_int_equal(dat_writer_close(take_ptr(rec.w), &err), 0);
	r = read_it(&rec);
	assert_false(r->is_running);
	assert_true(r->is_unfinished);
	assert_non_null(strstr(r->findings.item[0], "did not end well"));
	dat_reader_close(r);
	end(&rec);
}

/* A machine that crashes may have written what came later and not what came before. */
static void holes_in_the_data(void **state)
{
	static const uint8_t zeros[SAMPLE_PAGE];
	struct recording rec;
	struct dat_reader *r;
	uint64_t at;

	(void)state;
	begin(&rec, 1);
	add_pages(&rec, 0, 1, 2);
	at = dat_writer_region(rec.w, 0, 1);
	dat_writer_set_size(rec.w, 0, 1, 100 * SAMPLE_PAGE);
	add_pages(&rec, 0, 1, 3);
	r = read_it(&rec);
	assert_int_equal(count_events(r), rec.nr_events);
	assert_non_null(strstr(r->findings.item[0], "never reached the disk"));
	dat_reader_close(r);
	/* Where a file system writes zeros for a hole, they are passed over. */
	assert_int_equal(
		io_pwrite_all(dat_writer_fd(rec.w), zeros, sizeof(zeros), at + 2 * SAMPLE_PAGE), 0);
	r = read_it(&rec);
	assert_int_equal(count_events(r), rec.nr_events);
	dat_reader_close(r);
	end(&rec);
}

/* Such a file that was cut off as well: all whole sub-buffers before the cut. */
static void cut_off_later(void **state)
{
	struct recording rec;
	struct err err = {0};
	uint64_t start;

	(void)state;
	begin(&rec, 1);
	add_pages(&rec, 0, 0, 6);
	assert_int_equal(dat_writer_checkpoint(rec.w, &err), 0);
	start = dat_writer_region(rec.w, 0, 0);
	for (unsigned int pages = 6; pages-- > 0;) {
		struct dat_reader *r;

		assert_int_equal(ftruncate(dat_writer_fd(rec.w),
					   (off_t)(start + pages * SAMPLE_PAGE + 1000)),
				 0);
		r = read_it(&rec);
		assert_true(count_events(r) >= (uint64_t)pages * PER_PAGE);
		assert_true(r->findings.nr > 0);
		dat_reader_close(r);
	}
	end(&rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_the_tables),
		cmocka_unit_test(running_or_dead),
		cmocka_unit_test(holes_in_the_data),
		cmocka_unit_test(cut_off_later),
	};

	return cmocka_run_group_tests_name("unfinished", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that no one has ended: what reached the file is read, whatever its table tells. */
#include "../test.h"
#include "sample.h"

#include <inttypes.h>
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
	char *path;
	struct dat_writer *w;
	struct compressor *c; /* NULL: not compressed */
	uint64_t nr_events;
};

static void begin_packed(struct recording *rec, size_t nr_buffers, enum compress_kind compress)
{
	cleanup(dat_meta_fini) struct dat_meta meta;
	struct err err = {0};

	*rec = (struct recording){.path = test_file()};
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
	free(rec->path);
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

/* Whole sub-buffers of an ended recording that lie before @end, by its own table: a chunk of compressed ones counts when
 * all of it is there. */
struct unit {
	uint64_t end;
	uint64_t events;
};

#define UNITS_MOST 64

struct units {
	struct unit unit[UNITS_MOST];
	size_t nr;
	uint64_t head; /* offset of the first data */
};

static void note_units(struct dat_reader *r, const struct dat_buffer *buffer,
		       const struct dat_cpu *cpu, struct units *out)
{
	uint64_t at = cpu->offset;

	if (cpu->size && at < out->head)
		out->head = at;
	for (uint64_t i = 0; cpu->size && i < cpu->size / SAMPLE_PAGE && !buffer->compressed; i++)
		out->unit[out->nr++] = (struct unit){cpu->offset + (i + 1) * SAMPLE_PAGE, PER_PAGE};
	if (!buffer->compressed || !cpu->size)
		return;
	for (at += 4; at + 8 <= cpu->offset + cpu->size;) {
		uint8_t raw[8];

		assert_int_equal(io_pread_all(r->fd, raw, sizeof(raw), at), sizeof(raw));
		at += sizeof(raw) + get_u32(raw, false);
		out->unit[out->nr++] = (struct unit){at, (uint64_t)get_u32(raw + 4, false) /
								 SAMPLE_PAGE * PER_PAGE};
	}
}

/* An ended recording; *options is where its header leads to the options. */
static void make_ended(struct recording *rec, size_t nr_buffers, enum compress_kind compress,
		       struct units *units, uint64_t *options)
{
	const struct dat_tail tail = {.cmdlines = "77 lab task\n"};
	struct err err = {0};
	struct dat_reader *r;
	uint64_t size;

	*units = (struct units){.head = UINT64_MAX};
	begin_packed(rec, nr_buffers, compress);
	add_pages(rec, 0, 0, 5);
	add_pages(rec, 0, 2, 3);
	if (nr_buffers > 1)
		add_pages(rec, 1, 1, 4);
	assert_int_equal(dat_writer_finish(rec->w, &tail, &size, &err), 0);
	r = read_it(rec);
	assert_int_equal(r->findings.nr, 0);
	assert_int_equal(count_events(r), rec->nr_events);
	for (size_t b = 0; b < r->nr_buffers; b++)
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++)
			note_units(r, &r->buffer[b], &r->buffer[b].cpu[i], units);
	*options = r->body - 8;
	dat_reader_close(r);
}

static uint64_t expected(const struct units *units, uint64_t size)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < units->nr; i++)
		nr += units->unit[i].end <= size ? units->unit[i].events : 0;
	return nr;
}

static void check_cut(const struct recording *rec, const struct units *units, uint64_t size)
{
	struct dat_reader *r;
	uint64_t nr;

	assert_int_equal(ftruncate(dat_writer_fd(rec->w), (off_t)size), 0);
	r = read_it(rec);
	nr = count_events(r);
	if (nr < expected(units, size) || nr > rec->nr_events || !r->findings.nr)
		fail_msg("cut at %" PRIu64 ": %" PRIu64 " events of %" PRIu64 ", %zu findings",
			 size, nr, expected(units, size), r->findings.nr);
	dat_reader_close(r);
}

/* The options are at the front, as ft has them, or lost, as those of trace-cmd are, which lie behind the data. */
static void cut_ended(size_t nr_buffers, enum compress_kind compress, bool lose_options)
{
	static const uint8_t nowhere[8] = {0xff, 0xff, 0xff, 0x7f};
	struct recording rec;
	struct units units;
	uint64_t options;
	uint64_t size;

	make_ended(&rec, nr_buffers, compress, &units, &options);
	assert_true(units.nr >= 2);
	if (lose_options)
		assert_int_equal(
			io_pwrite_all(dat_writer_fd(rec.w), nowhere, sizeof(nowhere), options), 0);
	size = (uint64_t)lseek(dat_writer_fd(rec.w), 0, SEEK_END);
	while (--size > units.head) {
		bool at_edge = false;

		for (size_t i = 0; i < units.nr; i++)
			at_edge |= size + 2 >= units.unit[i].end && size <= units.unit[i].end + 20;
		if (at_edge || size % 2039 == 0)
			check_cut(&rec, &units, size);
	}
	end(&rec);
}

static void cut_anywhere(void **state)
{
	static const enum compress_kind kinds[] = {COMPRESS_NONE, COMPRESS_ZSTD, COMPRESS_ZLIB};

	(void)state;
	for (size_t k = 0; k < array_size(kinds); k++)
		for (size_t nr = 1; nr <= 2; nr++)
			for (int lose = 0; lose < 2; lose++)
				cut_ended(nr, kinds[k], lose);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_the_tables), cmocka_unit_test(running_or_dead),
		cmocka_unit_test(holes_in_the_data), cmocka_unit_test(cut_off_later),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests_name("unfinished", tests, NULL, NULL);
}

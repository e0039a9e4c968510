/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader on files that end early or lie. */
#include "../test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat/page.h"
#include "dat/reader.h"
#include "util/io.h"
#include "util/mem.h"

static const char base[] = TEST_DATA "/golden/files/le64.dat";

static void save(char *path, const struct strbuf *data)
{
	int fd;

	strcpy(path, "/tmp/ft-reader-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, data->text, data->len), 0);
	close(fd);
}

/* Opens and walks all of it. */
static void read_all(const char *path)
{
	struct err err = {0};
	struct dat_reader *r = dat_reader_open(path, &err);
	size_t len;

	if (!r) {
		assert_true(err.code > 0);
		assert_true(err.text[0] != '\0');
		return;
	}
	for (size_t b = 0; b < r->nr_buffers; b++) {
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++) {
			struct page_layout layout = {r->big_endian, r->long_size, r->page_data};
			struct time_rule time = {0};
			struct page_source *src =
				source_new_file(r, &r->buffer[b], &r->buffer[b].cpu[i]);
			struct stream s;

			stream_init(&s, src, i, &layout, &time);
			while (stream_head(&s))
				stream_pop(&s);
			stream_fini(&s);
			source_free(src);
		}
	}
	dat_reader_kallsyms(r, &len);
	dat_check_sections(r);
	dat_reader_close(r);
}

static void every_length(void **state)
{
	struct strbuf all = {0};
	struct err err = {0};
	size_t whole;

	(void)state;
	assert_int_equal(io_read_file(base, &all, &err), 0);
	whole = all.len;
	for (size_t len = 0; len < whole; len += len < 3200 ? 7 : 97) {
		char path[32];

		all.len = len;
		save(path, &all);
		read_all(path);
		unlink(path);
	}
	strbuf_fini(&all);
}

static void put(struct strbuf *sb, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = (char)(value >> 8 * i);

		strbuf_add_mem(sb, &byte, 1);
	}
}

static void put_text(struct strbuf *sb, const char *text, size_t width)
{
	if (width)
		put(sb, strlen(text), width);
	strbuf_add_mem(sb, text, strlen(text));
}

/* Version 7 with a header section and options that lead in a circle. */
static void options_in_a_circle(void **state)
{
	static const char head[] = "\x17\x08\x44tracing"
				   "7\0\0\x08\0\x10\0\0none\0\0";
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	struct strbuf sb = {0};
	struct err err = {0};
	struct dat_reader *r;
	char path[32];
	size_t body;

	(void)state;
	strbuf_add_mem(&sb, head, sizeof(head) - 1);
	body = 12 + 8 + sizeof(page) - 1 + 13 + 8;
	put(&sb, sb.len + 8 + 16 + body, 8);
	put(&sb, 16, 2);
	put(&sb, 0, 2);
	put(&sb, UINT32_MAX, 4);
	put(&sb, body, 8);
	strbuf_add_mem(&sb, "header_page", 12);
	put_text(&sb, page, 8);
	strbuf_add_mem(&sb, "header_event", 13);
	put(&sb, 0, 8);
	body = sb.len;
	put(&sb, 0, 4);
	put(&sb, UINT32_MAX, 4);
	put(&sb, 6 + 4 + 14, 8);
	put(&sb, 8, 2); /* CPUCOUNT */
	put(&sb, 4, 4);
	put(&sb, 2, 4);
	put(&sb, 0, 2); /* DONE, back to itself */
	put(&sb, 8, 4);
	put(&sb, body, 8);
	save(path, &sb);
	r = dat_reader_open(path, &err);
	assert_non_null(r);
	assert_int_equal(r->cpu_count, 2);
	assert_int_equal(r->page_data, 16);
	assert_non_null(strstr(r->findings.item[0], "circle"));
	dat_reader_close(r);
	unlink(path);
	strbuf_fini(&sb);
}

static void flipped_bytes(void **state)
{
	struct strbuf all = {0};
	struct err err = {0};
	unsigned int seed = 1;

	(void)state;
	assert_int_equal(io_read_file(base, &all, &err), 0);
	for (int round = 0; round < 400; round++) {
		size_t at = (seed = seed * 1103515245 + 12345) / 7 % all.len;
		char old = all.text[at];
		char path[32];

		all.text[at] = (char)(seed >> 16);
		save(path, &all);
		read_all(path);
		unlink(path);
		all.text[at] = old;
	}
	strbuf_fini(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length),
		cmocka_unit_test(options_in_a_circle),
		cmocka_unit_test(flipped_bytes),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer against the reader, against a linear walk of the sections, and against trace-cmd. */
#include "../test.h"
#include "sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/reader.h"
#include "dat/source.h"
#include "dat/write_meta.h"
#include "util/io.h"

#define PAGES_MOST 3000

/* What one recording looks like: sub-buffers for each CPU of each buffer. */
struct plan {
	unsigned int pages[3][4];
	size_t nr_buffers;
	bool big_endian;
	bool cut_short;
	size_t cmdlines;
	enum compress_kind compress;
	unsigned int version;
	int finished; /* what dat_writer_finish() says */
};

static int truncate_new(const char *path, off_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	int r = ftruncate(fd, size);

	close(fd);
	return r;
}

static uint64_t stamp_of(size_t buffer, unsigned int cpu, unsigned int page)
{
	return 1000000000ull + page * 1000000ull + buffer * 100 + cpu;
}

static void fill(struct dat_writer *w, const struct plan *plan)
{
	struct compressor *c = plan->compress ? compressor_new(plan->compress, 1) : NULL;
	uint8_t page[SAMPLE_PAGE];
	struct err err = {0};

	for (size_t b = 0; b < plan->nr_buffers; b++) {
		for (unsigned int cpu = 0; cpu < 4; cpu++) {
			for (unsigned int p = 0; p < plan->pages[b][cpu]; p++) {
				sample_page(page, plan->big_endian, stamp_of(b, cpu, p), 3, p * 3);
				assert_int_equal(
					dat_writer_append(w, b, cpu, page, sizeof(page), c, &err),
					0);
			}
		}
	}
	compressor_free(c);
}

static void finish(struct dat_writer *w, const struct plan *plan, const char *path)
{
	cleanup(strbuf_fini) struct strbuf cmdlines = {0};
	cleanup(strv_fini) struct strv stats = {0};
	struct dat_tail tail = {.cpustat = &stats};
	struct err err = {0};
	struct stat st;
	uint64_t size;

	strbuf_add(&cmdlines, "77 lab task\n");
	while (cmdlines.len < plan->cmdlines)
		strbuf_addf(&cmdlines, "%zu filler\n", cmdlines.len + 1000);
	tail.cmdlines = strbuf_str(&cmdlines);
	strv_add(&stats, "CPU: 0\nentries: 0\noverrun: 5\n");
	assert_int_equal(dat_writer_finish(w, &tail, &size, &err), plan->finished);
	assert_int_equal(dat_writer_close(w, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, size);
}

static char *record(const struct plan *plan)
{
	struct dat_buffer_spec specs[3] = {
		{"", "mono", SAMPLE_PAGE, sample_cpus, 4},
		{"lab", "mono", SAMPLE_PAGE, sample_cpus, 4},
		{"zoo", "local", SAMPLE_PAGE, sample_cpus, 4},
	};
	cleanup(dat_meta_fini) struct dat_meta meta;
	char *path = test_file();
	struct err err = {0};
	struct dat_writer *w;

	sample_meta(&meta);
	meta.big_endian = plan->big_endian;
	meta.compress = plan->compress;
	meta.level = 1;
	meta.file_version = plan->version;
	/* Version 6 has room for what was expected only. */
	if (plan->version == 6 && !plan->finished)
		meta.cmdlines_most = plan->cmdlines;
	w = dat_writer_create(path, &meta, specs, plan->nr_buffers, &err);
	assert_non_null(w);
	fill(w, plan);
	if (!plan->cut_short) {
		finish(w, plan, path);
		return path;
	}
	assert_int_equal(dat_writer_checkpoint(w, &err), 0);
	assert_int_equal(dat_writer_close(w, &err), 0);
	return path;
}

static void check_pages(struct dat_reader *r, const struct plan *plan, size_t b,
			const struct dat_cpu *cpu)
{
	struct page_source *src = source_new_file(r, &r->buffer[b], cpu);
	struct source_scratch scratch = {0};
	uint8_t want[SAMPLE_PAGE];
	uint8_t page[SAMPLE_PAGE];

	assert_int_equal(src->nr_pages, plan->pages[b][cpu->cpu]);
	assert_int_equal(cpu->offset % SAMPLE_PAGE, 0);
	for (unsigned int p = 0; p < plan->pages[b][cpu->cpu]; p++) {
		sample_page(want, plan->big_endian, stamp_of(b, cpu->cpu, p), 3, p * 3);
		assert_int_equal(src->ops->read(src, &scratch, p, page, sizeof(page)),
				 sizeof(page));
		assert_memory_equal(page, want, sizeof(page));
	}
	source_scratch_fini(&scratch);
	source_free(src);
}

static size_t count_data(const unsigned int *pages)
{
	size_t nr = 0;

	for (unsigned int cpu = 0; cpu < 4; cpu++)
		nr += pages[cpu] > 0;
	return nr;
}

static void check_buffers(struct dat_reader *r, const struct plan *plan)
{
	assert_int_equal(r->nr_buffers, plan->nr_buffers);
	for (size_t b = 0; b < r->nr_buffers; b++) {
		const struct dat_buffer *buffer = &r->buffer[b];
		size_t seen = 0;

		assert_int_equal(buffer->page_size, SAMPLE_PAGE);
		for (size_t i = 0; i < buffer->nr_cpus; i++) {
			if (!buffer->cpu[i].size)
				continue;
			check_pages(r, plan, b, &buffer->cpu[i]);
			seen++;
		}
		assert_int_equal(seen, count_data(plan->pages[b]));
	}
}

/* Sections lie one behind the other up to the end of the file: trace-cmd finds the names of sections
 * by this walk, and would creep through a gap 16 bytes at a time. */
static void check_walk(const struct dat_reader *r, const struct plan *plan)
{
	uint64_t at = r->body;
	uint8_t raw[16];

	while (at < r->size) {
		uint64_t size;

		assert_int_equal(io_pread_all(r->fd, raw, sizeof(raw), at), sizeof(raw));
		assert_true(get_u16(raw, r->big_endian) < 32);
		size = get_u64(raw + 8, r->big_endian);
		at += sizeof(raw) + size;
	}
	if (!plan->cut_short)
		assert_int_equal(at, r->size);
}

static void check(const struct plan *plan)
{
	cleanup_free char *path = record(plan);
	struct err err = {0};
	struct dat_reader *r = dat_reader_open(path, &err);

	assert_non_null(r);
	assert_int_equal(r->version, plan->version ? plan->version : 7);
	assert_int_equal(r->is_unfinished, plan->cut_short);
	assert_int_equal(r->big_endian, plan->big_endian);
	assert_int_equal(r->cpu_count, 4);
	assert_int_equal(r->trace_id, 0x1122334455667788);
	assert_string_equal(r->uname, "Linux lab 6.1.0 x86_64");
	assert_int_equal(r->nr_formats, 2);
	if (!plan->cut_short) {
		assert_int_equal(r->findings.nr, 0);
		assert_memory_equal(r->cmdlines.text, "77 lab task\n", 12);
		assert_int_equal(r->nr_cpustats, 1);
	}
	check_buffers(r, plan);
	if (r->version == 7)
		check_walk(r, plan);
	dat_reader_close(r);
	unlink(path);
}

static void test_plans(void **state)
{
	static const struct plan plans[] = {
		{{{1, 2, 3, 4}}, 1},
		{{{0}}, 1},
		{{{0, 0, 0, 5}}, 1},
		{{{1, 0, 2, 0}}, 1},
		{{{1, 0, 2, 0}}, 1, .big_endian = true},
		{{{1, 0, 2, 0}, {0, 3, 0, 0}, {2, 0, 0, 1}}, 3},
		{{{0}, {0, 3, 0, 0}, {2, 0, 0, 1}}, 3},
		{{{1}, {0}, {2, 0, 0, 1}}, 3},
		{{{1}, {0}, {0}}, 3},
		{{{0}, {0}, {0}}, 3},
		/* More than is copied through memory. */
		{{{PAGES_MOST, 0, 10, PAGES_MOST}, {1, 0, 0, 100}}, 2},
		/* More at the end than there is room for at the front. */
		{{{1, 0, 2, 0}, {3}}, 2, .cmdlines = 200000},
		{{{0}}, 1, .cmdlines = 200000},
		{{{1, 0, 200, 3}}, 1, .compress = COMPRESS_ZSTD},
		{{{1, 0, 2, 3}}, 1, .compress = COMPRESS_ZLIB, .big_endian = true},
		{{{1, 0, 2, 0}, {0, 3, 0, 0}, {2, 0, 0, 1}}, 3, .compress = COMPRESS_ZSTD},
		{{{0}}, 1, .compress = COMPRESS_ZSTD},
		{{{1, 0, 2, 0}}, 1, .compress = COMPRESS_ZSTD, .cut_short = true},
		{{{1, 0, 2, 0}}, 1, .cut_short = true},
		{{{0}}, 1, .cut_short = true},
		{{{1, 0, 2, 0}, {0, 3, 0, 0}, {2, 0, 0, 1}}, 3, .cut_short = true},
	};

	(void)state;
	for (size_t i = 0; i < array_size(plans); i++) {
		struct plan older = plans[i];

		check(&plans[i]);
		older.version = 6;
		if (older.compress == COMPRESS_NONE)
			check(&older);
	}
}

/* Where more comes at the end than was expected, the first names are in the file, and it is told. */
static void test_v6_room(void **state)
{
	static const struct plan plans[] = {
		{{{1, 0, 2, 0}, {3}}, 2, .cmdlines = 200000, .version = 6, .finished = -EFBIG},
		{{{1, 0, 2, 0}, {3}}, 2, .cmdlines = 3000000, .version = 6, .finished = -EFBIG},
	};

	(void)state;
	for (size_t i = 0; i < array_size(plans); i++)
		check(&plans[i]);
}

/* What version 6 has no place for is refused, and no file is left. */
static void test_v6_refused(void **state)
{
	const struct dat_buffer_spec specs[] = {
		{"", "mono", SAMPLE_PAGE, sample_cpus, 4},
		{"lab", "mono", 2 * SAMPLE_PAGE, sample_cpus, 4},
		{"zoo", "mono", SAMPLE_PAGE, NULL, 0, .is_text = true},
	};
	const struct dat_buffer_spec beside[] = {specs[2], specs[0]};
	cleanup(dat_meta_fini) struct dat_meta meta;
	const char *path = "/tmp/ft-writer-refused";
	struct err err = {0};

	(void)state;
	sample_meta(&meta);
	meta.file_version = 6;
	assert_null(dat_writer_create(path, &meta, specs, 2, &err));
	assert_non_null(strstr(err.text, "some of 4096 and of 8192 bytes"));
	assert_null(dat_writer_create(path, &meta, beside, 2, &err));
	assert_non_null(strstr(err.text, "latency tracer or other buffers"));
	meta.compress = COMPRESS_ZLIB;
	assert_null(dat_writer_create(path, &meta, specs, 1, &err));
	assert_non_null(strstr(err.text, "cannot be compressed"));
	assert_int_equal(access(path, F_OK), -1);
}

/* Lines that a shell command prints, -1 when it fails. */
static long count_lines(const char *command)
{
	FILE *pipe = popen(command, "r");
	long lines = 0;
	int c;

	assert_non_null(pipe);
	while ((c = getc(pipe)) != EOF)
		lines += c == '\n';
	return pclose(pipe) == 0 ? lines : -1;
}

static void test_trace_cmd(void **state)
{
	/* CPU 1 is left out between others: the converter must not take it for CPU 0. */
	const struct plan plan = {{{2, 0, 3, 1}, {0, 0, 5, 0}}, 2};
	cleanup_free char *path = NULL;

	(void)state;
	if (system("trace-cmd --help >/dev/null 2>&1") == 127 << 8)
		skip();
	path = record(&plan);
	setenv("F", path, 1);
	assert_int_equal(count_lines("trace-cmd report $F 2>/dev/null"), 1 + 11 * 3);
	assert_int_equal(count_lines("trace-cmd dump -v --summary -i $F | grep valid"), 1);
	assert_int_equal(
		count_lines(
			"trace-cmd convert --file-version 6 -i $F -o $F.6 >/dev/null 2>&1 && trace-cmd report $F.6 2>/dev/null"),
		1 + 11 * 3);
	assert_int_equal(count_lines("rm $F $F.6"), 0);
}

/* Of ft's own version 6 it reads the same lines, of one that runs, too. */
static void test_trace_cmd_v6(void **state)
{
	struct plan plan = {{{2, 0, 3, 1}, {0, 0, 5, 0}, {1}}, 3, .version = 6};

	(void)state;
	if (system("trace-cmd --help >/dev/null 2>&1") == 127 << 8)
		skip();
	for (int i = 0; i < 2; i++) {
		cleanup_free char *path = NULL;

		plan.cut_short = i == 1;
		path = record(&plan);
		setenv("F", path, 1);
		assert_int_equal(count_lines("trace-cmd report $F 2>/dev/null"), 1 + 12 * 3);
		assert_int_equal(count_lines("rm $F"), 0);
	}
}

static void test_partial_page(void **state)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 4};
	const struct plan plan = {.pages = {{2}}, .nr_buffers = 1};
	cleanup(dat_meta_fini) struct dat_meta meta;
	cleanup_free char *path = test_file();
	struct err err = {0};
	struct dat_writer *w;
	struct dat_reader *r;

	(void)state;
	sample_meta(&meta);
	w = dat_writer_create(path, &meta, &spec, 1, &err);
	fill(w, &plan);
	/* As a full disk leaves it: a sub-buffer that was cut off. */
	dat_writer_set_size(w, 0, 0, 2 * SAMPLE_PAGE + 100);
	finish(w, &plan, path);
	r = dat_reader_open(path, &err);
	check_buffers(r, &plan);
	dat_reader_close(r);
	unlink(path);
}

/* A limit of the user's makes regions smaller, and never kills by SIGXFSZ. */
static void test_file_limit(void **state)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 4};
	cleanup(dat_meta_fini) struct dat_meta meta;
	cleanup_free char *path = test_file();
	struct rlimit old;
	struct rlimit limit;
	struct err err = {0};
	struct dat_writer *w;

	(void)state;
	sample_meta(&meta);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){64 << 20, old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	w = dat_writer_create(path, &meta, &spec, 1, &err);
	assert_non_null(w);
	assert_true(dat_writer_region(w, 0, 3) + dat_writer_region_size(w) <= 64 << 20);
	dat_writer_close(w, NULL);

	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_null(dat_writer_create(path, &meta, &spec, 1, &err));
	assert_int_equal(err.code, EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	unlink(path);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

/* An earlier file is kept, and comes back when the new one is not to be. */
static void test_earlier_file(void **state)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 4};
	cleanup(dat_meta_fini) struct dat_meta meta;
	cleanup_free char *path = test_file();
	cleanup_free char *old = xasprintf("%s.old", path);
	cleanup_free char *link = xasprintf("%s.link", path);
	struct err err = {0};
	struct dat_writer *w;

	(void)state;
	sample_meta(&meta);
	/* An empty one is nothing to keep. */
	w = dat_writer_create(path, &meta, &spec, 1, &err);
	assert_non_null(w);
	assert_null(dat_writer_old(w));
	dat_writer_discard(w);
	assert_int_equal(size_of(path), -1);

	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(truncate_new(path, 5), 0);
	w = dat_writer_create(link, &meta, &spec, 1, &err);
	assert_string_equal(dat_writer_old(w), old);
	assert_int_equal(size_of(old), 5);
	assert_true(size_of(path) > 5);
	dat_writer_discard(w);
	assert_int_equal(size_of(path), 5);
	assert_int_equal(size_of(old), -1);

	/* Where it cannot be kept, it is left alone. */
	assert_int_equal(mkdir(old, 0700), 0);
	assert_null(dat_writer_create(path, &meta, &spec, 1, &err));
	assert_non_null(strstr(err.text, ".old"));
	assert_int_equal(size_of(path), 5);
	rmdir(old);
	unlink(link);
	unlink(path);
}

static void test_byte_order(void **state)
{
	static const uint8_t want_big[] = {1, 2, 3, 0, 0, 0,   9,   1, 2, 3,
					   4, 5, 6, 7, 8, 'h', 'i', 0, 0, 0};
	static const uint8_t want_little[] = {1, 3, 2, 9, 0, 0,	  0,   8, 7, 6,
					      5, 4, 3, 2, 1, 'h', 'i', 0, 0, 0};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct dat_out out;

		dat_out_init(&out, -1, 4096, big);
		dat_out_u8(&out, 1);
		dat_out_u16(&out, 0x0203);
		dat_out_u32(&out, 0);
		dat_out_u64(&out, 0x0102030405060708);
		dat_out_string(&out, "hi");
		dat_out_zeros(&out, 2);
		dat_out_patch_u32(&out, 4096 + 3, 9);
		assert_int_equal(dat_out_pos(&out), 4096 + sizeof(want_big));
		assert_memory_equal(out.buf, big ? want_big : want_little, sizeof(want_big));
		assert_int_equal(dat_out_flush(&out), 0);
		dat_out_fini(&out);
	}
}

/* Small and large pieces, and a number patched after it went to the file. */
static void test_out_file(void **state)
{
	cleanup_free char *path = test_file();
	cleanup_close int fd = open(path, O_RDWR);
	cleanup_free char *large = xzalloc(1 << 20);
	uint8_t raw[8];
	struct dat_out out;

	(void)state;
	dat_out_init(&out, fd, 16, false);
	dat_out_u64(&out, 0);
	dat_out_mem(&out, large, 1 << 20);
	for (int i = 0; i < 100000; i++)
		dat_out_u32(&out, (uint32_t)i);
	dat_out_patch_u64(&out, 16, 0x1234);
	assert_int_equal(dat_out_flush(&out), 0);
	assert_int_equal(dat_out_pos(&out), 16 + 8 + (1 << 20) + 400000);
	assert_int_equal(io_pread_all(fd, raw, 8, 16), 8);
	assert_int_equal(get_u64(raw, false), 0x1234);
	assert_int_equal(io_pread_all(fd, raw, 8, dat_out_pos(&out) - 4), 4);
	assert_int_equal(get_u32(raw, false), 99999);
	dat_out_fini(&out);
	unlink(path);
}

/* The text of a latency tracer: no buffer of events has its name, and it is the last in the file when it is alone. */
static void check_text(const char *text, unsigned int pages, size_t cmdlines)
{
	struct dat_buffer_spec specs[] = {
		{.name = "", .clock = "local", .page_size = SAMPLE_PAGE, .is_text = true},
		{"lab", "mono", SAMPLE_PAGE, sample_cpus, 4},
	};
	const struct plan plan = {.pages = {{0}, {pages}}, .nr_buffers = pages ? 2 : 1};
	cleanup_free char *names = xzalloc(cmdlines + 1);
	struct dat_tail tail = {.cmdlines = names, .text = text};
	size_t len = text ? strlen(text) : 0;
	cleanup(dat_meta_fini) struct dat_meta meta;
	cleanup_free char *path = test_file();
	struct dat_reader *r;
	struct dat_writer *w;
	struct err err = {0};
	uint64_t size;

	memset(names, 'x', cmdlines);
	sample_meta(&meta);
	w = dat_writer_create(path, &meta, specs, plan.nr_buffers, &err);
	assert_non_null(w);
	/* Before the end nothing is known of it. */
	r = dat_reader_open(path, &err);
	assert_int_equal(r->nr_buffers, plan.nr_buffers);
	assert_false(r->buffer[0].is_text);
	dat_reader_close(r);
	fill(w, &plan);
	assert_int_equal(dat_writer_finish(w, &tail, &size, &err), 0);
	assert_int_equal(dat_writer_close(w, &err), 0);
	r = dat_reader_open(path, &err);
	assert_non_null(r);
	assert_int_equal(r->findings.nr, 0);
	assert_int_equal(r->nr_buffers, plan.nr_buffers);
	assert_string_equal(r->buffer[0].name, "");
	assert_string_equal(r->buffer[0].clock, "local");
	assert_true(r->buffer[0].is_text);
	assert_int_equal(r->buffer[0].text.len, len);
	assert_memory_equal(r->buffer[0].text.text, text ? text : "", len);
	if (pages)
		assert_int_equal(r->buffer[1].cpu[0].size, pages * SAMPLE_PAGE);
	else
		assert_int_equal(r->buffer[0].data_end, size);
	dat_check_sections(r);
	assert_int_equal(r->findings.nr, 0);
	dat_reader_close(r);
	unlink(path);
}

static void test_text(void **state)
{
	(void)state;
	check_text("# tracer: irqsoff\n", 0, 10);
	check_text(NULL, 0, 10);
	check_text("# tracer: irqsoff\n", 0, 100000);
	check_text("# tracer: irqsoff\n", 3, 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_order),   cmocka_unit_test(test_out_file),
		cmocka_unit_test(test_plans),	     cmocka_unit_test(test_v6_room),
		cmocka_unit_test(test_v6_refused),   cmocka_unit_test(test_trace_cmd_v6),
		cmocka_unit_test(test_partial_page), cmocka_unit_test(test_file_limit),
		cmocka_unit_test(test_earlier_file), cmocka_unit_test(test_trace_cmd),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What trace-cmd's library prints through ft, against fixed lines and against trace-cmd itself. */
#include "../test.h"
#include "../dat/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/compat.h"
#include "util/io.h"

#define PAGE_NR 3

/* Bits of a sub-buffer's commit word. */
#define MISSED (1u << 31)
#define MISSED_STORED (1u << 30)

/* Says of a sub-buffer of @nr records that events were missed before it; @count 0: nobody knows
 * how many. */
static void mark_missed(uint8_t *page, unsigned int nr, uint64_t count)
{
	uint32_t commit = nr * 20;

	if (count)
		memcpy(page + 16 + commit, &count, sizeof(count));
	commit |= MISSED | (count ? MISSED_STORED : 0);
	memcpy(page + 8, &commit, sizeof(commit));
}

static void fill(struct dat_writer *w, size_t buffer, unsigned int cpu)
{
	static const uint64_t missed[PAGE_NR] = {0, 1234, 0};
	uint8_t page[SAMPLE_PAGE];
	struct err err = {0};

	for (unsigned int i = 0; i < PAGE_NR; i++) {
		uint64_t ts = 5000000000ull + i * 1000000 + cpu * 300 + buffer * 50;

		sample_page(page, false, ts, 2, i);
		if (i)
			mark_missed(page, 2, missed[i]);
		assert_int_equal(dat_writer_append(w, buffer, cpu, page, sizeof(page), NULL, &err),
				 0);
	}
}

/* A recording of CPUs 0 and 1, and with @instances of two more buffers. */
static char *record(bool instances)
{
	static const struct dat_buffer_spec specs[] = {
		{"", "mono", SAMPLE_PAGE, sample_cpus, 2},
		{"lab", "mono", SAMPLE_PAGE, sample_cpus, 2},
		{"longer", "mono", SAMPLE_PAGE, sample_cpus, 2},
	};
	const struct dat_tail tail = {.cmdlines = "77 lab task\n"};
	size_t nr = instances ? 3 : 1;
	cleanup(dat_meta_fini) struct dat_meta meta;
	char *path = test_file();
	struct err err = {0};
	struct dat_writer *w;
	uint64_t size;

	sample_meta(&meta);
	w = dat_writer_create(path, &meta, specs, nr, &err);
	assert_non_null(w);
	for (size_t b = 0; b < nr; b++)
		for (unsigned int cpu = 0; cpu < 2; cpu++)
			fill(w, b, cpu);
	assert_int_equal(dat_writer_finish(w, &tail, &size, &err), 0);
	assert_int_equal(dat_writer_close(w, &err), 0);
	return path;
}

/* The report as one text. */
static char *report(const struct compat_config *config)
{
	cleanup_free char *path = test_file();
	cleanup_close int fd = open(path, O_RDWR | O_TRUNC);
	struct strbuf text = {0};
	struct err err = {0};

	unlink(path);
	assert_int_equal(compat_report(config, fd, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_fd(fd, &text), 0);
	return strbuf_take(&text);
}

static void test_lines(void **state)
{
	static const char want[] =
		"cpus=4\n"
		"        lab task-77    [000]     5.000000: tick:                 count=0\n"
		"        lab task-77    [001]     5.000000: tick:                 count=0\n"
		"        lab task-77    [000]     5.000001: tick:                 count=1\n"
		"        lab task-77    [001]     5.000001: tick:                 count=1\n"
		"CPU:0 [1234 EVENTS DROPPED]\n"
		"        lab task-77    [000]     5.001000: tick:                 count=1\n"
		"CPU:1 [1234 EVENTS DROPPED]\n"
		"        lab task-77    [001]     5.001000: tick:                 count=1\n"
		"        lab task-77    [000]     5.001001: tick:                 count=2\n"
		"        lab task-77    [001]     5.001001: tick:                 count=2\n"
		"CPU:0 [EVENTS DROPPED]\n"
		"        lab task-77    [000]     5.002000: tick:                 count=2\n"
		"CPU:1 [EVENTS DROPPED]\n"
		"        lab task-77    [001]     5.002000: tick:                 count=2\n"
		"        lab task-77    [000]     5.002001: tick:                 count=3\n"
		"        lab task-77    [001]     5.002001: tick:                 count=3\n";
	cleanup_free char *path = record(false);
	const struct compat_config config = {.path = path};
	cleanup_free char *text = report(&config);

	(void)state;
	assert_string_equal(text, want);
	unlink(path);
}

static char *run(const char *command)
{
	struct strbuf text = {0};
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	assert_int_equal(io_read_fd(fileno(pipe), &text), 0);
	pclose(pipe);
	return strbuf_take(&text);
}

static void test_trace_cmd(void **state)
{
	static const unsigned int some[] = {1};
	static const struct {
		const char *command;
		struct compat_config config;
	} rows[] = {
		{"trace-cmd report $F 2>/dev/null", {0}},
		{"trace-cmd report -t $F 2>/dev/null", {.nanoseconds = true}},
		{"trace-cmd report -l $F 2>/dev/null", {.latency = true}},
		{"trace-cmd report -R $F 2>/dev/null", {.raw = true}},
		{"trace-cmd report --ts-diff $F 2>/dev/null", {.ts_diff = true}},
		{"trace-cmd report -t --ts-diff $F 2>/dev/null",
		 {.ts_diff = true, .nanoseconds = true}},
		{"trace-cmd report -l -R $F 2>/dev/null", {.latency = true, .raw = true}},
		{"trace-cmd report --cpu 1 $F 2>/dev/null", {.cpus = some, .nr_cpus = 1}},
	};

	(void)state;
	if (system("trace-cmd --help >/dev/null 2>&1") == 127 << 8)
		skip();
	for (int instances = 0; instances < 2; instances++) {
		cleanup_free char *path = record(instances);

		setenv("F", path, 1);
		for (size_t i = 0; i < array_size(rows); i++) {
			struct compat_config config = rows[i].config;
			cleanup_free char *want = run(rows[i].command);
			cleanup_free char *text = NULL;

			config.path = path;
			text = report(&config);
			assert_string_equal(text, want);
		}
		unlink(path);
	}
}

static void test_count(void **state)
{
	static const char *const names[] = {"", "", "lab", "lab", "longer", "longer"};
	cleanup_free char *path = record(true);
	struct compat_counts counts;
	struct err err = {0};

	(void)state;
	assert_int_equal(compat_count(path, &counts, &err), 0);
	assert_int_equal(counts.nr, 6);
	for (size_t i = 0; i < counts.nr; i++) {
		uint64_t times = 0;

		assert_string_equal(counts.cpu[i].buffer, names[i]);
		assert_int_equal(counts.cpu[i].cpu, i % 2);
		assert_int_equal(counts.cpu[i].events, 2 * PAGE_NR);
		for (unsigned int n = 0; n < 2 * PAGE_NR; n++)
			times = compat_hash(times, 5000000000ull + n / 2 * 1000000 + n % 2 * 1000 +
							   i % 2 * 300 + i / 2 * 50);
		assert_int_equal(counts.cpu[i].times, times);
	}
	compat_counts_fini(&counts);
	unlink(path);
}

/* Makes the first options section lead to itself: the library follows it until its stack is full. */
static void make_circle(const char *path)
{
	cleanup_close int fd = open(path, O_RDWR);
	uint64_t options;
	uint64_t size;

	assert_int_equal(io_pread_all(fd, &options, 8, 0x18), 8);
	assert_int_equal(io_pread_all(fd, &size, 8, options + 8), 8);
	assert_int_equal(io_pwrite_all(fd, &options, 8, options + 16 + size - 8), 0);
}

static void test_damaged(void **state)
{
	cleanup_free char *path = record(false);
	const struct compat_config config = {.path = path};
	struct compat_counts counts;
	struct err err = {0};
	struct rlimit old;
	struct rlimit small;

	(void)state;
	/* The crash comes sooner. */
	getrlimit(RLIMIT_STACK, &old);
	small = (struct rlimit){512 << 10, old.rlim_max};
	setrlimit(RLIMIT_STACK, &small);
	make_circle(path);
	assert_int_equal(compat_report(&config, STDERR_FILENO, &err), -EPROTO);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(compat_count(path, &counts, &err), -EPROTO);
	setrlimit(RLIMIT_STACK, &old);
	assert_int_equal(truncate(path, 5), 0);
	assert_true(compat_report(&config, STDERR_FILENO, &err) < 0);
	unlink(path);
	assert_int_equal(compat_report(&config, STDERR_FILENO, &err), -ENOENT);
}

static void test_full_output(void **state)
{
	cleanup_free char *path = record(false);
	const struct compat_config config = {.path = path};
	cleanup_close int full = open("/dev/full", O_WRONLY);
	struct err err = {0};

	(void)state;
	assert_true(compat_report(&config, full, &err) < 0);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_trace_cmd),
		cmocka_unit_test(test_count),	    cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_full_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

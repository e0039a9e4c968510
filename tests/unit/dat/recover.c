/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer that is killed at any moment, and the one who closes its file. */
#include "../test.h"
#include "sample.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dat/reader.h"
#include "dat/recover.h"
#include "util/io.h"

/* More than is closed up by copying where holes can be taken out, and in several chunks. */
static const unsigned int pages_of[4] = {1000, 0, 700, 1200};

#define TRIALS 12

struct report {
	char where[200];
	bool filled; /* everything is in the file */
};

static void make_page(uint8_t *page, unsigned int cpu, unsigned int nr)
{
	sample_page(page, false, 1000000000ull + nr * 1000000ull + cpu, 3, nr * 3);
}

static void put_pages(struct dat_writer *w, unsigned int cpu, unsigned int from, unsigned int to)
{
	uint8_t page[SAMPLE_PAGE];

	for (unsigned int p = from; p < to; p++) {
		make_page(page, cpu, p);
		if (io_pwrite_all(dat_writer_fd(w), page, sizeof(page),
				  dat_writer_region(w, 0, cpu) + (uint64_t)p * sizeof(page)) < 0)
			_exit(1);
	}
}

/* Half of the data are in the table, the rest is not, as when it is killed between two checkpoints. */
static void write_recording(const char *path, unsigned int version, int tell)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, sample_cpus, 4};
	const struct dat_tail tail = {.cmdlines = "77 lab task\n"};
	struct report report = {.filled = false};
	cleanup_free char *where = NULL;
	struct dat_meta meta;
	struct dat_writer *w;
	uint64_t size;

	sample_meta(&meta);
	meta.file_version = version;
	w = dat_writer_create(path, &meta, &spec, 1, NULL);
	if (!w)
		_exit(1);
	where = dat_writer_where(w);
	strcpy(report.where, where);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		put_pages(w, cpu, 0, pages_of[cpu] / 2);
		dat_writer_set_size(w, 0, cpu, (uint64_t)(pages_of[cpu] / 2) * SAMPLE_PAGE);
	}
	dat_writer_checkpoint(w, NULL);
	io_write_all(tell, &report, sizeof(report));
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		put_pages(w, cpu, pages_of[cpu] / 2, pages_of[cpu]);
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		dat_writer_set_size(w, 0, cpu, (uint64_t)pages_of[cpu] * SAMPLE_PAGE);
	report.filled = true;
	io_write_all(tell, &report, sizeof(report));
	_exit(dat_writer_finish(w, &tail, &size, NULL) < 0);
}

static void check_cpu(const struct dat_reader *r, const struct dat_cpu *cpu, bool all)
{
	uint64_t nr = cpu->size / SAMPLE_PAGE;
	uint8_t want[SAMPLE_PAGE];
	uint8_t page[SAMPLE_PAGE];

	assert_true(nr >= pages_of[cpu->cpu] / 2 && nr <= pages_of[cpu->cpu]);
	if (all)
		assert_int_equal(nr, pages_of[cpu->cpu]);
	for (unsigned int p = 0; p < nr; p++) {
		make_page(want, cpu->cpu, p);
		assert_int_equal(
			io_pread_all(r->fd, page, sizeof(page), cpu->offset + p * sizeof(page)),
			sizeof(page));
		assert_memory_equal(page, want, sizeof(page));
	}
}

static void check_file(const char *path, bool all)
{
	struct err err = {0};
	struct dat_reader *r = dat_reader_open(path, &err);
	struct stat st;

	assert_non_null(r);
	assert_int_equal(r->findings.nr, 0);
	assert_int_equal(r->nr_buffers, 1);
	assert_true(r->buffer[0].nr_cpus >= 3);
	for (size_t i = 0; i < r->buffer[0].nr_cpus; i++)
		check_cpu(r, &r->buffer[0].cpu[i], all);
	assert_int_equal(fstat(r->fd, &st), 0);
	assert_true(st.st_size < 40 << 20);
	assert_memory_equal(r->cmdlines.text, "77 ", 3);
	dat_reader_close(r);
}

static void kill_after(const char *dir, unsigned int version, unsigned int us)
{
	cleanup_free char *path = xasprintf("%s/ft-recover-%d", dir, (int)getpid());
	struct report report = {.filled = false};
	const struct dat_tail tail = {.cmdlines = "77 lab task\n"};
	const struct dat_tail nothing = {0};
	struct err err = {0};
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		write_recording(path, version, ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &report, sizeof(report)), sizeof(report));
	usleep(us);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (read(ends[0], &report, sizeof(report)) == sizeof(report))
		;
	close(ends[0]);
	assert_int_equal(dat_recover(path, report.where, &tail, &err), 0);
	check_file(path, report.filled);
	/* A second time there is nothing to do. */
	assert_int_equal(dat_recover(path, report.where, &nothing, &err), 0);
	check_file(path, report.filled);
	unlink(path);
}

static void test_killed(void **state)
{
	static const char *const dirs[] = {"/tmp", "/dev/shm"};
	const char *trials = getenv("FT_TRIALS");
	unsigned int nr = trials ? (unsigned int)atoi(trials) : TRIALS;

	(void)state;
	for (size_t d = 0; d < array_size(dirs); d++)
		for (unsigned int i = 0; access(dirs[d], W_OK) == 0 && i < nr; i++)
			kill_after(dirs[d], 6 + i % 2, 80000 / nr * i);
}

/* The text of a latency tracer comes from whoever closes the file, in either version. */
static void test_text(void **state)
{
	const struct dat_buffer_spec spec = {"", "mono", SAMPLE_PAGE, .is_text = true};
	const struct dat_tail tail = {.cmdlines = "77 lab task\n", .text = "# tracer: irqsoff\n"};
	cleanup_free char *path = xasprintf("/tmp/ft-recover-%d", (int)getpid());

	(void)state;
	for (unsigned int version = 6; version <= 7; version++) {
		cleanup(dat_meta_fini) struct dat_meta meta;
		cleanup_free char *where = NULL;
		struct err err = {0};
		struct dat_writer *w;
		struct dat_reader *r;

		sample_meta(&meta);
		meta.file_version = version;
		w = dat_writer_create(path, &meta, &spec, 1, &err);
		assert_non_null(w);
		where = dat_writer_where(w);
		assert_true(dat_recover_wants_text(where));
		dat_writer_freep(&w);
		assert_int_equal(dat_recover(path, where, &tail, &err), 0);
		r = dat_reader_open(path, &err);
		assert_non_null(r);
		assert_int_equal(r->findings.nr, 0);
		assert_int_equal(r->nr_buffers, 1);
		assert_true(r->buffer[0].is_text);
		assert_int_equal(r->buffer[0].text.len, strlen(tail.text));
		assert_memory_equal(r->buffer[0].text.text, tail.text, strlen(tail.text));
		dat_reader_close(r);
		unlink(path);
	}
}

static void test_not_ours(void **state)
{
	cleanup_free char *path = xstrdup("/tmp/ft-recover-XXXXXX");
	const struct dat_tail tail = {0};
	struct err err = {0};
	char text[8] = "";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "mine", 4), 4);
	assert_int_equal(dat_recover(path, "1 2 100 200", &tail, &err), 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 4);
	assert_string_equal(text, "mine");
	assert_int_equal(dat_recover(path, "1 2 100", &tail, &err), -EPROTO);
	assert_int_equal(dat_recover(path, "1 2 200 100", &tail, &err), -EPROTO);
	close(fd);
	unlink(path);
	assert_int_equal(dat_recover(path, "1 2 100 200", &tail, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

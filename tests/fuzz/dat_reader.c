/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes whole trace.dat files through the report: no input may crash, hang or take memory without end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/report.h"
#include "util/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report_once(const char *path, int out, int threads, bool check)
{
	struct report_config config = {.threads = threads, .slice_small = true};
	struct err err = {0};

	strv_add(&config.files, path);
	if (check)
		report_check(&config, out, &err);
	else
		report_run(&config, out, &err);
	strv_fini(&config.files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int in = memfd_create("fuzz", 0);
	int out = memfd_create("fuzz-out", 0);
	char path[32];

	if (in < 0 || out < 0 || io_write_all(in, data, size) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	report_once(path, out, 1, false);
	report_once(path, out, 2, false);
	report_once(path, out, 1, true);
	close(in);
	close(out);
	return 0;
}

#ifndef FUZZING
/* Without a fuzzing engine: each file named runs once. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct strbuf file = {0};
		struct err err = {0};

		if (io_read_file(argv[i], &file, &err) < 0)
			return 1;
		LLVMFuzzerTestOneInput((const uint8_t *)strbuf_str(&file), file.len);
		strbuf_fini(&file);
	}
	return 0;
}
#endif

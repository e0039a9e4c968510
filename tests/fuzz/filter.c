/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes filters: no text may crash or hang, no record may be read past its end.
 *
 * An input is a filter's text; behind a NUL may follow a record. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "report/filter.h"
#include "tests/unit/report/filter_sample.h"
#include "util/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void match_record(struct filter_set *set, struct decode *dec, const uint8_t *data,
			 size_t size)
{
	cleanup_free uint8_t *record = xmalloc(size ? size : 1);
	struct raw_event raw = {.ts = 1000, .data = record, .size = (uint32_t)size};
	struct decode_common common;
	struct report_view view = {.dec = dec, .raw = &raw, .common = &common, .comm = "bash"};

	/* A copy of its own, so that a sanitizer sees the first byte read too far. */
	memcpy(record, data, size);
	if (!decode_common(dec, &raw, &common))
		return;
	for (int id = SWITCH; id <= RCU + 1; id++) {
		view.event = decode_event(dec, id);
		filter_set_match(set, &view);
	}
}

static void check_fields(const char *text)
{
	cleanup(strv_fini) struct strv fields = {0};
	cleanup(strbuf_fini) struct strbuf kernel = {0};
	struct err err;

	strv_split(&fields, "prev_comm prev_pid prev_prio call_site", " ");
	filter_check_fields(text, "sched_switch", &fields, &kernel, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = xstrndup((const char *)data, size);
	size_t len = strlen(text);
	struct filter_set *set = filter_set_new();
	struct sample sample;
	struct err err;

	sample_init(&sample);
	if (filter_set_add(set, text, size & 1, &err) == 0 &&
	    filter_set_bind(set, sample.dec, &err) == 0 && len + 1 < size)
		match_record(set, sample.dec, data + len + 1, size - len - 1);
	check_fields(text);
	decode_free(sample.dec);
	filter_set_free(set);
	return 0;
}

#ifndef FUZZING
static int replay(const char *path)
{
	struct strbuf input = {0};
	struct err err = {0};

	if (io_read_file(path, &input, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)strbuf_str(&input), input.len);
	strbuf_fini(&input);
	return 0;
}

static int replay_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int failed = 0;

	while (dir && (entry = readdir(dir))) {
		cleanup_free char *path = xasprintf("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] != '.')
			failed |= replay(path);
	}
	if (dir)
		closedir(dir);
	return failed;
}

/* Each argument is an input or a folder of inputs. */
int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);

		failed |= dir ? replay_folder(argv[i]) : replay(argv[i]);
		if (dir)
			closedir(dir);
	}
	return failed;
}
#endif

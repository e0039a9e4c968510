/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes every event format below a folder like events/ and prints records of zeros, of ones and of half the size by it.
 * "formats FOLDER" prints "NATIVE FALLBACK FIELDS" of the formats at the end, and a line for each that is not right. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "util/io.h"
#include "util/mem.h"

struct totals {
	size_t kind[3];
	size_t wrong;
};

static uint32_t record_size(const struct event *event)
{
	uint32_t size = 0;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct decode_field *field = &event->field[i];
		uint32_t end = (uint32_t)field->offset + (uint32_t)field->size;

		size = end > size ? end : size;
	}
	return size;
}

/* One line of text, whatever the bytes are. @size is that of the allocation, too: a sanitizer sees any read past it. */
static bool prints(struct decode_thread *thread, const struct event *event, uint32_t size, int byte)
{
	uint8_t *data = xmalloc(size ? size : 1);
	struct raw_event raw = {.data = data, .size = size};
	struct outbuf out = {0};
	bool right;

	memset(data, byte, size);
	event_print(thread, event, &raw, &out);
	outbuf_add_char(&out, '\0');
	/* Stacks have a line for each frame. */
	right = !strstr(out.buf, "FAILED TO PARSE") &&
		(!strchr(out.buf, '\n') || strstr(event->name, "_stack"));
	if (!right)
		printf("%s:%s with bytes of %d: %s\n", event->system, event->name, byte, out.buf);
	outbuf_fini(&out);
	free(data);
	return right;
}

static void take_format(const char *system, const char *path, struct totals *totals)
{
	struct strbuf text = {0};
	struct decode_format format = {system, {NULL, 0}};
	struct decode_input in = {.long_size = sizeof(long), .format = &format, .nr_formats = 1};
	const struct event *event = NULL;
	struct decode_thread *thread;
	struct decode *dec;

	if (io_read_file(path, &text, NULL) < 0)
		return;
	format.text.text = strbuf_str(&text);
	format.text.len = text.len;
	dec = decode_new(&in, NULL);
	thread = decode_thread_new(dec);
	decode_find(dec, "*", "*", &event, 1);
	if (event) {
		uint32_t size = record_size(event);

		totals->wrong += !prints(thread, event, size, 0);
		totals->wrong += !prints(thread, event, size, 0xff);
		totals->wrong += !prints(thread, event, size / 2, 1);
		totals->kind[event_plan_kind(event)]++;
		if (event_plan_kind(event) != PLAN_NATIVE)
			fprintf(stderr, "%s:%s is printed %s\n", event->system, event->name,
				event_plan_kind(event) == PLAN_FIELDS ? "as fields"
								      : "by libtraceevent");
	} else {
		printf("%s: no event\n", path);
		totals->wrong++;
	}
	decode_thread_free(thread);
	decode_free(dec);
	strbuf_fini(&text);
}

static void take_system(const char *top, const char *system, struct totals *totals)
{
	cleanup_free char *path = xasprintf("%s/%s", top, system);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		cleanup_free char *file = xasprintf("%s/%s/format", path, entry->d_name);

		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
			take_format(system, file, totals);
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	struct totals totals = {0};
	struct dirent *entry;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;

	if (!dir) {
		fprintf(stderr, "usage: formats FOLDER\n");
		return 2;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
			take_system(argv[1], entry->d_name, &totals);
	closedir(dir);
	printf("%zu %zu %zu\n", totals.kind[PLAN_NATIVE], totals.kind[PLAN_FALLBACK],
	       totals.kind[PLAN_FIELDS]);
	return totals.wrong ? 1 : 0;
}

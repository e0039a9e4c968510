/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of a version 6 file: one part after the other, from the names of tasks to the tables of
 * CPUs. */
#include <stdlib.h>
#include <string.h>

#include "dat/facts.h"
#include "dat/sections.h"
#include "dat/write_meta.h"
#include "dat/write_state.h"
#include "util/mem.h"

/* With the NUL, so does each lie in the file. */
#define TAG_LEN 10
#define TAG_OPTIONS "options  "
#define TAG_TEXT "latency  "
#define TAG_TABLE "flyrecord"

static void write_names(struct dat_out *out, const char *names)
{
	size_t len = names ? strlen(names) : 0;

	dat_out_u64(out, len);
	dat_out_mem(out, names, len);
}

/* Each CPU up to the last one has a row, by which its number is known. A recording that runs says where
 * its data will be. */
static void write_table(struct dat_out *out, const struct dat_writer *w,
			const struct writer_buffer *buffer, const struct writer_head *head)
{
	cleanup_free char *clock = xasprintf("[%s]", buffer->clock);
	size_t i = 0;

	dat_out_mem(out, TAG_TABLE, TAG_LEN);
	for (uint32_t cpu = 0; cpu < w->cpu_count; cpu++) {
		bool is_there = i < buffer->nr_regions && buffer->region[i].cpu == cpu;
		uint64_t size = is_there ? writer_data(w, buffer, i) : 0;

		dat_out_u64(out, size || (is_there && !head->ended) ? buffer->region[i].start : 0);
		dat_out_u64(out, size);
		i += is_there;
	}
	if (!w->has_clock)
		return;
	dat_out_u64(out, strlen(clock));
	dat_out_mem(out, clock, strlen(clock));
}

/* Tells in *tables where the offsets of the later buffers' tables go. */
static void write_options(struct dat_out *out, const struct dat_writer *w,
			  const struct writer_head *head, uint64_t *tables)
{
	const struct dat_tail *tail = head->tail;

	dat_out_mem(out, TAG_OPTIONS, TAG_LEN);
	dat_out_mem(out, w->options, w->options_len);
	if (!head->ended)
		write_option(out, DAT_FACTS, DAT_FACT_OPEN "\n", strlen(DAT_FACT_OPEN "\n"));
	for (size_t i = 0; tail && tail->cpustat && i < tail->cpustat->nr; i++)
		write_option_string(out, DAT_CPUSTAT, tail->cpustat->item[i]);
	for (size_t i = 0; tail && i < tail->nr_options; i++)
		write_option(out, tail->option[i].id, tail->option[i].data, tail->option[i].len);
	for (size_t b = 1; b < w->nr_buffers; b++) {
		uint64_t option = write_option_begin(out, DAT_BUFFER);

		tables[b] = option;
		dat_out_u64(out, 0);
		dat_out_string(out, w->buffer[b].name);
		write_option_end(out, option);
	}
	dat_out_u16(out, DAT_DONE);
}

void write_head6(struct dat_out *out, const struct dat_writer *w, const struct writer_head *head)
{
	cleanup_free uint64_t *tables = xcalloc(w->nr_buffers, sizeof(*tables));
	const struct dat_tail *tail = head->tail;

	write_names(out, tail ? tail->cmdlines : NULL);
	dat_out_u32(out, w->cpu_count);
	write_options(out, w, head, tables);
	if (w->buffer[0].is_text) {
		dat_out_mem(out, TAG_TEXT, TAG_LEN);
		dat_out_mem(out, tail ? tail->text : NULL,
			    tail && tail->text ? strlen(tail->text) : 0);
		return;
	}
	for (size_t b = 0; b < w->nr_buffers; b++) {
		if (b)
			dat_out_patch_u64(out, tables[b], dat_out_pos(out));
		write_table(out, w, &w->buffer[b], head);
	}
}

static bool read_tag(struct cursor *c, const char *tag)
{
	const uint8_t *found;

	return cursor_bytes(c, TAG_LEN, &found) && !memcmp(found, tag, TAG_LEN);
}

static void add_buffer(struct dat_writer *w, char *name, uint32_t page_size)
{
	w->buffer = xrealloc(w->buffer, (w->nr_buffers + 1) * sizeof(*w->buffer));
	w->buffer[w->nr_buffers++] = (struct writer_buffer){.name = name, .page_size = page_size};
}

/* All but what the end brings and a buffer's; what is kept is written again as it is. */
static bool read_options(struct dat_writer *w, struct cursor *c, uint32_t page_size, bool *ended)
{
	struct dat_out kept;
	const uint8_t *data;
	uint32_t size;
	uint16_t id;

	*ended = true;
	add_buffer(w, xstrdup(""), page_size);
	dat_out_init(&kept, -1, 0, w->big_endian);
	while (cursor_u16(c, &id) && id != DAT_DONE && cursor_u32(c, &size) &&
	       cursor_bytes(c, size, &data)) {
		if (id == DAT_BUFFER && size > 8)
			add_buffer(w, xstrndup((const char *)data + 8, size - 8), page_size);
		else if (id == DAT_FACTS && size >= 4 && !memcmp(data, DAT_FACT_OPEN, 4))
			*ended = false;
		else if (id != DAT_CPUSTAT)
			write_option(&kept, id, data, size);
		w->has_clock |= id == DAT_TRACECLOCK;
		id = DAT_OPTION_NR;
	}
	w->options = kept.buf;
	w->options_len = kept.len;
	return id == DAT_DONE;
}

static bool read_table(struct dat_writer *w, struct cursor *c, struct writer_buffer *buffer)
{
	const uint8_t *clock = (const uint8_t *)"[]";
	uint64_t len = 2;

	buffer->region = xcalloc(w->cpu_count + 1, sizeof(*buffer->region));
	for (uint32_t cpu = 0; cpu < w->cpu_count; cpu++) {
		struct writer_region *region = &buffer->region[buffer->nr_regions];
		uint64_t start;
		uint64_t size;

		if (!cursor_u64(c, &start) || !cursor_u64(c, &size))
			return false;
		if (!start)
			continue;
		*region = (struct writer_region){.cpu = cpu, .start = start};
		atomic_store(&region->size, size);
		buffer->nr_regions++;
	}
	if (w->has_clock && (!cursor_u64(c, &len) || len < 2 || !cursor_bytes(c, len, &clock)))
		return false;
	buffer->clock = xstrndup((const char *)clock + 1, len - 2);
	return true;
}

bool read_head6(struct dat_writer *w, struct cursor *c, uint32_t page_size, bool *ended,
		bool *complete)
{
	const uint8_t *text;
	uint64_t names;

	if (!cursor_u64(c, &names) || !cursor_bytes(c, names, &text) ||
	    !cursor_u32(c, &w->cpu_count) || w->cpu_count > DAT_CPUS_MOST || page_size < 64 ||
	    !read_tag(c, TAG_OPTIONS) || !read_options(w, c, page_size, ended))
		return false;
	*complete = names > 0;
	if (!cursor_bytes(c, TAG_LEN, &text))
		return false;
	w->buffer[0].is_text = !memcmp(text, TAG_TEXT, TAG_LEN);
	if (w->buffer[0].is_text)
		return true;
	/* The tables lie one after the other. */
	for (size_t b = 0; b < w->nr_buffers; b++) {
		if (memcmp(text, TAG_TABLE, TAG_LEN) != 0 || !read_table(w, c, &w->buffer[b]))
			return false;
		if (b + 1 < w->nr_buffers && !cursor_bytes(c, TAG_LEN, &text))
			return false;
	}
	return true;
}

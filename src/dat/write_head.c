/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a writer says of its buffers and of the end of a recording, as bytes of a version 7 file. */
#include <string.h>

#include "dat/sections.h"
#include "dat/write_meta.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"

uint64_t writer_data(const struct dat_writer *w, const struct writer_buffer *buffer, size_t i)
{
	uint64_t size = atomic_load_explicit(&buffer->region[i].size, memory_order_relaxed);

	if (w->compress != COMPRESS_NONE)
		return size;
	return size - size % buffer->page_size;
}

bool writer_has_data(const struct dat_writer *w, const struct writer_buffer *buffer)
{
	for (size_t i = 0; i < buffer->nr_regions; i++)
		if (writer_data(w, buffer, i))
			return true;
	return false;
}

/* A buffer that has, or may still get, a section of data of its own. */
static bool has_section(const struct dat_writer *w, const struct writer_buffer *buffer,
			const struct writer_head *head)
{
	return buffer->nr_regions && (!head->ended || writer_has_data(w, buffer));
}

/* A text is told of where the tail is, in the head or behind the data. */
static bool is_in_tail(const struct writer_buffer *buffer, const struct writer_head *head)
{
	return buffer->is_text && (head->tail || head->more_options);
}

static const struct writer_region *first_region(const struct dat_writer *w,
						const struct writer_buffer *buffer,
						const struct writer_head *head)
{
	size_t i = 0;

	while (head->ended && !writer_data(w, buffer, i))
		i++;
	return &buffer->region[i];
}

static bool is_first_section(const struct dat_writer *w, const struct writer_buffer *buffer,
			     const struct writer_head *head)
{
	for (const struct writer_buffer *b = w->buffer; b < buffer; b++)
		if (has_section(w, b, head))
			return false;
	return true;
}

/* Where the section header of a buffer other than the first lies. */
static uint64_t later_header(const struct dat_writer *w, const struct writer_buffer *buffer,
			     const struct writer_head *head)
{
	return first_region(w, buffer, head)->start - DAT_SECTION_HEADER;
}

/* Where the section of @buffer ends: at the next one, at the end of data, or where no data can be
 * any more. */
static uint64_t section_limit(const struct dat_writer *w, const struct writer_buffer *buffer,
			      const struct writer_head *head)
{
	const struct writer_region *last = &buffer->region[buffer->nr_regions - 1];

	for (const struct writer_buffer *b = buffer + 1; b < w->buffer + w->nr_buffers; b++)
		if (has_section(w, b, head))
			return later_header(w, b, head);
	return head->ended ? head->data_end : last->start + w->region_size;
}

/* An ended recording names the CPUs up to the last one with data. Those without in between are
 * named, too: trace-cmd convert would take each CPU that is left out for another CPU 0. */
static size_t count_named(const struct dat_writer *w, const struct writer_buffer *buffer,
			  const struct writer_head *head)
{
	size_t nr = buffer->nr_regions;

	while (head->ended && nr && !writer_data(w, buffer, nr - 1))
		nr--;
	return nr;
}

static void write_buffer_cpus(struct dat_out *out, const struct dat_writer *w,
			      const struct writer_buffer *buffer, const struct writer_head *head)
{
	size_t nr = count_named(w, buffer, head);

	dat_out_u32(out, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		uint64_t size = writer_data(w, buffer, i);

		dat_out_u32(out, buffer->region[i].cpu);
		dat_out_u64(out, size || !head->ended ? buffer->region[i].start : 0);
		dat_out_u64(out, size);
	}
}

/* Returns where the offset of its section goes. */
static uint64_t write_buffer_option(struct dat_out *out, const struct dat_writer *w,
				    const struct writer_buffer *buffer,
				    const struct writer_head *head)
{
	uint64_t option = write_option_begin(out, DAT_BUFFER);

	dat_out_u64(out, 0);
	dat_out_string(out, buffer->name);
	dat_out_string(out, buffer->clock);
	dat_out_u32(out, buffer->page_size);
	write_buffer_cpus(out, w, buffer, head);
	write_option_end(out, option);
	return option;
}

/* The buffer of a latency tracer; readers want no BUFFER option of its name beside it. */
static const struct writer_buffer *find_text(const struct dat_writer *w)
{
	for (size_t b = 0; b < w->nr_buffers; b++)
		if (w->buffer[b].is_text)
			return &w->buffer[b];
	return NULL;
}

/* Returns where the offset of its section goes. */
static uint64_t write_text_option(struct dat_out *out, const struct writer_buffer *buffer)
{
	uint64_t option = write_option_begin(out, DAT_BUFFER_TEXT);

	dat_out_u64(out, 0);
	dat_out_string(out, buffer->name);
	dat_out_string(out, buffer->clock);
	write_option_end(out, option);
	return option;
}

/* trace-cmd reads on to the end of the file when it is not compressed, so nothing follows where it is the only
 * buffer. */
static void write_last_text(struct dat_out *out, const char *text, uint64_t option)
{
	uint64_t section;

	dat_out_patch_u64(out, option, dat_out_pos(out));
	section = write_section(out, DAT_BUFFER_TEXT);
	dat_out_mem(out, text, text ? strlen(text) : 0);
	write_section_end(out, section);
}

uint64_t write_tail(struct dat_out *out, const struct dat_writer *w, const struct dat_tail *tail)
{
	const struct writer_buffer *text = find_text(w);
	uint64_t text_at = 0;
	size_t len = tail->cmdlines ? strlen(tail->cmdlines) : 0;
	uint64_t cmdlines = dat_out_pos(out);
	uint64_t section = write_section(out, DAT_CMDLINES);
	uint64_t options;

	dat_out_u64(out, len);
	dat_out_mem(out, tail->cmdlines, len);
	write_section_end(out, section);

	options = dat_out_pos(out);
	section = write_section(out, DAT_DONE);
	write_option_u64(out, DAT_CMDLINES, cmdlines);
	for (size_t i = 0; tail->cpustat && i < tail->cpustat->nr; i++)
		write_option_string(out, DAT_CPUSTAT, tail->cpustat->item[i]);
	if (text)
		text_at = write_text_option(out, text);
	for (size_t i = 0; i < tail->nr_options; i++)
		write_option(out, tail->option[i].id, tail->option[i].data, tail->option[i].len);
	write_option_u64(out, DAT_DONE, 0);
	write_section_end(out, section);
	if (text)
		write_last_text(out, tail->text, text_at);
	return options;
}

static uint64_t write_buffer_section(struct dat_out *out, const struct dat_writer *w)
{
	uint64_t section = write_section(out, DAT_BUFFER);

	if (w->compress != COMPRESS_NONE)
		write_section_compressed(out, section);
	return section;
}

/* Section headers of all buffers whose data do not lie somewhere behind: the empty ones', and last
 * that of the first with data, which follow after the padding. */
static void write_head_sections(struct dat_out *out, const struct dat_writer *w,
				const struct writer_head *head, const uint64_t *options)
{
	const struct writer_buffer *first = NULL;

	for (size_t b = 0; b < w->nr_buffers; b++) {
		const struct writer_buffer *buffer = &w->buffer[b];

		if (is_in_tail(buffer, head))
			continue;
		if (!has_section(w, buffer, head)) {
			dat_out_patch_u64(out, options[b], dat_out_pos(out));
			write_buffer_section(out, w);
		} else if (is_first_section(w, buffer, head)) {
			first = buffer;
		} else {
			dat_out_patch_u64(out, options[b], later_header(w, buffer, head));
		}
	}
	if (first) {
		uint64_t at = dat_out_pos(out);

		dat_out_patch_u64(out, options[first - w->buffer], at);
		dat_out_patch_u64(out, write_buffer_section(out, w) - 8,
				  section_limit(w, first, head) - at - DAT_SECTION_HEADER);
	}
}

static void write_head7(struct dat_out *out, const struct dat_writer *w,
			const struct writer_head *head)
{
	cleanup_free uint64_t *options = xcalloc(w->nr_buffers, sizeof(*options));
	uint64_t section = write_section(out, DAT_DONE);
	uint64_t done;

	for (size_t b = 0; b < w->nr_buffers; b++)
		if (!is_in_tail(&w->buffer[b], head))
			options[b] = write_buffer_option(out, w, &w->buffer[b], head);
	done = write_option_begin(out, DAT_DONE);
	dat_out_u64(out, head->more_options);
	write_option_end(out, done);
	write_section_end(out, section);
	if (head->tail)
		dat_out_patch_u64(out, done, write_tail(out, w, head->tail));
	write_head_sections(out, w, head, options);
}

void write_head(struct dat_out *out, const struct dat_writer *w, const struct writer_head *head)
{
	if (w->is_v6)
		write_head6(out, w, head);
	else
		write_head7(out, w, head);
}

static int put_later_headers(const struct dat_writer *w, const struct writer_head *head)
{
	for (size_t b = 0; b < w->nr_buffers; b++) {
		const struct writer_buffer *buffer = &w->buffer[b];
		struct dat_out out;
		uint64_t at;
		int r;

		if (!has_section(w, buffer, head) || is_first_section(w, buffer, head))
			continue;
		at = later_header(w, buffer, head);
		dat_out_init(&out, w->fd, at, w->big_endian);
		dat_out_patch_u64(&out, write_buffer_section(&out, w) - 8,
				  section_limit(w, buffer, head) - at - DAT_SECTION_HEADER);
		r = dat_out_flush(&out);
		dat_out_fini(&out);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Each CPU's data begin with the number of chunks. */
static int put_counts(const struct dat_writer *w)
{
	for (size_t b = 0; b < w->nr_buffers; b++) {
		for (size_t i = 0; i < w->buffer[b].nr_regions; i++) {
			const struct writer_region *region = &w->buffer[b].region[i];
			struct dat_out out;
			int r;

			if (!writer_data(w, &w->buffer[b], i))
				continue;
			dat_out_init(&out, w->fd, region->start, w->big_endian);
			dat_out_u32(&out, (uint32_t)atomic_load(&region->chunks));
			r = dat_out_flush(&out);
			dat_out_fini(&out);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int put_head(const struct dat_writer *w, const struct writer_head *head, uint64_t limit,
	     uint64_t *end)
{
	struct dat_out out;
	int r = -EFBIG;

	dat_out_init(&out, -1, w->head_at, w->big_endian);
	write_head(&out, w, head);
	if (end)
		*end = dat_out_pos(&out);
	if (dat_out_pos(&out) <= limit)
		r = io_pwrite_all(w->fd, out.buf, out.len, w->head_at);
	dat_out_fini(&out);
	if (r >= 0 && w->compress != COMPRESS_NONE)
		r = put_counts(w);
	return r < 0 || w->is_v6 ? r : put_later_headers(w, head);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closes the file of a recording whose process is gone. */
#include "dat/recover.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/sections.h"
#include "dat/write_meta.h"
#include "dat/write_region.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"

/* Where the version, the byte order and the size of a sub-buffer stand in any trace.dat, and the name of
 * the compression in one of version 7. */
#define VERSION_AT 10
#define BYTE_ORDER_AT 12
#define PAGE_SIZE_AT 14
#define COMPRESS_NAME_AT 18
#define FIRST_BYTES 32
/* No head is larger. */
#define HEAD_MOST (256u << 20)
#define CHUNK_MOST (64u << 20)

/* What the place of a file with the text of a latency tracer begins with. */
#define TEXT_WORD "text "

/* What dat_writer_where() says. */
struct place {
	uint64_t dev;
	uint64_t ino;
	uint64_t head_at;
	uint64_t data_at;
	bool has_text;	  /* of a latency tracer */
	const char *part; /* the name that it had before, "" when there was none */
};

char *dat_writer_where(const struct dat_writer *w)
{
	struct stat st;

	if (fstat(w->fd, &st) < 0)
		st = (struct stat){0};
	return xasprintf("%s%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
			 w->buffer[0].is_text ? TEXT_WORD : "", (uint64_t)st.st_dev,
			 (uint64_t)st.st_ino, w->head_at, w->data_at,
			 w->file.part ? w->file.part : "");
}

bool dat_recover_wants_text(const char *where)
{
	return str_starts(where, TEXT_WORD);
}

/* What the head says of the recording. */
struct state {
	bool complete;	       /* the end has been written */
	bool ended;	       /* of version 6: the table is right */
	uint64_t sections_end; /* of version 7: of the buffer whose section reaches farthest */
};

static bool read_regions(struct cursor *c, struct writer_buffer *buffer)
{
	uint32_t nr;

	if (!cursor_u32(c, &buffer->page_size) || !cursor_u32(c, &nr) || nr > cursor_left(c) / 20 ||
	    buffer->page_size < 64)
		return false;
	buffer->region = xcalloc(nr + 1, sizeof(*buffer->region));
	buffer->nr_regions = nr;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t cpu;
		uint64_t start;
		uint64_t size;

		if (!cursor_u32(c, &cpu) || !cursor_u64(c, &start) || !cursor_u64(c, &size))
			return false;
		buffer->region[i] = (struct writer_region){.cpu = cpu, .start = start};
		atomic_store(&buffer->region[i].size, size);
	}
	return true;
}

static bool read_buffer(struct dat_writer *w, const uint8_t *data, uint32_t size,
			struct state *state)
{
	struct writer_buffer *buffer;
	struct cursor c;
	const char *name;
	const char *clock;
	uint64_t section;
	uint64_t end;
	uint8_t raw[8];

	cursor_init_mem(&c, data, size, w->big_endian);
	if (!cursor_u64(&c, &section) || !cursor_string(&c, &name) || !cursor_string(&c, &clock) ||
	    io_pread_all(w->fd, raw, sizeof(raw), section + DAT_SECTION_HEADER - sizeof(raw)) !=
		    (ssize_t)sizeof(raw))
		return false;
	end = section + DAT_SECTION_HEADER + get_u64(raw, w->big_endian);
	if (end > state->sections_end)
		state->sections_end = end;
	w->buffer = xrealloc(w->buffer, (w->nr_buffers + 1) * sizeof(*w->buffer));
	buffer = &w->buffer[w->nr_buffers++];
	*buffer = (struct writer_buffer){.name = xstrdup(name), .clock = xstrdup(clock)};
	return read_regions(&c, buffer);
}

/* The options that write_head() makes: a BUFFER for each buffer, and DONE. */
static bool read_options(struct dat_writer *w, struct cursor *c, struct state *state)
{
	const uint8_t *data;
	uint32_t size;
	uint16_t id;

	while (cursor_u16(c, &id) && cursor_u32(c, &size) && cursor_bytes(c, size, &data)) {
		if (id == DAT_DONE) {
			state->complete = size >= 8 && get_u64(data, w->big_endian);
			return true;
		}
		if (id != DAT_BUFFER || !read_buffer(w, data, size, state))
			return false;
	}
	return false;
}

static bool read_head(struct dat_writer *w, const struct place *place, struct state *state)
{
	size_t len = (size_t)(place->data_at - place->head_at);
	cleanup_free uint8_t *head = xmalloc(len);
	struct cursor c;
	uint8_t first[FIRST_BYTES] = {0};
	uint16_t id;

	if (io_pread_all(w->fd, first, sizeof(first) - 1, 0) != (ssize_t)sizeof(first) - 1 ||
	    io_pread_all(w->fd, head, len, place->head_at) <= 0)
		return false;
	w->big_endian = first[BYTE_ORDER_AT] == 1;
	w->is_v6 = first[VERSION_AT] == '6';
	cursor_init_mem(&c, head, len, w->big_endian);
	if (w->is_v6)
		return read_head6(w, &c, get_u32(first + PAGE_SIZE_AT, w->big_endian),
				  &state->ended, &state->complete);
	w->compress = compress_by_name((const char *)first + COMPRESS_NAME_AT);
	return cursor_u16(&c, &id) && id == DAT_DONE && cursor_skip(&c, DAT_SECTION_HEADER - 2) &&
	       read_options(w, &c, state);
}

/* The chunks of one CPU that are whole, the count before them or not: their number, and *size to
 * match. */
static uint32_t count_chunks(const struct dat_writer *w, uint64_t start, uint64_t limit,
			     uint64_t *size)
{
	uint64_t at = start + sizeof(uint32_t);
	uint32_t nr = 0;
	uint8_t raw[8];

	while (at + sizeof(raw) <= limit &&
	       io_pread_all(w->fd, raw, sizeof(raw), at) == (ssize_t)sizeof(raw)) {
		uint32_t packed = get_u32(raw, w->big_endian);
		uint32_t full = get_u32(raw + 4, w->big_endian);
		cleanup_free uint8_t *block = NULL;
		cleanup_free uint8_t *data = NULL;

		if (!packed || !full || full > CHUNK_MOST || packed > limit - at - sizeof(raw))
			break;
		block = xmalloc(packed);
		data = xmalloc(full);
		if (io_pread_all(w->fd, block, packed, at + sizeof(raw)) != (ssize_t)packed ||
		    decompress_block(w->compress, block, packed, data, full) < 0)
			break;
		at += sizeof(raw) + packed;
		nr++;
	}
	*size = nr ? at - start : 0;
	return nr;
}

static void measure_region(struct dat_writer *w, const struct dat_reader *layout,
			   struct writer_buffer *buffer, size_t i, uint64_t limit)
{
	struct writer_region *region = &buffer->region[i];
	uint64_t size = writer_data(w, buffer, i);

	if (w->compress != COMPRESS_NONE)
		atomic_store(&region->chunks, count_chunks(w, region->start, limit, &size));
	else if (region->start + size < limit)
		size += salvage_length(layout, region->start + size, buffer->page_size, limit);
	atomic_store(&region->size, size);
}

/* What has reached the file since its table was last brought up to date. */
static void measure(struct dat_writer *w, uint64_t file_size)
{
	struct dat_reader layout = {.fd = w->fd, .size = file_size, .big_endian = w->big_endian};
	uint64_t limit = file_size;

	layout.long_size = sizeof(long);
	layout.page_data = 8 + sizeof(long);
	for (size_t b = w->nr_buffers; b-- > 0;) {
		struct writer_buffer *buffer = &w->buffer[b];

		for (size_t i = buffer->nr_regions; i-- > 0;) {
			if (!buffer->region[i].start)
				continue;
			measure_region(w, &layout, buffer, i, limit);
			limit = buffer->region[i].start;
		}
	}
}

/* Once the end has come, the last section ends with the data, and the table is right. Before, it goes
 * on to where no data can be. */
static bool is_closing(const struct dat_writer *w, const struct state *state)
{
	uint64_t end = 0;

	if (w->is_v6)
		return state->ended;
	for (size_t b = 0; b < w->nr_buffers; b++)
		for (size_t i = 0; i < w->buffer[b].nr_regions; i++) {
			uint64_t last = w->buffer[b].region[i].start +
					writer_data(w, &w->buffer[b], i);

			end = last > end ? last : end;
		}
	return state->sections_end <= end;
}

static int parse_place(const char *where, struct place *out, struct err *err)
{
	int end = 0;

	out->has_text = dat_recover_wants_text(where);
	if (out->has_text)
		where += strlen(TEXT_WORD);
	if (sscanf(where, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &out->dev,
		   &out->ino, &out->head_at, &out->data_at, &end) == 4 &&
	    out->head_at < out->data_at && out->data_at - out->head_at < HEAD_MOST) {
		out->part = end ? where + end : "";
		return 0;
	}
	return err_set(err, EPROTO, "the undo journal holds '%s' for the place of a file", where);
}

static int open_file(struct dat_writer *w, const struct place *place, struct stat *st,
		     struct err *err)
{
	w->fd = open(w->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (w->fd < 0 || fstat(w->fd, st) < 0)
		return err_sys(err, errno, "cannot open %s", w->path);
	/* Another file has its name by now. */
	if ((uint64_t)st->st_dev != place->dev || (uint64_t)st->st_ino != place->ino)
		return err_set(err, ESTALE, "%s is another file by now", w->path);
	return 0;
}

/* It never got its name. */
static int remove_file(const char *path, struct err *err)
{
	if (!*path || unlink(path) == 0 || errno == ENOENT)
		return 0;
	return err_sys(err, errno, "cannot remove %s", path);
}

int dat_recover(const char *path, const char *where, const struct dat_tail *tail, struct err *err)
{
	cleanup(dat_writer_freep) struct dat_writer *w = xzalloc(sizeof(*w));
	struct place place;
	struct stat st;
	uint64_t size;
	struct state state = {0};
	int r;

	w->fd = -1;
	w->file.fd = -1;
	w->path = xstrdup(path);
	if (!*where)
		return remove_file(path, err);
	r = parse_place(where, &place, err);
	if (r == 0)
		r = open_file(w, &place, &st, err);
	if (r == -ENOENT || r == -ESTALE)
		return remove_file(place.part, err);
	if (r < 0)
		return r;
	if (!read_head(w, &place, &state))
		return err_set(err, EPROTO, "%s: its table of buffers cannot be read", path);
	if (state.complete)
		return 0;
	if (place.has_text && w->nr_buffers)
		w->buffer[0].is_text = true;
	w->head_at = place.head_at;
	w->data_at = place.data_at;
	for (size_t b = 0; b < w->nr_buffers; b++) {
		uint64_t align = region_align(w->fd, w->buffer[b].page_size);

		w->align = align > w->align ? align : w->align;
	}
	if (is_closing(w, &state))
		writer_resume(w, (uint64_t)st.st_size);
	else
		measure(w, (uint64_t)st.st_size);
	r = dat_writer_finish(w, tail, &size, err);
	return r < 0 ? r : dat_writer_close(take_ptr(w), err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sub-buffers out of a file: by pread where they lie as they are, by chunks where they are compressed. */
#include "dat/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/io.h"
#include "util/mem.h"

/* Writers use ten pages a chunk. A damaged size must not eat the memory. */
#define CHUNK_MOST (64u << 20)
#define PIECE_MOST (1u << 20)
#define LARGEST_PIECE (1u << 20)

struct chunk {
	uint64_t offset; /* of the compressed block in the file */
	uint32_t packed;
	uint32_t full;
	uint64_t first; /* place of its first byte in the CPU's data */
};

struct file_source {
	struct page_source base;
	int fd;
	uint64_t size;
	enum compress_kind compress;
	struct chunk *chunk;
	size_t nr_chunks;
};

void source_scratch_fini(struct source_scratch *scratch)
{
	free(scratch->packed);
	free(scratch->chunk);
	*scratch = (struct source_scratch){0};
}

void source_free(struct page_source *src)
{
	if (src)
		src->ops->free(src);
}

static struct file_source *to_file(struct page_source *src)
{
	return (struct file_source *)src;
}

static void free_file(struct page_source *src)
{
	free(to_file(src)->chunk);
	free(src);
}

static ssize_t read_plain(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			  uint8_t *buf, size_t room)
{
	struct file_source *file = to_file(src);
	uint64_t at = first * src->page_size;

	(void)scratch;
	if (first >= src->nr_pages || at >= file->size)
		return 0;
	if (room > file->size - at)
		room = (size_t)(file->size - at);
	return io_pread_all(file->fd, buf, room, src->offset + at);
}

static size_t find_chunk(const struct file_source *file, uint64_t at)
{
	size_t low = 0;
	size_t high = file->nr_chunks;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (file->chunk[mid].first <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void ensure_room(uint8_t **buf, size_t *room, size_t need)
{
	if (*room >= need)
		return;
	free(*buf);
	*buf = xmalloc(need);
	*room = need;
}

/* What does not decompress becomes zeros, which are empty sub-buffers. */
static void unpack(const struct file_source *file, struct source_scratch *scratch,
		   const struct chunk *chunk, uint8_t *out)
{
	if (file->compress == COMPRESS_NONE) {
		ssize_t n = io_pread_all(file->fd, out, chunk->full, chunk->offset);

		if (n < (ssize_t)chunk->full)
			memset(out + (n > 0 ? n : 0), 0, chunk->full - (size_t)(n > 0 ? n : 0));
		return;
	}
	ensure_room(&scratch->packed, &scratch->packed_room, chunk->packed);
	if (io_pread_all(file->fd, scratch->packed, chunk->packed, chunk->offset) ==
		    (ssize_t)chunk->packed &&
	    decompress_block(file->compress, scratch->packed, chunk->packed, out, chunk->full) == 0)
		return;
	memset(out, 0, chunk->full);
	scratch->damaged = chunk->offset;
}

/* Chunks that fit in whole, as long as they end with a sub-buffer: a chunk is not to be unpacked twice. */
static size_t fit_chunks(const struct page_source *src, uint64_t first, size_t room)
{
	const struct file_source *file = (const struct file_source *)src;
	uint64_t at = first * src->page_size;
	size_t got = 0;

	for (size_t nr = find_chunk(file, at); nr < file->nr_chunks; nr++) {
		uint64_t end = file->chunk[nr].first + file->chunk[nr].full;

		if (end - at > room)
			break;
		if (end % src->page_size == 0 || end == file->size)
			got = (size_t)(end - at);
	}
	return got ? got : room;
}

static ssize_t read_chunks(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			   uint8_t *buf, size_t room)
{
	struct file_source *file = to_file(src);
	uint64_t at = first * src->page_size;
	size_t nr = find_chunk(file, at);
	size_t got = 0;

	if (src->packed)
		room = fit_chunks(src, first, room);
	while (got < room && at < file->size) {
		const struct chunk *chunk = &file->chunk[nr];
		size_t skip = (size_t)(at - chunk->first);
		size_t take = chunk->full - skip;

		if (!skip && take <= room - got) {
			unpack(file, scratch, chunk, buf + got);
		} else {
			if (scratch->chunk_nr != nr + 1) {
				ensure_room(&scratch->chunk, &scratch->chunk_room, chunk->full);
				unpack(file, scratch, chunk, scratch->chunk);
				scratch->chunk_nr = nr + 1;
			}
			if (take > room - got)
				take = room - got;
			memcpy(buf + got, scratch->chunk + skip, take);
		}
		got += take;
		at += take;
		nr++;
	}
	return (ssize_t)got;
}

static void add_chunk(struct file_source *file, const struct chunk *chunk)
{
	if ((file->nr_chunks & (file->nr_chunks - 1)) == 0)
		file->chunk = xrealloc(file->chunk, (file->nr_chunks ? file->nr_chunks * 2 : 1) *
							    sizeof(*chunk));
	file->chunk[file->nr_chunks++] = *chunk;
	file->size += chunk->full;
}

/* Pieces of a stream, not larger than what is worth being read at once. */
static void index_extents(struct file_source *file, const struct dat_cpu *cpu)
{
	for (size_t i = 0; i < cpu->nr_extents; i++) {
		const struct dat_extent *extent = &cpu->extent[i];
		uint64_t size = extent->size / file->base.page_size * file->base.page_size;

		for (uint64_t done = 0; done < size;) {
			uint64_t n = size - done < PIECE_MOST ? size - done : PIECE_MOST;
			const struct chunk chunk = {
				.offset = extent->offset + done,
				.full = (uint32_t)n,
				.first = file->size,
			};

			add_chunk(file, &chunk);
			done += n;
		}
	}
}

static bool next_chunk(struct dat_reader *r, struct file_source *file, const struct dat_cpu *cpu,
		       uint64_t *at)
{
	uint64_t end = cpu->offset + cpu->size;
	struct chunk chunk = {.first = file->size};
	uint8_t raw[8];

	/* Old writers tell a size that is too small by the count word: only the file's end binds. */
	if (end < r->size)
		end = r->size;
	if (*at > end || end - *at < sizeof(raw) ||
	    io_pread_all(r->fd, raw, sizeof(raw), *at) != (ssize_t)sizeof(raw))
		return false;
	chunk.packed = get_u32(raw, r->big_endian);
	chunk.full = get_u32(raw + 4, r->big_endian);
	chunk.offset = *at + sizeof(raw);
	if (!chunk.full || chunk.full > CHUNK_MOST || chunk.packed > end - chunk.offset)
		return false;
	add_chunk(file, &chunk);
	*at = chunk.offset + chunk.packed;
	return true;
}

/* True when what lies at @at, within what the table gives the CPU, can be one more chunk. */
static bool is_chunk(const struct dat_reader *r, const struct file_source *file,
		     const struct dat_cpu *cpu, uint64_t at)
{
	uint64_t end = cpu->offset + cpu->size;
	uint8_t raw[8];
	uint32_t full;

	if (at >= end || end - at <= sizeof(raw) ||
	    io_pread_all(r->fd, raw, sizeof(raw), at) != (ssize_t)sizeof(raw))
		return false;
	full = get_u32(raw + 4, r->big_endian);
	return full && full <= CHUNK_MOST && full % file->base.page_size == 0 &&
	       get_u32(raw, r->big_endian) <= end - at - sizeof(raw);
}

/* Chunks behind those that are counted: the count is wrong. */
static void index_uncounted(struct dat_reader *r, struct file_source *file,
			    const struct dat_cpu *cpu, uint32_t nr, uint64_t at)
{
	uint32_t more = 0;

	while (is_chunk(r, file, cpu, at) && next_chunk(r, file, cpu, &at))
		more++;
	if (more)
		dat_finding(r,
			    "CPU %" PRIu32 ": %" PRIu32 " compressed chunks are counted, %" PRIu32
			    " more are there",
			    cpu->cpu, nr, more);
}

static void index_chunks(struct dat_reader *r, struct file_source *file, const struct dat_cpu *cpu)
{
	uint64_t at = cpu->offset + 4;
	uint8_t raw[4];
	uint32_t nr;

	if (cpu->size < 4 ||
	    io_pread_all(r->fd, raw, sizeof(raw), cpu->offset) != (ssize_t)sizeof(raw))
		return;
	nr = r->is_unfinished ? UINT32_MAX : get_u32(raw, r->big_endian);
	for (uint32_t i = 0; i < nr; i++) {
		if (next_chunk(r, file, cpu, &at))
			continue;
		/* Nobody has counted them yet. */
		if (r->is_unfinished)
			return;
		dat_finding(r,
			    "CPU %" PRIu32 ": compressed chunk %" PRIu32 " of %" PRIu32
			    " at offset %" PRIu64 " is cut off or damaged",
			    cpu->cpu, i + 1, nr, at);
		return;
	}
	index_uncounted(r, file, cpu, nr, at);
}

/* A large chunk is read in parts, by one reader that keeps it. */
static void find_largest(struct file_source *file)
{
	uint32_t page_size = file->base.page_size;

	file->base.packed = true;
	for (size_t i = 0; i < file->nr_chunks; i++) {
		uint32_t full = (file->chunk[i].full + page_size - 1) / page_size * page_size;

		file->base.packed &= full <= LARGEST_PIECE;
		if (full > file->base.largest_piece)
			file->base.largest_piece = full;
	}
	if (!file->base.packed)
		file->base.largest_piece = 0;
}

struct page_source *source_new_file(struct dat_reader *r, const struct dat_buffer *buffer,
				    const struct dat_cpu *cpu)
{
	static const struct page_source_ops plain = {read_plain, free_file, NULL};
	static const struct page_source_ops chunks = {read_chunks, free_file, fit_chunks};
	struct file_source *file = xzalloc(sizeof(*file));

	file->fd = r->fd;
	file->compress = r->compress;
	file->base.page_size = buffer->page_size;
	file->base.offset = cpu->offset;
	if (cpu->nr_extents) {
		file->base.ops = &chunks;
		file->compress = COMPRESS_NONE;
		index_extents(file, cpu);
	} else if (buffer->compressed) {
		file->base.ops = &chunks;
		index_chunks(r, file, cpu);
		find_largest(file);
	} else {
		file->base.ops = &plain;
		file->size = cpu->size;
	}
	file->base.nr_pages = (file->size + buffer->page_size - 1) / buffer->page_size;
	return &file->base;
}

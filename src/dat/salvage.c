/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the events of a version 7 recording that did not end well. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "dat/sections.h"
#include "util/io.h"
#include "util/mem.h"

/* The time stamp of the sub-buffer at @offset; false when no sub-buffer with data is there. */
static bool page_stamp(const struct dat_reader *r, uint64_t offset, uint32_t page_size,
		       uint64_t *ts)
{
	uint8_t raw[16];
	uint64_t commit;

	if (io_pread_all(r->fd, raw, sizeof(raw), offset) != (ssize_t)sizeof(raw))
		return false;
	*ts = get_u64(raw, r->big_endian);
	commit = r->long_size == 8 ? get_u64(raw + 8, r->big_endian)
				   : get_u32(raw + 8, r->big_endian);
	commit &= (1u << 27) - 1;
	return (*ts || commit) && commit <= page_size - r->page_data;
}

/* How many sub-buffers in a row from @offset on hold data, at most @most. They are written one after the other, so the
 * first without is found by halving. */
static uint64_t count_pages(const struct dat_reader *r, uint64_t offset, uint32_t page_size,
			    uint64_t most)
{
	uint64_t low = 0;
	uint64_t high = most;
	uint64_t ts;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (page_stamp(r, offset + mid * page_size, page_size, &ts))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t salvage_length(const struct dat_reader *r, uint64_t offset, uint32_t page_size,
			uint64_t limit)
{
	off_t data = lseek(r->fd, (off_t)offset, SEEK_DATA);
	off_t hole = lseek(r->fd, (off_t)offset, SEEK_HOLE);

	if (data < 0 || (uint64_t)data >= limit || (uint64_t)data >= offset + page_size)
		return 0;
	if (hole > 0 && (uint64_t)hole < limit)
		limit = (uint64_t)hole;
	return count_pages(r, offset, page_size, (limit - offset) / page_size) * page_size;
}

/* Where the sub-buffers end that lie between @offset and @limit. After a crash of the machine, parts before that may have
 * never reached the disk: *missing bytes. */
static uint64_t data_end(const struct dat_reader *r, uint64_t offset, uint64_t limit,
			 uint32_t page_size, uint64_t *missing)
{
	uint64_t end = offset;
	uint64_t ts;

	*missing = 0;
	for (uint64_t at = offset; at < limit;) {
		off_t data = lseek(r->fd, (off_t)at, SEEK_DATA);
		uint64_t page;

		if (data < 0 || (uint64_t)data >= limit)
			break;
		at = (uint64_t)lseek(r->fd, data, SEEK_HOLE);
		if (at <= (uint64_t)data || at > limit)
			at = limit;
		page = offset + ((uint64_t)data - offset + page_size - 1) / page_size * page_size;
		if (page >= at || !page_stamp(r, page, page_size, &ts))
			continue;
		*missing += (uint64_t)data - end;
		end = at;
	}
	return end;
}

/* Where the next CPU's data begin behind @offset, or the end of the file. */
static uint64_t next_region(const struct dat_reader *r, uint64_t offset)
{
	uint64_t next = r->size;

	for (size_t b = 0; b < r->nr_buffers; b++)
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++)
			if (r->buffer[b].cpu[i].offset > offset &&
			    r->buffer[b].cpu[i].offset < next)
				next = r->buffer[b].cpu[i].offset;
	return next;
}

/* Compressed data end before the first hole, or with the chunk that does. */
static void measure_packed(const struct dat_reader *r, struct dat_cpu *cpu, uint64_t limit)
{
	off_t data = lseek(r->fd, (off_t)cpu->offset, SEEK_DATA);
	off_t hole = lseek(r->fd, (off_t)cpu->offset, SEEK_HOLE);

	if (data < 0 || (uint64_t)data != cpu->offset || hole <= data)
		return;
	if (limit > (uint64_t)hole)
		limit = (uint64_t)hole;
	if (cpu->size < limit - cpu->offset)
		cpu->size = limit - cpu->offset;
}

/* The table is brought up to date from time to time only: data may lie behind what it tells. */
static void measure_cpu(struct dat_reader *r, const struct dat_buffer *buffer, struct dat_cpu *cpu)
{
	uint64_t limit = next_region(r, cpu->offset);
	uint64_t page = buffer->page_size;
	uint64_t missing;
	uint64_t found;

	if (limit > buffer->data_end)
		limit = buffer->data_end;
	if (cpu->offset < r->body || cpu->offset >= limit || cpu->size > limit - cpu->offset)
		return;
	/* Its chunks tell themselves where they end. */
	if (buffer->compressed) {
		measure_packed(r, cpu, limit);
		return;
	}
	found = data_end(r, cpu->offset, limit, buffer->page_size, &missing) - cpu->offset;
	if (missing >= page)
		dat_finding(r,
			    "CPU %" PRIu32 " of buffer %s: %" PRIu64
			    " bytes of its data never reached the disk",
			    cpu->cpu, *buffer->name ? buffer->name : "top", missing);
	found = (found + page - 1) / page * page;
	if (found > limit - cpu->offset)
		found = limit - cpu->offset;
	if (found > cpu->size)
		cpu->size = found;
}

/* While it is recorded, a buffer has room far behind the end of the file. */
bool dat_is_open(const struct dat_reader *r)
{
	for (size_t b = 0; b < r->nr_buffers; b++)
		if (!r->buffer[b].is_text && r->buffer[b].nr_cpus &&
		    r->buffer[b].data_end > r->size)
			return true;
	return false;
}

static bool is_cut(const struct dat_reader *r)
{
	for (size_t b = 0; b < r->nr_buffers; b++)
		if (r->buffer[b].is_cut)
			return true;
	return false;
}

/* Who records holds a lock on the file. */
static bool is_locked(const struct dat_reader *r)
{
	if (flock(r->fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(r->fd, LOCK_UN);
	return false;
}

static void take_unfinished(struct dat_reader *r, bool ended)
{
	r->is_running = is_locked(r);
	/* Of an ended recording that was cut off later, the findings tell all. */
	if (ended && is_cut(r) && !r->is_running)
		return;
	for (size_t b = 0; b < r->nr_buffers; b++)
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++)
			measure_cpu(r, &r->buffer[b], &r->buffer[b].cpu[i]);
	r->is_unfinished = true;
	if (r->is_running)
		dat_finding(r, "it is still being recorded: what has reached the file until now "
			       "is read");
	else
		dat_finding(r, "the recording did not end well: what had reached the file is "
			       "read; its last events, counters of losses and names of tasks may "
			       "be missing");
}

/* The first sub-buffer from @at on that is in no hole of the file; its end when there is none. */
static uint64_t next_data(const struct dat_reader *r, uint64_t at, uint64_t page)
{
	off_t data = lseek(r->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return r->size;
	return (uint64_t)data > at ? (uint64_t)data / page * page : at;
}

/* A section of events that no option describes: the CPUs follow each other, and where time runs back the next begins. */
static void split_section(struct dat_reader *r, struct dat_buffer *buffer, uint64_t body,
			  uint64_t end)
{
	uint64_t page = r->page_size;
	uint64_t start = (body + page - 1) / page * page;
	uint64_t last = 0;
	uint32_t cpu = 0;

	for (uint64_t at = start; at < end && end - at >= page; at += page) {
		uint64_t ts;
		bool good = page_stamp(r, at, buffer->page_size, &ts);

		if (good && ts >= last) {
			last = ts;
			continue;
		}
		if (at > start)
			dat_add_cpu(r, buffer, cpu++, start, at - start);
		start = good ? at : at + page;
		last = good ? ts : 0;
		if (!good) {
			start = next_data(r, start, page);
			at = start - page;
		}
	}
	if (start < end && end - start >= page)
		dat_add_cpu(r, buffer, cpu++, start, (end - start) / page * page);
}

/* Sets *at behind the chunks, or to the end of the file where that comes first. False when nothing of them is there. */
static bool skip_chunks(const struct dat_reader *r, uint32_t nr, uint64_t end, uint64_t *at)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t raw[8];

		if (end - *at < sizeof(raw) ||
		    io_pread_all(r->fd, raw, sizeof(raw), *at) != (ssize_t)sizeof(raw) ||
		    get_u32(raw, r->big_endian) > end - *at - sizeof(raw)) {
			*at = end;
			return i > 0;
		}
		*at += sizeof(raw) + get_u32(raw, r->big_endian);
	}
	return true;
}

/* The same for compressed data, whose chunks lead from one to the next. */
static void split_packed_section(struct dat_reader *r, struct dat_buffer *buffer, uint64_t body,
				 uint64_t end)
{
	uint64_t page = r->page_size;
	uint64_t at = (body + page - 1) / page * page;
	uint8_t raw[4];

	while (at < end && end - at >= 12 &&
	       io_pread_all(r->fd, raw, sizeof(raw), at) == (ssize_t)sizeof(raw)) {
		uint32_t nr = get_u32(raw, r->big_endian);
		uint64_t next = at + sizeof(raw);

		/* The space before the first CPU's data. */
		if (!nr) {
			at = next_data(r, at + page, page);
			continue;
		}
		if (!skip_chunks(r, nr, end, &next))
			return;
		dat_add_cpu(r, buffer, (uint32_t)buffer->nr_cpus, at, next - at);
		at = (next + page - 1) / page * page;
	}
}

/* Buffers that no option names. Names of instances are only in the options. */
static void take_section(struct dat_reader *r, bool compressed, uint64_t body, uint64_t size)
{
	cleanup_free char *name = r->nr_buffers ? xasprintf("instance %zu", r->nr_buffers)
						: xstrdup("");
	struct dat_buffer *buffer = dat_add_buffer(r, name);
	uint64_t end = r->size;

	if (size && size < r->size - body)
		end = body + size;
	buffer->compressed = compressed;
	if (compressed)
		split_packed_section(r, buffer, body, end);
	else
		split_section(r, buffer, body, end);
	buffer->cpu_count = (uint32_t)buffer->nr_cpus;
	dat_finding(r,
		    "the table of the buffer at offset %" PRIu64
		    " is missing: data of %zu CPUs were found, the CPUs' numbers are guessed",
		    body, buffer->nr_cpus);
}

static bool is_known(const struct dat_reader *r, uint64_t body)
{
	for (size_t b = 0; b < r->nr_buffers; b++)
		if (r->buffer[b].data_at == body)
			return true;
	return false;
}

static void find_buffer_sections(struct dat_reader *r)
{
	uint64_t at = r->body;
	uint8_t raw[16];

	while (at <= r->size && r->size - at >= sizeof(raw) &&
	       io_pread_all(r->fd, raw, sizeof(raw), at) == (ssize_t)sizeof(raw)) {
		uint16_t id = get_u16(raw, r->big_endian);
		bool compressed = get_u16(raw + 2, r->big_endian) & 1;
		uint64_t size = get_u64(raw + 8, r->big_endian);
		uint64_t next;

		if (id == DAT_BUFFER && !is_known(r, at + sizeof(raw)))
			take_section(r, compressed, at + sizeof(raw), size);
		if (id >= DAT_OPTION_NR || !add_ok(at + sizeof(raw), size, &next) || next <= at)
			return;
		at = next;
	}
}

void dat_salvage(struct dat_reader *r, bool ended, bool broken)
{
	if (!r->nr_buffers || broken)
		find_buffer_sections(r);
	else if (dat_is_open(r))
		take_unfinished(r, ended);
}

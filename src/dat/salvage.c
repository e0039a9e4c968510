/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the events of a version 7 recording that did not end well. */
#include <inttypes.h>
#include <stdlib.h>
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

/* A CPU whose place is known and whose size was never written, or not for the last time. */
static void measure_cpu(struct dat_reader *r, const struct dat_buffer *buffer, struct dat_cpu *cpu,
			bool ended)
{
	uint64_t at = cpu->offset + cpu->size;
	uint64_t found;

	if ((cpu->size && ended) || cpu->offset < r->body || at >= r->size)
		return;
	found = salvage_length(r, at, buffer->page_size, next_region(r, cpu->offset));
	cpu->size += found;
	if (found)
		dat_finding(r,
			    "CPU %" PRIu32 " of buffer %s: the recording was cut short, %" PRIu64
			    " bytes were found at offset %" PRIu64,
			    cpu->cpu, *buffer->name ? buffer->name : "top", found, at);
}

/* A section of events that no option describes: the CPUs follow each other, and where time runs back the next begins. */
static void split_section(struct dat_reader *r, uint64_t body, uint64_t end)
{
	struct dat_buffer *buffer = dat_add_buffer(r, "");
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
			off_t data = lseek(r->fd, (off_t)start, SEEK_DATA);

			if (data < 0)
				break;
			start = ((uint64_t)data + page - 1) / page * page;
			at = start - page;
		}
	}
	if (start < end && end - start >= page)
		dat_add_cpu(r, buffer, cpu++, start, (end - start) / page * page);
	buffer->cpu_count = cpu;
	dat_finding(r,
		    "the recording was cut short: %" PRIu32
		    " runs of sub-buffers were found from offset %" PRIu64
		    " on, the numbers of their CPUs are guessed",
		    cpu, body);
}

static void find_buffer_section(struct dat_reader *r)
{
	uint64_t at = r->body;
	uint8_t raw[16];

	while (at <= r->size && r->size - at >= sizeof(raw) &&
	       io_pread_all(r->fd, raw, sizeof(raw), at) == (ssize_t)sizeof(raw)) {
		uint16_t id = get_u16(raw, r->big_endian);
		bool compressed = get_u16(raw + 2, r->big_endian) & 1;
		uint64_t size = get_u64(raw + 8, r->big_endian);
		uint64_t next;

		if (id == DAT_BUFFER && !compressed) {
			if (!size || size > r->size - at - sizeof(raw))
				size = r->size - at - sizeof(raw);
			split_section(r, at + sizeof(raw), at + sizeof(raw) + size);
			return;
		}
		if (id >= DAT_OPTION_NR || !add_ok(at + sizeof(raw), size, &next) || next <= at)
			return;
		at = next;
	}
}

void v7_salvage(struct dat_reader *r, bool ended)
{
	for (size_t b = 0; b < r->nr_buffers; b++) {
		struct dat_buffer *buffer = &r->buffer[b];

		for (size_t i = 0; !buffer->compressed && i < buffer->nr_cpus; i++)
			measure_cpu(r, buffer, &buffer->cpu[i], ended);
	}
	if (!r->nr_buffers)
		find_buffer_section(r);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sub-buffers of a running kernel, in this machine's byte order: which come first, and what times they hold. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One CPU's ring buffer as the kernel lets it be mapped. The kernel writes to it meanwhile. */
struct ring_view {
	const uint8_t *data; /* sub-buffers by their ids */
	uint32_t nr_pages;
	uint32_t page_size;
	uint32_t page_data;	/* where events begin in a sub-buffer */
	uint32_t reader;	/* id of the one that is out of the ring, with the oldest events */
	uint32_t reader_events; /* bytes of its events that have been consumed */
};

/* A copy of the sub-buffers that hold events not yet consumed, the oldest first. What the kernel overwrites meanwhile,
 * which is the oldest, is left out. The caller frees it; *size is 0 when there are none. */
uint8_t *ring_copy(const struct ring_view *ring, size_t *size);

/* Time of the last event of a sub-buffer; of the sub-buffer itself when it has none. */
uint64_t ring_last_ts(const uint8_t *page, uint32_t page_size, uint32_t page_data);
/* Events in whole sub-buffers, read or copied. */
uint64_t ring_count(const uint8_t *data, size_t size, uint32_t page_size, uint32_t page_data);

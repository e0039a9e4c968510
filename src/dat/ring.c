/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order of mapped sub-buffers.
 *
 * Ids tell nothing about age once a sub-buffer was consumed, since the empty one takes its place in the ring. The times
 * at their beginnings do. */
#include "dat/ring.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define COMMIT_MASK ((1u << 27) - 1)
#define COMMIT_AT 8
#define DELTA_BITS 27
#define STAMP_TOP (0x1fULL << 59)

enum { TYPE_LONG, TYPE_PADDING = 29, TYPE_TIME_EXTEND, TYPE_TIME_STAMP };

struct page_key {
	uint64_t ts;
	uint32_t id;
	bool is_reader;
};

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Bits 0-26 of the commit word, whatever its size. */
static uint32_t get_commit(const uint8_t *page, uint32_t page_data)
{
	bool low_last = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && page_data == 16;
	const void *at = page + COMMIT_AT + (low_last ? 4 : 0);

	return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE) & COMMIT_MASK;
}

static void set_commit(uint8_t *page, uint32_t page_data, uint32_t commit)
{
	if (page_data == 16) {
		uint64_t word = commit;

		memcpy(page + COMMIT_AT, &word, sizeof(word));
		return;
	}
	memcpy(page + COMMIT_AT, &commit, sizeof(commit));
}

static uint64_t get_ts(const uint8_t *page)
{
	uint64_t ts;

	memcpy(&ts, page, sizeof(ts));
	return ts;
}

static uint32_t type_of(const uint8_t *at)
{
	uint32_t head = read_u32(at);

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? head >> DELTA_BITS : head & 31;
}

/* Bytes of the record at @at, of which @left are there; its time goes to *ts. What is not sound takes all that is left. */
static size_t step(const uint8_t *at, size_t left, uint64_t *ts)
{
	uint32_t head = read_u32(at);
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint32_t type = type_of(at);
	uint64_t delta = big ? head & COMMIT_MASK : head >> 5;
	uint64_t word;
	size_t len = 8;

	if (type > TYPE_LONG && type < TYPE_PADDING) {
		*ts += delta;
		len = 4 + (size_t)type * 4;
		return len < left ? len : left;
	}
	if (left < 8 || (type == TYPE_PADDING && !delta))
		return left;
	word = read_u32(at + 4);
	if (type == TYPE_TIME_EXTEND) {
		*ts += (word << DELTA_BITS) + delta;
	} else if (type == TYPE_TIME_STAMP) {
		*ts = (*ts & STAMP_TOP) | (((word << DELTA_BITS) + delta) & ~STAMP_TOP);
	} else {
		*ts += delta;
		len = 4 + (((size_t)word + 3) & ~(size_t)3);
	}
	return len < left ? len : left;
}

/* Walks over the records up to @end; the time there. */
static uint64_t walk_to(const uint8_t *page, uint32_t page_data, uint32_t end, uint32_t *at)
{
	uint64_t ts = get_ts(page);

	*at = 0;
	while (*at < end && end - *at >= 4)
		*at += (uint32_t)step(page + page_data + *at, end - *at, &ts);
	return ts;
}

uint64_t ring_last_ts(const uint8_t *page, uint32_t page_size, uint32_t page_data)
{
	uint32_t commit = get_commit(page, page_data);
	uint32_t at;

	return walk_to(page, page_data, commit <= page_size - page_data ? commit : 0, &at);
}

uint64_t ring_count(const uint8_t *data, size_t size, uint32_t page_size, uint32_t page_data)
{
	uint64_t events = 0;

	for (const uint8_t *page = data; size >= page_size; page += page_size, size -= page_size) {
		uint32_t commit = get_commit(page, page_data);
		const uint8_t *at = page + page_data;
		uint64_t ts = 0;

		if (commit > page_size - page_data)
			continue;
		while (commit >= 4) {
			size_t len = step(at, commit, &ts);

			events += type_of(at) < TYPE_PADDING;
			at += len;
			commit -= (uint32_t)len;
		}
	}
	return events;
}

/* Takes out what has been consumed: the rest begins at the time of what was before it. */
static void cut_front(uint8_t *page, uint32_t page_data, uint32_t consumed)
{
	uint32_t commit = get_commit(page, page_data);
	uint32_t at;
	uint64_t ts = walk_to(page, page_data, consumed < commit ? consumed : commit, &at);

	memcpy(page, &ts, sizeof(ts));
	memmove(page + page_data, page + page_data + at, commit - at);
	set_commit(page, page_data, commit - at);
}

static int compare_keys(const void *a, const void *b)
{
	const struct page_key *x = a;
	const struct page_key *y = b;

	if (x->is_reader != y->is_reader)
		return x->is_reader ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static size_t find_pages(const struct ring_view *ring, struct page_key *key)
{
	size_t nr = 0;

	for (uint32_t id = 0; id < ring->nr_pages; id++) {
		const uint8_t *page = ring->data + (size_t)id * ring->page_size;
		uint32_t commit = get_commit(page, ring->page_data);
		bool is_reader = id == ring->reader;

		if (!commit || commit > ring->page_size - ring->page_data ||
		    (is_reader && ring->reader_events >= commit))
			continue;
		key[nr++] = (struct page_key){get_ts(page), id, is_reader};
	}
	qsort(key, nr, sizeof(*key), compare_keys);
	return nr;
}

/* False when the kernel began to fill the sub-buffer anew meanwhile. */
static bool copy_page(const struct ring_view *ring, const struct page_key *key, uint8_t *out)
{
	const uint8_t *page = ring->data + (size_t)key->id * ring->page_size;
	uint32_t commit = get_commit(page, ring->page_data);

	if (!commit || commit > ring->page_size - ring->page_data)
		return false;
	memcpy(out, page, ring->page_data + (size_t)commit);
	memset(out + ring->page_data + commit, 0, ring->page_size - ring->page_data - commit);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (get_ts(page) != key->ts || get_commit(page, ring->page_data) < commit)
		return false;
	memcpy(out, &key->ts, sizeof(key->ts));
	set_commit(out, ring->page_data, commit);
	if (key->is_reader && ring->reader_events)
		cut_front(out, ring->page_data, ring->reader_events);
	return true;
}

uint8_t *ring_copy(const struct ring_view *ring, size_t *size)
{
	cleanup_free struct page_key *key = xcalloc(ring->nr_pages, sizeof(*key));
	size_t nr = find_pages(ring, key);
	uint8_t *out = xmalloc(nr * ring->page_size + 1);

	*size = 0;
	for (size_t i = 0; i < nr; i++)
		if (copy_page(ring, &key[i], out + *size))
			*size += ring->page_size;
	return out;
}

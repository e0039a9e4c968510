/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of mapped sub-buffers, and what of them is left. */
#include <stdlib.h>
#include <string.h>

#include "dat/ring.h"
#include "tests/unit/test.h"
#include "util/mem.h"

#define PAGE 64u
#define DATA 16u
#define NR 5u

struct ring {
	uint8_t data[NR * PAGE];
	struct ring_view view;
};

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* A record's first word, in the order of bits that this machine has. */
static uint32_t head(uint32_t type, uint32_t delta)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? type << 27 | delta : delta << 5 | type;
}

static void set_page(struct ring *r, uint32_t id, uint64_t ts, uint64_t commit)
{
	memcpy(r->data + id * PAGE, &ts, sizeof(ts));
	memcpy(r->data + id * PAGE + 8, &commit, sizeof(commit));
}

/* Two events of 8 bytes, 10 and 20 behind @ts. */
static void fill_page(struct ring *r, uint32_t id, uint64_t ts)
{
	uint8_t *at = r->data + id * PAGE + DATA;

	set_page(r, id, ts, 16);
	put_u32(at, head(1, 10));
	put_u32(at + 4, id * 2);
	put_u32(at + 8, head(1, 10));
	put_u32(at + 12, id * 2 + 1);
}

static void init(struct ring *r)
{
	*r = (struct ring){.view = {.nr_pages = NR, .page_size = PAGE, .page_data = DATA}};
	r->view.data = r->data;
}

static void check_times(const struct ring *r, const uint64_t *want, size_t nr)
{
	size_t size;
	cleanup_free uint8_t *out = ring_copy(&r->view, &size);

	assert_int_equal(size, nr * PAGE);
	for (size_t i = 0; i < nr; i++)
		assert_memory_equal(out + i * PAGE, &want[i], 8);
}

static void test_empty(void **state)
{
	struct ring r;

	(void)state;
	init(&r);
	check_times(&r, NULL, 0);
}

/* Fresh: the reader's sub-buffer is empty, the ring begins at 1. */
static void test_fresh(void **state)
{
	const uint64_t want[] = {100, 200};
	struct ring r;

	(void)state;
	init(&r);
	fill_page(&r, 1, 100);
	fill_page(&r, 2, 200);
	check_times(&r, want, 2);
}

/* The kernel went round, and readers have exchanged sub-buffers: ids are in no order. */
static void test_rotated(void **state)
{
	const uint64_t want[] = {300, 400, 500, 600, 700};
	struct ring r;

	(void)state;
	init(&r);
	r.view.reader = 3;
	fill_page(&r, 3, 300);
	fill_page(&r, 4, 400);
	fill_page(&r, 0, 500);
	fill_page(&r, 1, 600);
	fill_page(&r, 2, 700);
	check_times(&r, want, 5);
}

/* A sub-buffer that was consumed keeps its time but has no events any more. */
static void test_consumed(void **state)
{
	const uint64_t want[] = {600};
	struct ring r;

	(void)state;
	init(&r);
	r.view.reader = 2;
	r.view.reader_events = 16;
	fill_page(&r, 2, 500);
	fill_page(&r, 1, 600);
	set_page(&r, 3, 100, 0);
	check_times(&r, want, 1);
}

static void test_partly_consumed(void **state)
{
	struct ring r;
	size_t size;
	cleanup_free uint8_t *out = NULL;
	uint64_t ts = 510;
	uint64_t commit = 8;
	uint32_t payload = 5;

	(void)state;
	init(&r);
	r.view.reader = 2;
	r.view.reader_events = 8;
	fill_page(&r, 2, 500);
	out = ring_copy(&r.view, &size);
	assert_int_equal(size, PAGE);
	assert_memory_equal(out, &ts, 8);
	assert_memory_equal(out + 8, &commit, 8);
	assert_memory_equal(out + DATA + 4, &payload, 4);
	assert_int_equal(ring_last_ts(out, PAGE, DATA), 520);
}

/* More events than fit cannot be. */
static void test_damaged(void **state)
{
	struct ring r;

	(void)state;
	init(&r);
	fill_page(&r, 1, 100);
	set_page(&r, 1, 100, PAGE);
	check_times(&r, NULL, 0);
}

static void test_last_ts(void **state)
{
	struct ring r;
	uint8_t *at;

	(void)state;
	init(&r);
	at = r.data + DATA;
	set_page(&r, 0, 1000, 40);
	put_u32(at, head(30, 5)); /* an extension */
	put_u32(at + 4, 1);
	put_u32(at + 8, head(0, 7)); /* an event with a length word of 6 bytes */
	put_u32(at + 12, 10);
	put_u32(at + 24, head(29, 3)); /* padding in the place of an event */
	put_u32(at + 28, 4);
	put_u32(at + 32, head(1, 2));
	assert_int_equal(ring_last_ts(r.data, PAGE, DATA), 1000 + (1ull << 27) + 5 + 7 + 3 + 2);
	/* Cut inside of the length word. */
	set_page(&r, 0, 1000, 12);
	assert_int_equal(ring_last_ts(r.data, PAGE, DATA), 1000 + (1ull << 27) + 5);
	set_page(&r, 0, 1000, 4096);
	assert_int_equal(ring_last_ts(r.data, PAGE, DATA), 1000);
}

static void test_count(void **state)
{
	struct ring r;
	uint8_t *at;

	(void)state;
	init(&r);
	fill_page(&r, 0, 100);
	fill_page(&r, 2, 100);
	assert_int_equal(ring_count(r.data, sizeof(r.data), PAGE, DATA), 4);
	/* Losses are flagged in the high bits of the word. */
	set_page(&r, 2, 100, 16 | 1u << 31);
	at = r.data + DATA;
	set_page(&r, 0, 100, 32);
	put_u32(at, head(30, 5)); /* an extension */
	put_u32(at + 4, 1);
	put_u32(at + 8, head(0, 7)); /* an event with a length word */
	put_u32(at + 12, 8);
	put_u32(at + 20, head(29, 3)); /* padding */
	put_u32(at + 24, 4);
	put_u32(at + 28, head(1, 2)); /* cut off */
	assert_int_equal(ring_count(r.data, sizeof(r.data), PAGE, DATA), 4);
	set_page(&r, 0, 100, 4096);
	assert_int_equal(ring_count(r.data, sizeof(r.data), PAGE, DATA), 2);
	/* Less than a sub-buffer. */
	assert_int_equal(ring_count(r.data, PAGE * 3 - 1, PAGE, DATA), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),		cmocka_unit_test(test_fresh),
		cmocka_unit_test(test_rotated),		cmocka_unit_test(test_consumed),
		cmocka_unit_test(test_partly_consumed), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_last_ts),		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

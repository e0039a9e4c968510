/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk over sub-buffers, on pages that the test makes. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dat/page.h"
#include "util/mem.h"

#define PAGE 4096
#define PAGES 8

/* A source in memory, and the place where the next record goes. */
struct pages {
	struct page_source base;
	uint8_t data[PAGES * PAGE];
	size_t page;
	uint32_t used;
	bool big_endian;
};

static ssize_t read_pages(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			  uint8_t *buf, size_t room)
{
	struct pages *pages = (struct pages *)src;
	size_t left = (src->nr_pages - first) * PAGE;

	(void)scratch;
	if (first >= src->nr_pages)
		return 0;
	if (room > left)
		room = left;
	memcpy(buf, pages->data + first * PAGE, room);
	return (ssize_t)room;
}

static const struct page_source_ops ops = {read_pages, NULL, NULL};

static void put_number(struct pages *p, uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[p->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void begin(struct pages *p, bool big_endian)
{
	memset(p, 0, sizeof(*p));
	p->base.ops = &ops;
	p->base.page_size = PAGE;
	p->big_endian = big_endian;
}

static uint8_t *page_at(struct pages *p)
{
	return p->data + p->page * PAGE;
}

static void commit(struct pages *p, uint64_t flags)
{
	put_number(p, page_at(p) + 8, p->used | flags, 8);
}

static void next_page(struct pages *p, uint64_t ts)
{
	if (p->base.nr_pages)
		p->page++;
	p->base.nr_pages++;
	p->used = 0;
	put_number(p, page_at(p), ts, 8);
	commit(p, 0);
}

static void put_word(struct pages *p, uint32_t word)
{
	put_number(p, page_at(p) + 16 + p->used, word, 4);
	p->used += 4;
	commit(p, 0);
}

static void put_head(struct pages *p, uint32_t type, uint32_t delta)
{
	put_word(p, p->big_endian ? type << 27 | delta : delta << 5 | type);
}

/* An event of @words words, the first of them @mark. */
static void put_event(struct pages *p, uint32_t delta, uint32_t words, uint32_t mark)
{
	put_head(p, words, delta);
	put_word(p, mark);
	for (uint32_t i = 1; i < words; i++)
		put_word(p, 0);
}

static void open_stream(struct pages *p, struct stream *s)
{
	struct page_layout layout = {p->big_endian, 8, 16};
	struct time_rule time = {0};

	stream_init(s, &p->base, 3, &layout, &time);
}

static void expect(struct stream *s, const struct pages *p, uint64_t ts, uint32_t mark,
		   int64_t missed)
{
	const struct stream_slot *slot = stream_head(s);

	assert_non_null(slot);
	assert_int_equal(slot->raw.ts, ts);
	assert_int_equal(get_u32(slot->raw.data, p->big_endian), mark);
	assert_int_equal(slot->raw.missed, missed);
	assert_int_equal(slot->raw.cpu, 3);
	stream_pop(s);
}

static void check_times(bool big_endian)
{
	static struct pages p;
	struct stream s;

	begin(&p, big_endian);
	next_page(&p, 1000);
	put_event(&p, 0, 2, 1);
	put_event(&p, 5, 28, 2);
	put_head(&p, 30, 7);
	put_word(&p, 2);
	put_event(&p, 1, 1, 3);
	put_head(&p, 29, 4); /* a discarded event: its length counts the word itself */
	put_word(&p, 8);
	put_word(&p, 0);
	put_head(&p, 0, 1); /* a length word of its own */
	put_word(&p, 4 + 120);
	put_word(&p, 4);
	p.used += 116;
	put_head(&p, 29, 0);
	put_word(&p, 0xffffffff);
	next_page(&p, 1ull << 60);
	put_head(&p, 31, 9);
	put_word(&p, 1 << 28);
	put_event(&p, 1, 1, 5);
	open_stream(&p, &s);
	expect(&s, &p, 1000, 1, 0);
	expect(&s, &p, 1005, 2, 0);
	expect(&s, &p, 1013 + (2ull << 27), 3, 0);
	expect(&s, &p, 1018 + (2ull << 27), 4, 0);
	expect(&s, &p, (1ull << 60) + (1ull << 55) + 10, 5, 0);
	assert_null(stream_head(&s));
	assert_int_equal(s.notes.nr, 0);
	stream_fini(&s);
}

static void times_little_endian(void **state)
{
	(void)state;
	check_times(false);
}

static void times_big_endian(void **state)
{
	(void)state;
	check_times(true);
}

static void losses(void **state)
{
	static struct pages p;
	struct stream s;

	(void)state;
	begin(&p, false);
	next_page(&p, 10);
	put_event(&p, 0, 1, 1);
	put_number(&p, page_at(&p) + 16 + p.used, 77, 8);
	commit(&p, 3u << 30);
	next_page(&p, 20);
	put_event(&p, 0, 1, 2);
	commit(&p, 1u << 31);
	/* A sub-buffer that begins with a time extend tells its losses, too. */
	next_page(&p, 30);
	put_head(&p, 30, 0);
	put_word(&p, 1);
	put_event(&p, 0, 1, 3);
	commit(&p, 1u << 31);
	open_stream(&p, &s);
	expect(&s, &p, 10, 1, 77);
	expect(&s, &p, 20, 2, -1);
	expect(&s, &p, 30 + (1ull << 27), 3, -1);
	assert_int_equal(s.nr_lost, 77);
	assert_true(s.lost_uncounted);
	stream_fini(&s);
}

/* What is damaged costs the rest of its sub-buffer, and is told once. */
static void damage(void **state)
{
	static struct pages p;
	struct stream s;

	(void)state;
	begin(&p, false);
	next_page(&p, 10);
	put_event(&p, 0, 1, 1);
	put_head(&p, 28, 0); /* longer than what is committed */
	next_page(&p, 20);
	put_event(&p, 0, 1, 2);
	put_number(&p, page_at(&p) + 8, (1u << 27) - 1, 8);
	next_page(&p, 30);
	put_head(&p, 0, 0); /* no length */
	put_word(&p, 0);
	next_page(&p, 5); /* time runs back */
	put_event(&p, 0, 1, 4);
	next_page(&p, 0); /* never written: no data, no note */
	open_stream(&p, &s);
	expect(&s, &p, 10, 1, 0);
	expect(&s, &p, 5, 4, -1);
	assert_null(stream_head(&s));
	assert_int_equal(s.notes.nr, 4);
	stream_fini(&s);
}

static void seeks(void **state)
{
	static struct pages p;
	struct stream s;
	uint64_t pos;
	uint64_t ts;

	(void)state;
	begin(&p, false);
	for (uint32_t i = 0; i < 6; i++) {
		/* Three sub-buffers have the same time. */
		next_page(&p, i < 2 || i > 4 ? 100 * i : 200);
		put_event(&p, 0, 1, 10 * i);
		put_event(&p, 0, 1, 10 * i + 1);
	}
	open_stream(&p, &s);
	stream_seek(&s, 200);
	expect(&s, &p, 100, 10, 0);
	expect(&s, &p, 100, 11, 0);
	assert_int_equal(get_u32(stream_ahead(&s)->raw.data, false), 21);
	pos = stream_head(&s)->pos;
	expect(&s, &p, 200, 20, 0);
	stream_seek(&s, 0);
	expect(&s, &p, 0, 0, 0);
	stream_seek_pos(&s, pos);
	expect(&s, &p, 200, 20, 0);
	stream_seek_pos(&s, UINT64_MAX);
	assert_null(stream_head(&s));
	assert_true(stream_last_ts(&s, &ts));
	assert_int_equal(ts, 500);
	stream_fini(&s);
}

static void converts_time(void **state)
{
	struct time_rule tsc = {.mult = 3u << 20, .shift = 21, .offset = -10};

	(void)state;
	assert_int_equal(time_rule_apply(&tsc, 100), 140);
	assert_int_equal(time_rule_apply(&tsc, 1ull << 62), (3ull << 61) - 10);
}

/* As many sub-buffers as one likes, each with one event, and how much of them was read. */
struct endless {
	struct page_source base;
	uint64_t bytes;
};

static ssize_t read_endless(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			    uint8_t *buf, size_t room)
{
	struct endless *endless = (struct endless *)src;
	size_t at = 0;

	(void)scratch;
	for (; at < room && first < src->nr_pages; at += PAGE, first++) {
		uint64_t head[4] = {first * 1000, 8, 1 /* of 4 bytes, at once */, 0};
		size_t len = room - at < sizeof(head) ? room - at : sizeof(head);

		memcpy(buf + at, head, len);
	}
	if (at > room)
		at = room;
	endless->bytes += at;
	return (ssize_t)at;
}

static const struct page_source_ops endless_ops = {read_endless, NULL};

static void open_endless(struct endless *endless, struct stream *s, uint64_t pages)
{
	struct page_layout layout = {false, 8, 16};
	struct time_rule time = {0};

	*endless = (struct endless){
		.base = {.ops = &endless_ops, .page_size = PAGE, .nr_pages = pages}};
	stream_init(s, &endless->base, 0, &layout, &time);
}

/* What a time window costs does not depend on what lies around it. */
static void reads_only_the_window(void **state)
{
	static const uint64_t sizes[] = {1000, 1u << 20, 1u << 30};
	struct endless endless;
	struct stream s;

	(void)state;
	for (size_t i = 0; i < array_size(sizes); i++) {
		uint64_t ts = sizes[i] / 2 * 1000;

		open_endless(&endless, &s, sizes[i]);
		stream_seek(&s, ts);
		while (stream_head(&s)->raw.ts < ts)
			stream_skip(&s);
		assert_int_equal(stream_head(&s)->raw.ts, ts);
		/* The stamps of a search by halves, and one window. */
		assert_true(endless.bytes <= s.window_room + 8 * 32);
		stream_fini(&s);
	}
}

static uint64_t most_memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

/* Nor does the memory depend on the size of the file. */
static void keeps_two_windows(void **state)
{
	uint64_t before;
	struct endless endless;
	struct stream s;
	uint64_t nr = 0;

	(void)state;
	open_endless(&endless, &s, 1u << 16);
	before = most_memory_kb();
	while (stream_head(&s)) {
		stream_pop(&s);
		nr++;
	}
	assert_int_equal(nr, 1u << 16);
	assert_int_equal(endless.bytes, (uint64_t)PAGE << 16);
	assert_true(most_memory_kb() - before < 2048);
	assert_true(s.window_room <= 256u << 10);
	stream_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_little_endian),
		cmocka_unit_test(times_big_endian),
		cmocka_unit_test(losses),
		cmocka_unit_test(damage),
		cmocka_unit_test(seeks),
		cmocka_unit_test(reads_only_the_window),
		cmocka_unit_test(keeps_two_windows),
		cmocka_unit_test(converts_time),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}

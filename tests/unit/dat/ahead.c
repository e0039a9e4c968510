/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read in advance is what would have been read. */
#include "../test.h"

#include <stdlib.h>
#include <string.h>

#include "dat/ahead.h"
#include "util/mem.h"

#define PAGE 64
#define PIECE_PAGES 3
#define ROOM ((size_t)PAGE * 8)
#define LINES 5

/* Every byte of a sub-buffer tells its number; pieces of three, the last one cut. */
struct numbers {
	struct page_source base;
	uint8_t salt;
	size_t len;
	uint64_t damaged_page; /* plus one */
};

static size_t fit(const struct page_source *src, uint64_t first, size_t room)
{
	const struct numbers *numbers = (const struct numbers *)src;
	size_t left = numbers->len - (size_t)first * PAGE;
	size_t piece = (PIECE_PAGES - (size_t)(first % PIECE_PAGES)) * PAGE;

	if (piece > room)
		piece = room;
	return piece < left ? piece : left;
}

static ssize_t read_numbers(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			    uint8_t *buf, size_t room)
{
	const struct numbers *numbers = (const struct numbers *)src;
	size_t len;

	if (first >= src->nr_pages)
		return 0;
	len = fit(src, first, room);
	for (size_t i = 0; i < len; i++) {
		uint64_t page = first + i / PAGE;

		buf[i] = (uint8_t)(page * 7 + numbers->salt);
		if (page + 1 == numbers->damaged_page)
			scratch->damaged = page;
	}
	return (ssize_t)len;
}

static const struct page_source_ops ops = {read_numbers, NULL, fit};

static struct numbers make_numbers(uint8_t salt, size_t len)
{
	return (struct numbers){
		.base = {.ops = &ops, .page_size = PAGE, .nr_pages = (len + PAGE - 1) / PAGE},
		.salt = salt,
		.len = len,
	};
}

/* One read at @page; returns where the next one begins. */
static uint64_t read_at(struct ahead_line *line, const struct numbers *numbers, uint64_t page,
			uint8_t **bytes, uint64_t *damaged)
{
	size_t want = fit(&numbers->base, page, ROOM);

	assert_int_equal(ahead_line_read(line, page, bytes, damaged), want);
	for (size_t i = 0; i < want; i++)
		assert_int_equal((*bytes)[i], (uint8_t)((page + i / PAGE) * 7 + numbers->salt));
	return page + (want + PAGE - 1) / PAGE;
}

static void several_walks(unsigned int nr_threads)
{
	struct ahead *ahead = ahead_new(nr_threads, LINES);
	struct ahead_line *line[LINES];
	struct numbers numbers[LINES];
	uint64_t page[LINES] = {0};
	uint8_t *bytes[LINES];
	uint64_t damaged;
	bool any = true;

	for (size_t i = 0; i < LINES; i++) {
		numbers[i] = make_numbers((uint8_t)i, PAGE * 100 * i + 10);
		line[i] = ahead_line_new(ahead, &numbers[i].base, ROOM);
		bytes[i] = xmalloc(ROOM);
	}
	while (any) {
		any = false;
		for (size_t i = 0; i < LINES; i++) {
			if (page[i] >= numbers[i].base.nr_pages)
				continue;
			page[i] = read_at(line[i], &numbers[i], page[i], &bytes[i], &damaged);
			assert_int_equal(damaged, 0);
			any = true;
		}
	}
	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(page[i], numbers[i].base.nr_pages);
		ahead_line_free(line[i]);
		free(bytes[i]);
	}
	ahead_free(ahead);
}

static void is_what_would_have_been_read(void **state)
{
	(void)state;
	for (unsigned int nr = 1; nr <= 4; nr++)
		several_walks(nr);
}

static void a_walk_may_jump(void **state)
{
	static const uint64_t pages[] = {0, 3, 90, 0, 1, 3, 6, 9, 12, 12, 99, 98, 50};
	struct ahead *ahead = ahead_new(2, 1);
	struct numbers numbers = make_numbers(3, PAGE * 100);
	struct ahead_line *line = ahead_line_new(ahead, &numbers.base, ROOM);
	uint8_t *bytes = xmalloc(ROOM);
	uint64_t damaged;

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		read_at(line, &numbers, pages[i], &bytes, &damaged);
	/* Freed with pieces on the way. */
	ahead_line_free(line);
	ahead_free(ahead);
	free(bytes);
}

static void damage_is_told_where_the_walk_is(void **state)
{
	struct ahead *ahead = ahead_new(1, 1);
	struct numbers numbers = make_numbers(3, PAGE * 100);
	struct ahead_line *line = ahead_line_new(ahead, &numbers.base, ROOM);
	uint8_t *bytes = xmalloc(ROOM);
	uint64_t damaged;
	uint64_t page = 0;

	(void)state;
	numbers.damaged_page = 8;
	/* Read in advance, and left. */
	read_at(line, &numbers, 3, &bytes, &damaged);
	read_at(line, &numbers, 60, &bytes, &damaged);
	assert_int_equal(damaged, 0);
	while (page < 12) {
		uint64_t before = page;

		page = read_at(line, &numbers, page, &bytes, &damaged);
		assert_int_equal(damaged, before == 6 ? 7 : 0);
	}
	ahead_line_free(line);
	ahead_free(ahead);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_what_would_have_been_read),
		cmocka_unit_test(a_walk_may_jump),
		cmocka_unit_test(damage_is_told_where_the_walk_is),
	};

	return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}

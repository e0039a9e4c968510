/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metadata bodies that versions 6 and 7 have in common. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dat/sections.h"
#include "util/mem.h"

/* Says that a text ends early, with the numbers. */
static bool cut(struct dat_reader *r, const struct cursor *c, const char *what, uint64_t need)
{
	dat_finding(r, "offset %" PRIu64 ": %s needs %" PRIu64 " bytes, %" PRIu64 " are left",
		    c->pos, what, need, cursor_left(c));
	return false;
}

static bool take_text(struct dat_reader *r, struct cursor *c, uint64_t size, const char *what,
		      struct dat_text *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, size, &p))
		return cut(r, c, what, size);
	*out = (struct dat_text){(const char *)p, (size_t)size};
	return true;
}

bool body_text(struct dat_reader *r, struct cursor *c, unsigned int width, const char *what,
	       struct dat_text *out)
{
	uint64_t size = 0;
	uint32_t small = 0;

	if (width == 8 ? !cursor_u64(c, &size) : !cursor_u32(c, &small))
		return cut(r, c, what, width);
	return take_text(r, c, width == 8 ? size : small, what, out);
}

static bool expect_name(struct dat_reader *r, struct cursor *c, const char *name)
{
	const uint8_t *p;

	if (!cursor_bytes(c, strlen(name) + 1, &p))
		return cut(r, c, name, strlen(name) + 1);
	if (!memcmp(p, name, strlen(name) + 1))
		return true;
	dat_finding(r, "offset %" PRIu64 ": no %s where it should be", c->pos - strlen(name) - 1,
		    name);
	return false;
}

bool body_header_info(struct dat_reader *r, struct cursor *c)
{
	return expect_name(r, c, "header_page") &&
	       body_text(r, c, 8, "header_page", &r->header_page) &&
	       expect_name(r, c, "header_event") &&
	       body_text(r, c, 8, "header_event", &r->header_event);
}

static void add_format(struct dat_reader *r, const char *system, struct dat_text text)
{
	if (r->nr_formats == r->room_formats) {
		r->room_formats = r->room_formats ? r->room_formats * 2 : 512;
		r->format = xrealloc(r->format, r->room_formats * sizeof(*r->format));
	}
	r->format[r->nr_formats++] = (struct dat_format){system, text};
}

static bool read_formats(struct dat_reader *r, struct cursor *c, const char *system, uint32_t count)
{
	/* A format cannot be shorter than its size word: a count beyond that is damage. */
	if (count > cursor_left(c) / 8)
		return cut(r, c, "list of event formats", (uint64_t)count * 8);
	for (uint32_t i = 0; i < count; i++) {
		struct dat_text text;

		if (!body_text(r, c, 8, "event format", &text))
			return false;
		add_format(r, system, text);
	}
	return true;
}

bool body_ftrace_events(struct dat_reader *r, struct cursor *c)
{
	uint32_t count;

	if (!cursor_u32(c, &count))
		return cut(r, c, "count of ftrace formats", sizeof(count));
	return read_formats(r, c, "ftrace", count);
}

bool body_event_formats(struct dat_reader *r, struct cursor *c)
{
	uint32_t systems;

	if (!cursor_u32(c, &systems))
		return cut(r, c, "count of event systems", sizeof(systems));
	if (systems > cursor_left(c) / 5)
		return cut(r, c, "list of event systems", (uint64_t)systems * 5);
	for (uint32_t i = 0; i < systems; i++) {
		const char *system;
		uint32_t count;

		if (!cursor_string(c, &system))
			return cut(r, c, "name of an event system", 2);
		if (!cursor_u32(c, &count))
			return cut(r, c, "count of event formats", sizeof(count));
		if (!read_formats(r, c, system, count))
			return false;
	}
	return true;
}

/* Number behind @key in one line of a header_page text; -1 when it is not there. */
static int64_t line_number(const char *line, size_t len, const char *key)
{
	const char *at = memmem(line, len, key, strlen(key));
	int64_t value = 0;
	bool any = false;

	if (!at)
		return -1;
	for (at += strlen(key); at < line + len && *at >= '0' && *at <= '9' && value < 1000000000;
	     at++) {
		value = value * 10 + (*at - '0');
		any = true;
	}
	return any ? value : -1;
}

struct page_layout {
	int64_t commit_size;
	int64_t data_offset;
	int64_t data_size;
};

static struct page_layout parse_header_page(const struct dat_text *text)
{
	struct page_layout layout = {-1, -1, -1};
	const char *end = text->text + text->len;

	for (const char *line = text->text; line && line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((stop ? stop : end) - line);

		if (memmem(line, len, " commit;", 8))
			layout.commit_size = line_number(line, len, "size:");
		if (memmem(line, len, " data;", 6)) {
			layout.data_offset = line_number(line, len, "offset:");
			layout.data_size = line_number(line, len, "size:");
		}
		line = stop ? stop + 1 : NULL;
	}
	return layout;
}

static bool plausible_page_size(uint64_t size)
{
	return size >= 64 && size <= (64u << 20) && (size & (size - 1)) == 0;
}

int dat_check_header_page(struct dat_reader *r, struct err *err)
{
	struct page_layout layout = parse_header_page(&r->header_page);
	uint64_t told = layout.data_offset > 0 && layout.data_size > 0
				? (uint64_t)(layout.data_offset + layout.data_size)
				: 0;

	if (layout.commit_size == 4 || layout.commit_size == 8)
		r->long_size = (unsigned int)layout.commit_size;
	else
		dat_finding(r, "header_page does not tell the size of a word, %u is assumed",
			    r->long_size);
	r->page_data = 8 + r->long_size;
	if (layout.data_offset >= 8 && layout.data_offset <= 64)
		r->page_data = (uint32_t)layout.data_offset;
	if (plausible_page_size(r->page_size))
		return 0;
	if (!plausible_page_size(told))
		return err_set(err, EPROTO,
			       "%s: the sub-buffer size of %" PRIu32
			       " bytes in the file header cannot be",
			       r->path, r->page_size);
	dat_finding(r,
		    "the sub-buffer size of %" PRIu32
		    " bytes in the file header cannot be, header_page says %" PRIu64,
		    r->page_size, told);
	r->page_size = (uint32_t)told;
	return 0;
}

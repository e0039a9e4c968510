/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes recorded bytes safe on one line of a terminal. */
#include <stdint.h>
#include <string.h>

#include "decode/internal.h"
#include "util/mem.h"
#include "util/str.h"

typedef int8_t chunk __attribute__((vector_size(16)));

/* Whether one of 16 bytes is below ' ', 0x7f or above. A TAB counts too; few texts have one. */
static bool chunk_is_odd(const char *at)
{
	uint64_t half[2];
	chunk bytes;
	chunk odd;

	memcpy(&bytes, at, sizeof(bytes));
	/* What is above 0x7f is negative here. */
	odd = (bytes < ' ') | (bytes == 0x7f);
	memcpy(half, &odd, sizeof(half));
	return (half[0] | half[1]) != 0;
}

static bool is_odd(uint8_t c)
{
	return c < ' ' || c >= 0x7f;
}

/* How many bytes of one valid UTF-8 character start here; 0 when none does, or when it is one of the
 * controls above 0x7f, which terminals obey as well. */
static size_t safe_length(const uint8_t *at, size_t left)
{
	size_t len = str_utf8_length((const char *)at, left);

	return str_is_high_control((const char *)at, len) ? 0 : len;
}

static void add_escape(struct outbuf *out, uint8_t c)
{
	char text[4] = {'\\', 'x', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};

	if (c == '\n' || c == '\r') {
		text[1] = c == '\n' ? 'n' : 'r';
		outbuf_add_mem(out, text, 2);
		return;
	}
	outbuf_add_mem(out, text, sizeof(text));
}

static void rewrite(struct outbuf *out, size_t start, bool keep_lines)
{
	size_t len = out->len - start;
	cleanup_free uint8_t *copy = xmalloc(len + 1);

	memcpy(copy, out->buf + start, len);
	out->len = start;
	for (size_t i = 0; i < len; i++) {
		size_t wide = copy[i] >= 0x80 ? safe_length(copy + i, len - i) : 0;

		if (wide) {
			outbuf_add_mem(out, copy + i, wide);
			i += wide - 1;
		} else if (!is_odd(copy[i]) || copy[i] == '\t' || (keep_lines && copy[i] == '\n')) {
			outbuf_add_char(out, (char)copy[i]);
		} else {
			add_escape(out, copy[i]);
		}
	}
}

void clean_text(struct outbuf *out, size_t start, bool keep_lines)
{
	const char *at = out->buf + start;
	const char *end = out->buf + out->len;

	for (; end - at >= 16; at += 16) {
		if (!chunk_is_odd(at))
			continue;
		rewrite(out, start, keep_lines);
		return;
	}
	/* The last ones once more with some before them, when there are as many. */
	if (end - out->buf - (ptrdiff_t)start >= 16 && !chunk_is_odd(end - 16))
		return;
	for (; at < end; at++) {
		if (!is_odd((uint8_t)*at))
			continue;
		rewrite(out, start, keep_lines);
		return;
	}
}

char *clean_name(const char *name)
{
	struct outbuf out = {0};

	if (*name) {
		outbuf_add(&out, name);
		clean_text(&out, 0, false);
	}
	outbuf_add_char(&out, '\0');
	return out.buf;
}

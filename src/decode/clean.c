/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes recorded bytes safe on one line of a terminal. */
#include <stdint.h>
#include <string.h>

#include "decode/internal.h"
#include "util/mem.h"

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
static size_t utf8_length(const uint8_t *at, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
	uint32_t code;

	if (*at < 0xc2 || *at > 0xf4 || len > left)
		return 0;
	code = *at & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return code < 0xa0 ? 0 : len;
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
		size_t wide = copy[i] >= 0x80 ? utf8_length(copy + i, len - i) : 0;

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

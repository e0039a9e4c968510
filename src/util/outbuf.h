/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing output buffer for the hot path: ask for room once, then write through the pointer. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "util/mem.h"

struct outbuf {
	char *buf;
	size_t len;
	size_t room;
};

/* Makes sure that @n more bytes fit and returns where they go. Add what was used to ->len. */
static inline char *outbuf_reserve(struct outbuf *out, size_t n)
{
	if (__builtin_expect(out->room - out->len < n, 0)) {
		out->room = (out->len + n) * 2;
		out->buf = xrealloc(out->buf, out->room);
	}
	return out->buf + out->len;
}

static inline void outbuf_add_mem(struct outbuf *out, const void *data, size_t n)
{
	memcpy(outbuf_reserve(out, n), data, n);
	out->len += n;
}

static inline void outbuf_add(struct outbuf *out, const char *s)
{
	outbuf_add_mem(out, s, strlen(s));
}

static inline void outbuf_add_char(struct outbuf *out, char c)
{
	*outbuf_reserve(out, 1) = c;
	out->len++;
}

void outbuf_addf(struct outbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void outbuf_fini(struct outbuf *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slow side of the output buffer. */
#include "util/outbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void outbuf_addf(struct outbuf *out, const char *fmt, ...)
{
	va_list ap;
	va_list again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		vsnprintf(outbuf_reserve(out, (size_t)n + 1), (size_t)n + 1, fmt, again);
		out->len += (size_t)n;
	}
	va_end(again);
}

void outbuf_fini(struct outbuf *out)
{
	free(out->buf);
	*out = (struct outbuf){0};
}

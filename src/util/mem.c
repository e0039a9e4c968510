/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that cannot fail, and the functions behind the cleanup attributes. */
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one exception to "only main exits": nothing can be unwound without memory. */
static void *or_die(void *p)
{
	static const char message[] = "ft: out of memory\n";

	if (p)
		return p;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(125);
	_exit(125);
}

void *xmalloc(size_t size)
{
	return or_die(malloc(size ? size : 1));
}

void *xzalloc(size_t size)
{
	return or_die(calloc(1, size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return or_die(realloc(p, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return or_die(strndup(s, n));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return or_die(NULL);
	return text;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return text;
}

void mem_freep(void *pp)
{
	free(*(void **)pp);
}

void mem_closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

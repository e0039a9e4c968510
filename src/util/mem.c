/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation that cannot fail, and the functions behind the cleanup attributes. */
#include "util/mem.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Processors fetch lines of 64 bytes in pairs. */
#define APART 128

void *xzalloc_apart(size_t size)
{
	size_t room = (size / APART + 1) * APART;

	return memset(or_die(aligned_alloc(APART, room)), 0, room);
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

/* Of a large page of x86 and arm64. Where they have other sizes this aligns for nothing. */
#define LARGE_PAGE (2u << 20)
/* Address space only, until it is touched. */
#define HEAP_RESERVED (64u << 20)

/* Larger than what malloc() has at hand before it asks for more. */
#define FIRST_BLOCK (512u << 10)
#define SMALL_PAGE 4096u

/* The heap is grown in one step, for the advice holds only for what there is then, and a block that is never used fills
 * it up to where a large page can begin: a large page of which a part has been touched before stays small. Threads share
 * the heap, since their own ones would be of small pages again. */
void mem_prefer_large_pages(void)
{
#ifndef __SANITIZE_ADDRESS__
	void *volatile first; /* or the compiler leaves the allocation out */
	uintptr_t start;
	uintptr_t brk;

	/* What is left of the first heap would be used up before, a small page at a time. */
	malloc_trim(0);
	brk = (uintptr_t)sbrk(0);
	start = (brk + FIRST_BLOCK + SMALL_PAGE + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1UL);
	if (brk == UINTPTR_MAX ||
	    sbrk((intptr_t)(start - FIRST_BLOCK - SMALL_PAGE - brk)) == (void *)-1)
		return;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, HEAP_RESERVED);
	first = malloc(FIRST_BLOCK);
	mallopt(M_TOP_PAD, LARGE_PAGE);
	brk = (uintptr_t)sbrk(0);
	if (first && brk > start)
		madvise((void *)start, brk - start, MADV_HUGEPAGE);
#endif
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is never NULL, and ownership by attribute. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define cleanup(func) __attribute__((cleanup(func)))

/* Frees the pointer when its block ends. */
#define cleanup_free cleanup(mem_freep)

/* Closes the descriptor when its block ends; negative ones are left alone. */
#define cleanup_close cleanup(mem_closep)

/* Hands the pointer out and forgets it, so that its cleanup attribute finds NULL. */
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

/* The same for a descriptor. */
#define take_fd(fd)                \
	({                         \
		int taken_ = (fd); \
		(fd) = -1;         \
		taken_;            \
	})

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

/* These end the process with a message when memory runs out; they never return NULL. */
void *xmalloc(size_t size) __attribute__((malloc));
void *xzalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t n, size_t size) __attribute__((malloc));
void *xrealloc(void *p, size_t size);
/* As xzalloc(), and no cache line of it is shared with anything else: for what one thread writes at every event while
 * others do the same beside it. Not for xrealloc(). */
void *xzalloc_apart(size_t size) __attribute__((malloc));
char *xstrdup(const char *s) __attribute__((malloc));
char *xstrndup(const char *s, size_t n) __attribute__((malloc));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), malloc));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0), malloc));

/* Has large pages behind all that is allocated from now on, as far as the system gives them. For programs that touch
 * megabytes and end: the first touch of a small page costs as much as printing a hundred lines. Call it before other
 * threads start. */
void mem_prefer_large_pages(void);

/* For the attributes above. */
void mem_freep(void *pp);
void mem_closep(int *fd);

/* True and *sum set when a + b fits, false otherwise. For lengths that come from a file. */
static inline bool add_ok(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

/* True and *product set when a * b fits, false otherwise. */
static inline bool mul_ok(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings that grow, lists of strings, globs, near names, and the numbers people type. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A growing string. All zero is an empty one; text is NULL until something is added. */
struct strbuf {
	char *text; /* NUL-terminated once not NULL */
	size_t len;
	size_t room;
};

void strbuf_fini(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const char *s);
void strbuf_add_mem(struct strbuf *sb, const void *data, size_t len);
/* Adds @word as a shell takes it: in single quotes where that is needed. */
void strbuf_add_shell_word(struct strbuf *sb, const char *word);
/* The command that prints the text and a newline in any shell: the echo of some takes a backslash for more than that. */
void strbuf_add_shell_echo(struct strbuf *sb, const char *text);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The text, never NULL, valid until the next change. */
const char *strbuf_str(const struct strbuf *sb);
/* Hands the text out (never NULL, caller frees) and leaves an empty buffer. */
char *strbuf_take(struct strbuf *sb);

/* A list of strings that it owns. All zero is an empty one. */
struct strv {
	char **item; /* item[nr] is NULL once not empty, so it can serve as argv */
	size_t nr;
	size_t room;
};

void strv_fini(struct strv *v);
void strv_add(struct strv *v, const char *s);
/* Adds @s itself; the list frees it. */
void strv_add_take(struct strv *v, char *s);
bool strv_has(const struct strv *v, const char *s);
/* Orders bytewise; strv_uniq() drops equal neighbours. */
void strv_sort(struct strv *v);
void strv_uniq(struct strv *v);
void strv_copy(struct strv *to, const struct strv *from);
/* Adds each piece of @text between characters of @seps; empty pieces are left out. */
void strv_split(struct strv *v, const char *text, const char *seps);
/* All items with @sep between them; caller frees. */
char *strv_join(const struct strv *v, const char *sep);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* Cuts white space off the end in place; returns the first character that is no white space. */
char *str_trim(char *s);
/* Visits the lines of a text that is NUL-terminated: cuts *at at its newline and moves it on.
 * NULL at the end. */
char *str_next_line(char **at);

/* True when @s holds one of * ? [ */
bool is_glob(const char *s);
/* Shell pattern over the whole of @name, '/' and leading dots not special. */
bool glob_matches(const char *pattern, const char *name);

/* " (did you mean a, b or c?)", or "" when no name is near; caller frees. @names may hold anything;
 * at most three of the nearest by edit distance are named. */
char *near_names(const char *wrong, const struct strv *names);
/* Edit distance with transpositions, case counted as half; used by near_names(). */
unsigned int edit_distance(const char *a, const char *b);

/* Whole of @text as decimal, or 0x hex. False on anything else or overflow. */
bool parse_u64(const char *text, uint64_t *out);
bool parse_long(const char *text, long *out);
/* Bytes with an optional unit k, m, g, t (powers of 1024, KiB/KB/kB alike); a bare number is
 * kilobytes when @bare_kb, as trace-cmd's -b has it. 0 or -EINVAL with text. */
int parse_size(const char *text, bool bare_kb, uint64_t *bytes, struct err *err);
/* Whether a time is written as a report prints it without -t: 72.704635. It stands for all times
 * that are printed so. */
bool is_printed_time(const char *text);
#define PRINTED_BELOW 500 /* the first of them lies so many nanoseconds before it, */
#define PRINTED_ABOVE 499 /* and the last so many behind it */
/* Nanoseconds; units ns us ms s m h, a bare number is seconds, fractions allowed. */
int parse_duration(const char *text, uint64_t *ns, struct err *err);
/* "0-3,7" into a bit per CPU, ascending, no doubles; *cpus is malloc'ed, caller frees. */
int parse_cpulist(const char *text, unsigned int **cpus, size_t *nr, struct err *err);

/* A mask of CPUs as the kernel writes it: hexadecimal, in groups of 32 bits with commas; caller
 * frees. The second one has the CPUs 0 to @nr - 1. */
char *format_cpumask(const unsigned int *cpus, size_t nr);
char *format_full_cpumask(size_t nr);

/* "1.5 MiB", "812 B": at most @room bytes are written; returns @buf. */
const char *format_bytes(uint64_t bytes, char *buf, size_t room);
/* "12,345,678" */
const char *format_count(uint64_t n, char *buf, size_t room);

/* Length of the UTF-8 sequence at @text, which has @left bytes; 0 when it is none. Overlong forms,
 * surrogates and what lies above U+10FFFF are none. */
size_t str_utf8_length(const char *text, size_t left);
/* Whether a control above 0x7f is at @text, in two bytes of UTF-8: terminals obey these, too. */
bool str_is_high_control(const char *text, size_t len);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of markers, in the grammar that ft report, Perfetto and Android's tools share. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"
#include "util/str.h"

/* A marker in parts, so that a long one is cut where that does least harm. */
struct marker_line {
	char *head; /* "S|4711|", "" for plain text */
	char *body; /* the name or the text; this part is cut */
	char *tail; /* "|7", "" for none */
	bool is_name;
};

void marker_line_fini(struct marker_line *line);
/* The whole marker; caller frees. */
char *marker_line_text(const struct marker_line *line);

/* Words with blanks between them, as echo has it. Refuses an empty text and newlines, but for one
 * at the end, which goes. */
int marker_text_words(const struct strv *words, size_t first, struct marker_line *out,
		      struct err *err);
/* "S|pid|name|cookie" for 'S' and 'F'; "I|pid|name". The name must be one. */
int marker_text_async(char kind, pid_t pid, const char *name, uint32_t cookie,
		      struct marker_line *out, struct err *err);
int marker_text_instant(pid_t pid, const char *name, struct marker_line *out, struct err *err);
/* "C|pid|name|value" from "NAME=VALUE"; the last '=' counts, and VALUE is an integer of 64 bits. */
int marker_text_counter(pid_t pid, const char *assignment, struct marker_line *out,
			struct err *err);

/* 0 for what can stand between the bars: not empty, no '|', no control characters. */
int marker_check_name(const char *name, struct err *err);
/* Pairs a beginning and an end by name: 31 bits, as some readers take cookies for signed. */
uint32_t marker_cookie(const char *name);

/* The longest part of @s, at most @limit bytes, that ends between characters. Bytes that are no
 * UTF-8 count as characters. */
size_t marker_cut(const char *s, size_t len, size_t limit);
bool marker_is_utf8(const char *s, size_t len);

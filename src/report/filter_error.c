/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of filters: a sentence, the filter, and a caret under the place. */
#include <stdio.h>
#include <string.h>

#include "report/filter_tree.h"
#include "util/mem.h"
#include "util/str.h"

#define BEFORE 60 /* bytes shown in front of the place */
#define BEHIND 40

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* The part of @text around @at, on one line; @column is where @at comes to be in it. */
static char *cut_line(const char *text, size_t at, size_t *column)
{
	struct strbuf line = {0};
	size_t len = strlen(text);
	size_t from = at > BEFORE ? at - BEFORE : 0;
	size_t to = len - at > BEHIND ? at + BEHIND : len;

	while (from && is_continuation(text[from]))
		from--;
	while (to < len && is_continuation(text[to]))
		to++;
	*column = 0;
	if (from) {
		strbuf_add(&line, "...");
		*column = 3;
	}
	for (size_t i = from; i < to; i++) {
		strbuf_add_mem(&line, is_control(text[i]) ? " " : &text[i], 1);
		if (i < at && !is_continuation(text[i]))
			(*column)++;
	}
	if (to < len)
		strbuf_add(&line, "...");
	return strbuf_take(&line);
}

int filter_error(struct err *err, const char *text, size_t at, const char *fmt, ...)
{
	cleanup_free char *sentence = NULL;
	cleanup_free char *line = NULL;
	size_t column;
	va_list ap;

	va_start(ap, fmt);
	sentence = xvasprintf(fmt, ap);
	va_end(ap);
	if (at > strlen(text))
		at = strlen(text);
	line = cut_line(text, at, &column);
	return err_set(err, EINVAL, "%.1000s\n  %s\n  %*s^", sentence, line, (int)column, "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An error is a value: a code and one line of text for the user. Only main prints it. */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>

/* Long enough for a sentence with a path, a value and near names in it. */
#define ERR_TEXT_MAX 1536

struct err {
	int code; /* an errno value, 0 while nothing has gone wrong */
	char text[ERR_TEXT_MAX];
};

/* Stores code and text and returns -code. @err may be NULL when only the code matters. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Like err_set(), and appends ": " and the words of errno value @code. */
int err_sys(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " in front of the text that is there already. Returns -err->code. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends to the text that is there already; the code stays. */
void err_add(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building of error values. */
#include "util/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -code;
}

static void __attribute__((format(printf, 2, 0)))
add_text(struct err *err, const char *fmt, va_list ap)
{
	size_t len = strlen(err->text);

	vsnprintf(err->text + len, sizeof(err->text) - len, fmt, ap);
}

void err_add(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	add_text(err, fmt, ap);
	va_end(ap);
}

int err_sys(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	err_add(err, ": %s", strerror(code));
	return -code;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	va_list ap;

	if (!err)
		return -EIO;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	err_add(err, ": %s", old);
	return -err->code;
}

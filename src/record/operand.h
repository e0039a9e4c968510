/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the plain names in a print format that stand where a number could. */
#pragma once

#include <stddef.h>

#include "util/str.h"

struct operand_token {
	int kind;
	const char *at;
	size_t len;
};

/* The way through one print format; ->name and ->len are the name found last. */
struct operands {
	const char *name;
	size_t len;
	const char *at;			/* what has not been looked at */
	struct operand_token before[2]; /* the last token and the one before it */
};

/* @format is the text of a format file; it may have no print format. Borrowed. */
void operands_begin(struct operands *ops, const char *format);
/* The next name that is an operand, and so no field, call, type, local name or text. False at the
 * end. */
bool operands_next(struct operands *ops);

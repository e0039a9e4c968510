/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the printers of the %p family share. */
#pragma once

#include "decode/eval.h"
#include "decode/plan.h"
#include "decode/spec.h"

struct pointer {
	struct eval *ev;
	const struct op *op;
	const struct spec *spec;
	struct outbuf *out;
};

/* At least @want bytes, or a problem. */
bool pointer_take(const struct pointer *p, uint32_t want, struct memory *memory);
/* Sets where the text ends after writing into what outbuf_reserve() gave. */
void pointer_add(const struct pointer *p, char *end);
/* Whether any letter from the @from-th on is @letter. */
bool pointer_has_letter(const struct spec *spec, size_t from, char letter);

/* %pt: struct rtc_time, time64_t and struct timespec64. */
void pointer_print_time(const struct pointer *p);
/* %pE: bytes with escapes. */
void pointer_print_escaped(const struct pointer *p);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bitmaps of the recorded kernel as text. */
#pragma once

#include "decode/eval.h"

/* Hex words of 32 bits with commas, the highest first. */
void bitmap_print_words(const struct eval *ev, struct memory memory, uint32_t bits,
			struct outbuf *out);
/* Ranges: 0-3,7. */
void bitmap_print_list(const struct eval *ev, struct memory memory, uint32_t bits,
		       struct outbuf *out);

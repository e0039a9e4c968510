/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of C and kernel types say about size and sign. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctype {
	uint8_t size; /* in bytes; 0: not known */
	bool is_signed;
	bool is_pointer;
	bool is_bool;
	bool is_array; /* what ctype_parse() never says */
	/* Of what a pointer points to. */
	uint8_t elem_size;
	bool elem_signed;
};

/* Reads a type such as "const unsigned long", "struct page *", "__le16". False when @text holds
 * anything that cannot be part of a type. An unknown single name is a type of size 0. */
bool ctype_parse(const char *text, size_t len, unsigned int long_size, struct ctype *out);
/* True when this word alone names a type or belongs to one ("unsigned", "u8", "struct"). */
bool ctype_is_word(const char *word, size_t len);

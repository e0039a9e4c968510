/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cuts the C text of a print format into tokens. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/arena.h"
#include "decode/decode.h"

enum token_kind {
	TOKEN_END, /* also stands behind the last one */
	TOKEN_NAME,
	TOKEN_NUMBER, /* character constants too */
	TOKEN_STRING,
	TOKEN_OP,
	TOKEN_BAD, /* a character C does not know, or a quote that is never closed */
};

/* Operators of up to three characters as one number, so that they can be compared and switched. */
#define OP1(a) ((uint32_t)(unsigned char)(a))
#define OP2(a, b) (OP1(a) << 8 | OP1(b))
#define OP3(a, b, c) (OP2(a, b) << 8 | OP1(c))

struct token {
	uint8_t kind;
	uint8_t size;	/* of a number's type in bytes; for the kernel's long: 0 */
	bool is_signed; /* of a number's type */
	uint32_t op;
	uint32_t match; /* of a bracket: the index of its partner, 0 when it has none */
	const char *at; /* of a string: behind the quote */
	uint32_t len;
	uint64_t number;
};

struct tokens {
	struct token *token; /* nr of them and one TOKEN_END */
	size_t nr;
};

/* Never fails: what is no C becomes TOKEN_BAD. */
void tokens_cut(struct decode_text text, struct arena *arena, struct tokens *out);
/* Replaces escapes as C does; @out needs @len bytes. Returns the length. */
size_t token_unescape(const char *text, size_t len, char *out);

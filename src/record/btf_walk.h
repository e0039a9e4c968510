/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of BTF one by one, for the files that read it. */
#pragma once

#include "record/btf.h"

struct btf_type {
	const uint8_t *at; /* its first byte; what its kind says follows is inside */
	uint32_t name_off;
	uint32_t kind;
	uint32_t nr; /* members */
	bool flag;
	uint32_t size; /* or the id of another type */
};

/* The head of the type at @at, which btf_next() has found good. */
void btf_read_type(const uint8_t *at, struct btf_type *out);
/* The type at *at (NULL: the first one), which moves behind it. 1, 0 at the end, or -EPROTO. */
int btf_next(const struct btf *btf, const uint8_t **at, struct btf_type *out, struct err *err);
/* NULL when there is none. */
const char *btf_string(const struct btf *btf, uint32_t off);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the enumerators out of BTF, the kernel's own description of its types. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A view of BTF in memory; nothing is owned. */
struct btf {
	const uint8_t *types;
	size_t types_len;
	const char *strings; /* NUL at its end, which ends the last string */
	size_t strings_len;
	const struct btf *base; /* of a module: the kernel's, which it extends; else NULL */
};

struct btf_value {
	uint64_t bits; /* sign-extended when is_signed */
	bool is_signed;
	/* Its top bit of 32 is set and nothing tells whether that is a sign: pahole says so since
	 * 1.24, for kernels since 6.0. */
	bool is_unsure;
};

typedef void btf_enumerator_fn(void *ctx, const char *name, const struct btf_value *value);

/* Checks the frame of @len bytes in the byte order of this machine. @base is NULL but for a module.
 * 0, or -EPROTO with text. */
int btf_open(const void *data, size_t len, const struct btf *base, struct btf *out,
	     struct err *err);

/* Calls @each for every enumerator. -EPROTO, with text, at the first type that cannot be read; those
 * before it have been told by then. */
int btf_each_enumerator(const struct btf *btf, btf_enumerator_fn *each, void *ctx, struct err *err);

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

#define BTF_ARGUMENTS_MOST 16

struct btf_argument {
	const char *name; /* points into the BTF */
	uint32_t size;	  /* bytes */
	enum {
		BTF_ARGUMENT_NONE,
		BTF_ARGUMENT_SIGNED,
		BTF_ARGUMENT_UNSIGNED,
		BTF_ARGUMENT_POINTER,
		BTF_ARGUMENT_TEXT, /* a pointer to characters */
		BTF_ARGUMENT_OTHER,
	} kind;
};

struct btf_function {
	struct btf_argument argument[BTF_ARGUMENTS_MOST];
	size_t nr;
	struct btf_argument result;
};

/* The arguments of the function @name. -ENOENT without text when it is not in the BTF. */
int btf_find_function(const struct btf *btf, const char *name, struct btf_function *out,
		      struct err *err);

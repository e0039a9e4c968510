/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a user event, and their values as bytes. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/str.h"

struct marker_field {
	char *name;
	const char *type; /* the kernel's word for it */
	size_t size;	  /* bytes of a number, or of a char array; 0 for a string of any length */
	bool is_signed;
	bool is_text;
};

struct marker_fields {
	struct marker_field *item;
	size_t nr;
};

/* "u32 id; char what[16]; string path". Types are u8 to u64, s8 to s64, int, unsigned int, short,
 * unsigned short, char[N], and string. */
int marker_fields_parse(const char *text, struct marker_fields *out, struct err *err);
void marker_fields_fini(struct marker_fields *fields);
/* "name u32 id;char[16] what", as the kernel has it; caller frees. */
char *marker_fields_text(const char *name, const struct marker_fields *fields);
/* One value a field, from values[first] on. */
int marker_fields_pack(const struct marker_fields *fields, const struct strv *values, size_t first,
		       struct strbuf *out, struct err *err);

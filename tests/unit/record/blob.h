/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF made by hand. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "util/mem.h"
#include "util/str.h"

struct blob {
	struct strbuf types;
	struct strbuf strings;
	size_t base; /* bytes of strings that the base has */
};

static inline void blob_fini(struct blob *blob)
{
	strbuf_fini(&blob->types);
	strbuf_fini(&blob->strings);
}

static inline void blob_word(struct blob *blob, uint32_t word)
{
	strbuf_add_mem(&blob->types, &word, sizeof(word));
}

static inline uint32_t blob_string(struct blob *blob, const char *text)
{
	size_t at = blob->base + blob->strings.len;

	strbuf_add_mem(&blob->strings, text, strlen(text) + 1);
	return (uint32_t)at;
}

/* A type without a name, of @nr members, with @extra words of zeros behind it. */
static inline void blob_type(struct blob *blob, uint32_t kind, uint32_t nr, bool flag,
			     uint32_t size, size_t extra)
{
	blob_word(blob, 0);
	blob_word(blob, (uint32_t)flag << 31 | kind << 24 | nr);
	blob_word(blob, size);
	while (extra--)
		blob_word(blob, 0);
}

/* An enum of 32 bits with one member. */
static inline void blob_enum(struct blob *blob, const char *name, uint32_t value, bool is_signed)
{
	blob_type(blob, 6, 1, is_signed, 4, 0);
	blob_word(blob, blob_string(blob, name));
	blob_word(blob, value);
}

static inline void blob_enum64(struct blob *blob, const char *name, uint64_t value, bool is_signed)
{
	blob_type(blob, 19, 1, is_signed, 8, 0);
	blob_word(blob, blob_string(blob, name));
	blob_word(blob, (uint32_t)value);
	blob_word(blob, (uint32_t)(value >> 32));
}

/* Header, types and strings; caller frees. */
static inline uint8_t *blob_build(const struct blob *blob, size_t *len)
{
	const uint32_t head[] = {0x0001eb9f,
				 24,
				 0,
				 (uint32_t)blob->types.len,
				 (uint32_t)blob->types.len,
				 (uint32_t)blob->strings.len};
	uint8_t *data = xmalloc(sizeof(head) + blob->types.len + blob->strings.len);

	memcpy(data, head, sizeof(head));
	memcpy(data + sizeof(head), strbuf_str(&blob->types), blob->types.len);
	memcpy(data + sizeof(head) + blob->types.len, strbuf_str(&blob->strings),
	       blob->strings.len);
	*len = sizeof(head) + blob->types.len + blob->strings.len;
	return data;
}

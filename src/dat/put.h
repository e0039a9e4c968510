/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends numbers to a string buffer in the byte order of the file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/str.h"

static inline void put_number(struct strbuf *sb, bool big_endian, unsigned int size, uint64_t value)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < size; i++)
		bytes[big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
	strbuf_add_mem(sb, bytes, size);
}

static inline void put_u16(struct strbuf *sb, bool big_endian, uint16_t value)
{
	put_number(sb, big_endian, 2, value);
}

static inline void put_u32(struct strbuf *sb, bool big_endian, uint32_t value)
{
	put_number(sb, big_endian, 4, value);
}

static inline void put_u64(struct strbuf *sb, bool big_endian, uint64_t value)
{
	put_number(sb, big_endian, 8, value);
}

/* With its NUL, as names stand in the file. */
static inline void put_name(struct strbuf *sb, const char *name)
{
	strbuf_add(sb, name);
	strbuf_add_mem(sb, "", 1);
}

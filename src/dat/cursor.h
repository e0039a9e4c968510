/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads numbers and texts of a trace.dat file one after the other and never past the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena_block;

/* Memory that lives as long as the reader: what a cursor hands out stays valid. */
struct dat_arena {
	struct arena_block *block;
};

void *dat_arena_alloc(struct dat_arena *arena, size_t size);
void dat_arena_fini(struct dat_arena *arena);

/* Over memory when @fd is negative; else over a file, loaded a block at a time. */
struct cursor {
	const uint8_t *at;
	size_t left;  /* bytes in memory from @at on */
	uint64_t pos; /* file offset of @at, for messages */
	uint64_t end; /* file offset behind the last byte that may be read */
	bool big_endian;
	int fd;
	struct dat_arena *arena;
};

void cursor_init_mem(struct cursor *c, const void *data, size_t len, bool big_endian);
void cursor_init_file(struct cursor *c, int fd, uint64_t pos, uint64_t end, bool big_endian,
		      struct dat_arena *arena);
/* Bytes that are left, in memory or not. */
uint64_t cursor_left(const struct cursor *c);
/* All return false, and stay where they are, when less is left. */
bool cursor_bytes(struct cursor *c, uint64_t len, const uint8_t **out);
bool cursor_skip(struct cursor *c, uint64_t len);
bool cursor_u8(struct cursor *c, uint8_t *out);
bool cursor_u16(struct cursor *c, uint16_t *out);
bool cursor_u32(struct cursor *c, uint32_t *out);
bool cursor_u64(struct cursor *c, uint64_t *out);
/* A text with its NUL; false when there is no NUL in the next 64 KiB. */
bool cursor_string(struct cursor *c, const char **out);

static inline uint16_t get_u16(const uint8_t *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap16(v);
}

static inline uint32_t get_u32(const uint8_t *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static inline uint64_t get_u64(const uint8_t *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

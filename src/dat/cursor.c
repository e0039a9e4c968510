/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bounded reading, and the memory behind it. */
#include "dat/cursor.h"

#include <stdlib.h>

#include "util/io.h"
#include "util/mem.h"

/* One load of the file; larger when a single text needs more. */
#define LOAD_SIZE 262144
#define STRING_LONGEST 65536

struct arena_block {
	struct arena_block *next;
	uint8_t data[];
};

void *dat_arena_alloc(struct dat_arena *arena, size_t size)
{
	struct arena_block *block = xmalloc(sizeof(*block) + size);

	block->next = arena->block;
	arena->block = block;
	return block->data;
}

void dat_arena_fini(struct dat_arena *arena)
{
	while (arena->block) {
		struct arena_block *next = arena->block->next;

		free(arena->block);
		arena->block = next;
	}
}

void cursor_init_mem(struct cursor *c, const void *data, size_t len, bool big_endian)
{
	*c = (struct cursor){
		.at = data, .left = len, .end = len, .big_endian = big_endian, .fd = -1};
}

void cursor_init_file(struct cursor *c, int fd, uint64_t pos, uint64_t end, bool big_endian,
		      struct dat_arena *arena)
{
	*c = (struct cursor){.pos = pos,
			     .end = end < pos ? pos : end,
			     .big_endian = big_endian,
			     .fd = fd,
			     .arena = arena};
}

uint64_t cursor_left(const struct cursor *c)
{
	return c->end - c->pos;
}

/* Brings at least @len bytes into memory. */
static bool load(struct cursor *c, uint64_t len)
{
	uint64_t want = len < LOAD_SIZE ? LOAD_SIZE : len;
	uint8_t *block;
	ssize_t got;

	if (c->fd < 0 || len > cursor_left(c))
		return false;
	if (want > cursor_left(c))
		want = cursor_left(c);
	block = dat_arena_alloc(c->arena, want);
	got = io_pread_all(c->fd, block, want, c->pos);
	if (got < 0 || (uint64_t)got < len)
		return false;
	c->at = block;
	c->left = (size_t)got;
	return true;
}

bool cursor_bytes(struct cursor *c, uint64_t len, const uint8_t **out)
{
	if (c->left < len && !load(c, len))
		return false;
	*out = c->at;
	c->at += len;
	c->left -= len;
	c->pos += len;
	return true;
}

bool cursor_skip(struct cursor *c, uint64_t len)
{
	if (len > cursor_left(c))
		return false;
	c->pos += len;
	if (len <= c->left) {
		c->at += len;
		c->left -= len;
		return true;
	}
	c->left = 0;
	return c->fd >= 0;
}

bool cursor_u8(struct cursor *c, uint8_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, sizeof(*out), &p))
		return false;
	*out = *p;
	return true;
}

bool cursor_u16(struct cursor *c, uint16_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, sizeof(*out), &p))
		return false;
	*out = get_u16(p, c->big_endian);
	return true;
}

bool cursor_u32(struct cursor *c, uint32_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, sizeof(*out), &p))
		return false;
	*out = get_u32(p, c->big_endian);
	return true;
}

bool cursor_u64(struct cursor *c, uint64_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, sizeof(*out), &p))
		return false;
	*out = get_u64(p, c->big_endian);
	return true;
}

bool cursor_string(struct cursor *c, const char **out)
{
	uint64_t most = cursor_left(c) < STRING_LONGEST ? cursor_left(c) : STRING_LONGEST;
	const uint8_t *end = c->left ? memchr(c->at, '\0', c->left) : NULL;
	const uint8_t *p;

	if (!end) {
		if (!load(c, most) || !(end = memchr(c->at, '\0', c->left)))
			return false;
	}
	if (!cursor_bytes(c, (uint64_t)(end - c->at) + 1, &p))
		return false;
	*out = (const char *)p;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffered, endian-explicit output. */
#include "dat/write_out.h"

#include <stdlib.h>
#include <string.h>

#include "util/io.h"
#include "util/mem.h"

/* Texts of this length go to the file without a copy. */
#define BUFFER_SIZE (256 * 1024)

void dat_out_init(struct dat_out *out, int fd, uint64_t at, bool big_endian)
{
	*out = (struct dat_out){.fd = fd, .at = at, .big_endian = big_endian};
}

void dat_out_fini(struct dat_out *out)
{
	free(out->buf);
	out->buf = NULL;
	out->len = 0;
	out->room = 0;
}

uint64_t dat_out_pos(const struct dat_out *out)
{
	return out->at + out->len;
}

static void write_at(struct dat_out *out, const void *data, size_t len, uint64_t at)
{
	int r;

	if (out->error)
		return;
	r = io_pwrite_all(out->fd, data, len, at);
	if (r < 0)
		out->error = -r;
}

int dat_out_flush(struct dat_out *out)
{
	if (out->fd >= 0) {
		write_at(out, out->buf, out->len, out->at);
		out->at += out->len;
		out->len = 0;
	}
	return -out->error;
}

/* Room for @len more bytes, of which a file's buffer never needs many. */
static uint8_t *reserve(struct dat_out *out, size_t len)
{
	if (out->fd >= 0 && out->len + len > BUFFER_SIZE)
		dat_out_flush(out);
	if (out->room - out->len < len) {
		out->room = out->fd >= 0 ? BUFFER_SIZE : (out->len + len) * 2;
		out->buf = xrealloc(out->buf, out->room);
	}
	return out->buf + out->len;
}

void dat_out_mem(struct dat_out *out, const void *data, size_t len)
{
	if (!len)
		return;
	if (out->fd >= 0 && len >= BUFFER_SIZE) {
		dat_out_flush(out);
		write_at(out, data, len, out->at);
		out->at += len;
		return;
	}
	memcpy(reserve(out, len), data, len);
	out->len += len;
}

void dat_out_zeros(struct dat_out *out, size_t len)
{
	while (len) {
		size_t n = len < BUFFER_SIZE ? len : BUFFER_SIZE;

		memset(reserve(out, n), 0, n);
		out->len += n;
		len -= n;
	}
}

static void store(uint8_t *to, uint64_t value, unsigned int width, bool big_endian)
{
	for (unsigned int i = 0; i < width; i++) {
		unsigned int byte = big_endian ? width - 1 - i : i;

		to[i] = (uint8_t)(value >> (8 * byte));
	}
}

static void put_number(struct dat_out *out, uint64_t value, unsigned int width)
{
	store(reserve(out, width), value, width, out->big_endian);
	out->len += width;
}

void dat_out_u8(struct dat_out *out, uint8_t value)
{
	put_number(out, value, 1);
}

void dat_out_u16(struct dat_out *out, uint16_t value)
{
	put_number(out, value, 2);
}

void dat_out_u32(struct dat_out *out, uint32_t value)
{
	put_number(out, value, 4);
}

void dat_out_u64(struct dat_out *out, uint64_t value)
{
	put_number(out, value, 8);
}

void dat_out_string(struct dat_out *out, const char *s)
{
	dat_out_mem(out, s, strlen(s) + 1);
}

/* A number may lie in the file already, wait in memory, or be cut in two by the border between them. */
static void patch(struct dat_out *out, uint64_t pos, uint64_t value, unsigned int width)
{
	uint8_t raw[8];

	store(raw, value, width, out->big_endian);
	if (pos < out->at)
		dat_out_flush(out);
	if (pos >= out->at)
		memcpy(out->buf + (pos - out->at), raw, width);
	else
		write_at(out, raw, width, pos);
}

void dat_out_patch_u16(struct dat_out *out, uint64_t pos, uint16_t value)
{
	patch(out, pos, value, 2);
}

void dat_out_patch_u32(struct dat_out *out, uint64_t pos, uint32_t value)
{
	patch(out, pos, value, 4);
}

void dat_out_patch_u64(struct dat_out *out, uint64_t pos, uint64_t value)
{
	patch(out, pos, value, 8);
}

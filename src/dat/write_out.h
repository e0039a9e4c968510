/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the writer's bytes go: numbers in the byte order of the file, into a file or into memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first error stays in ->error and turns all later calls into nothing: it is asked for once, at the end. */
struct dat_out {
	int fd;	     /* -1: the bytes stay in buf */
	uint64_t at; /* offset in the file of buf[0] */
	uint8_t *buf;
	size_t len;
	size_t room;
	bool big_endian;
	int error; /* an errno value */
};

/* Bytes for @fd (borrowed, may be -1 for memory) from offset @at on. */
void dat_out_init(struct dat_out *out, int fd, uint64_t at, bool big_endian);
/* Frees; what was not flushed is dropped. */
void dat_out_fini(struct dat_out *out);
/* Writes what waits in memory. 0, or the first error as -errno. Into memory it only asks for the error. */
int dat_out_flush(struct dat_out *out);

/* The offset in the file of the next byte. */
uint64_t dat_out_pos(const struct dat_out *out);

void dat_out_mem(struct dat_out *out, const void *data, size_t len);
void dat_out_u8(struct dat_out *out, uint8_t value);
void dat_out_u16(struct dat_out *out, uint16_t value);
void dat_out_u32(struct dat_out *out, uint32_t value);
void dat_out_u64(struct dat_out *out, uint64_t value);
/* The string and its NUL. */
void dat_out_string(struct dat_out *out, const char *s);
void dat_out_zeros(struct dat_out *out, size_t len);

/* Overwrites a number that was put at offset @pos. */
void dat_out_patch_u16(struct dat_out *out, uint64_t pos, uint16_t value);
void dat_out_patch_u32(struct dat_out *out, uint64_t pos, uint32_t value);
void dat_out_patch_u64(struct dat_out *out, uint64_t pos, uint64_t value);

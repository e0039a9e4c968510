/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading numbers of either byte order and any size from a record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum load {
	LOAD_U8,
	LOAD_S8,
	LOAD_U16,
	LOAD_S16,
	LOAD_U32,
	LOAD_S32,
	LOAD_64,
	LOAD_U16_SWAP,
	LOAD_S16_SWAP,
	LOAD_U32_SWAP,
	LOAD_S32_SWAP,
	LOAD_64_SWAP,
	LOAD_NONE, /* a size that is no integer's */
};

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint8_t load_for(uint32_t size, bool is_signed, bool big_endian)
{
	static const uint8_t plain[2][9] = {
		{LOAD_NONE, LOAD_U8, LOAD_U16, LOAD_NONE, LOAD_U32, LOAD_NONE, LOAD_NONE, LOAD_NONE,
		 LOAD_64},
		{LOAD_NONE, LOAD_S8, LOAD_S16, LOAD_NONE, LOAD_S32, LOAD_NONE, LOAD_NONE, LOAD_NONE,
		 LOAD_64},
	};
	uint8_t load = size > 8 ? LOAD_NONE : plain[is_signed][size];

	if (big_endian == HOST_BIG_ENDIAN || load < LOAD_U16 || load == LOAD_NONE)
		return load;
	return (uint8_t)(load + (LOAD_U16_SWAP - LOAD_U16));
}

static inline uint16_t load_u16(const uint8_t *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t load_u32(const uint8_t *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t load_u64(const uint8_t *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

/* The number extended to 64 bits by its own sign. */
static inline uint64_t load_number(uint8_t load, const uint8_t *at)
{
	switch (load) {
	case LOAD_U8:
		return *at;
	case LOAD_S8:
		return (uint64_t)(int64_t)(int8_t)*at;
	case LOAD_U16:
		return load_u16(at, false);
	case LOAD_S16:
		return (uint64_t)(int64_t)(int16_t)load_u16(at, false);
	case LOAD_U32:
		return load_u32(at, false);
	case LOAD_S32:
		return (uint64_t)(int64_t)(int32_t)load_u32(at, false);
	case LOAD_64:
		return load_u64(at, false);
	case LOAD_U16_SWAP:
		return load_u16(at, true);
	case LOAD_S16_SWAP:
		return (uint64_t)(int64_t)(int16_t)load_u16(at, true);
	case LOAD_U32_SWAP:
		return load_u32(at, true);
	case LOAD_S32_SWAP:
		return (uint64_t)(int64_t)(int32_t)load_u32(at, true);
	case LOAD_64_SWAP:
		return load_u64(at, true);
	default:
		return 0;
	}
}

/* Cuts @value to @size bytes, which are 1, 2, 4 or 8, and extends it again; with 0 it stays as it is. */
static inline uint64_t fit_number(uint64_t value, uint8_t size, bool is_signed)
{
	unsigned int shift = (64u - size * 8u) & 63;

	value <<= shift;
	return is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

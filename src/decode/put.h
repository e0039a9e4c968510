/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes numbers as digits; each returns where it stopped. The caller has made room. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Most that a number can take: 22 octal digits and a sign. */
#define PUT_MOST 24

extern const char put_pairs[201];
extern const char put_hex_pairs[513];
/* 0, then powers of ten from 10 on: numbers from put_powers[n] on have more than n digits. */
extern const uint64_t put_powers[20];

static inline unsigned int put_dec_digits(uint64_t value)
{
	/* 1233 / 4096 is the decimal logarithm of 2, close enough for 64 bits. */
	unsigned int digits = (64u - (unsigned int)__builtin_clzll(value | 1)) * 1233 >> 12;

	return digits + (value >= put_powers[digits]);
}

static inline char *put_dec(char *out, uint64_t value)
{
	char *end;
	char *at;

	if (value < 10) {
		*out = (char)('0' + value);
		return out + 1;
	}
	end = at = out + put_dec_digits(value);
	while (value >= 100) {
		at -= 2;
		memcpy(at, put_pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10)
		memcpy(at - 2, put_pairs + value * 2, 2);
	else
		at[-1] = (char)('0' + value);
	return end;
}

static inline char *put_signed(char *out, int64_t value)
{
	if (value >= 0)
		return put_dec(out, (uint64_t)value);
	*out++ = '-';
	return put_dec(out, 0 - (uint64_t)value);
}

/* Exactly @digits of them. */
static inline char *put_hex_fixed(char *out, uint64_t value, unsigned int digits)
{
	char *end = out + digits;
	char *at = end;

	for (; digits >= 2; digits -= 2) {
		at -= 2;
		memcpy(at, put_hex_pairs + (value & 0xff) * 2, 2);
		value >>= 8;
	}
	if (digits)
		at[-1] = put_hex_pairs[(value & 15) * 2 + 1];
	return end;
}

static inline char *put_hex(char *out, uint64_t value)
{
	unsigned int digits = value ? (67u - (unsigned int)__builtin_clzll(value)) / 4 : 1;

	return put_hex_fixed(out, value, digits);
}

/* Bytes that must be readable behind a text given to put_padded(), and room behind @out. */
#define PUT_PADDING 32

/* A short text without a call; up to PUT_PADDING bytes too many are copied. */
static inline char *put_padded(char *out, const char *text, size_t len)
{
	memcpy(out, text, 16);
	if (len > 16)
		memcpy(out + 16, text + 16, 16);
	if (len > 32)
		memcpy(out + 32, text + 32, len - 32);
	return out + len;
}

/* A text of at most @room bytes up to its NUL; @out must have @room bytes. The 16 of a task's name
 * are copied whole. */
static inline char *put_field(char *out, const char *text, size_t room)
{
	const uint64_t ones = 0x0101010101010101ull;
	size_t len;

	if (room == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		uint64_t half[2];
		uint64_t nul;

		memcpy(half, text, 16);
		memcpy(out, half, 16);
		nul = (half[0] - ones) & ~half[0] & ones << 7;
		if (nul)
			return out + __builtin_ctzll(nul) / 8;
		nul = (half[1] - ones) & ~half[1] & ones << 7;
		return out + (nul ? 8 + __builtin_ctzll(nul) / 8 : 16);
	}
	len = strnlen(text, room);
	memcpy(out, text, len);
	return out + len;
}

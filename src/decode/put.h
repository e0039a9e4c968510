/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes numbers as digits; each returns where it stopped. The caller has made room. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Most that a number can take: 22 octal digits and a sign. */
#define PUT_MOST 24

extern const char put_pairs[201];

static inline char *put_dec(char *out, uint64_t value)
{
	char digits[PUT_MOST];
	char *end = digits + sizeof(digits);
	char *at = end;
	size_t len;

	while (value >= 100) {
		at -= 2;
		memcpy(at, put_pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(at, put_pairs + value * 2, 2);
	} else {
		*--at = (char)('0' + value);
	}
	len = (size_t)(end - at);
	memcpy(out, at, len);
	return out + len;
}

static inline char *put_signed(char *out, int64_t value)
{
	if (value >= 0)
		return put_dec(out, (uint64_t)value);
	*out++ = '-';
	return put_dec(out, 0 - (uint64_t)value);
}

static inline char *put_hex(char *out, uint64_t value)
{
	unsigned int digits = value ? (67u - (unsigned int)__builtin_clzll(value)) / 4 : 1;

	for (unsigned int i = digits; i > 0; i--) {
		out[i - 1] = "0123456789abcdef"[value & 15];
		value >>= 4;
	}
	return out + digits;
}

/* Exactly @digits of them. */
static inline char *put_hex_fixed(char *out, uint64_t value, unsigned int digits)
{
	for (unsigned int i = digits; i > 0; i--) {
		out[i - 1] = "0123456789abcdef"[value & 15];
		value >>= 4;
	}
	return out + digits;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digits of a fixed number, for times and CPUs, and blanks. */
#pragma once

#include "decode/put.h"

/* Exactly six digits. */
static inline void put_6_digits(char *at, uint32_t n)
{
	memcpy(at, put_pairs + 2 * (n / 10000), 2);
	memcpy(at + 2, put_pairs + 2 * (n / 100 % 100), 2);
	memcpy(at + 4, put_pairs + 2 * (n % 100), 2);
}

/* Exactly three digits. */
static inline void put_3_digits(char *at, uint32_t n)
{
	at[0] = (char)('0' + n / 100);
	memcpy(at + 1, put_pairs + 2 * (n % 100), 2);
}

/* Up to 16 blanks too many are written, which is cheaper than a call. */
static inline char *put_blanks(char *at, size_t nr)
{
	memset(at, ' ', 16);
	for (size_t i = 16; i < nr; i += 16)
		memset(at + i, ' ', 16);
	return at + nr;
}

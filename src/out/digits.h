/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decimal digits two at a time, for lines that are made by the million. */
#pragma once

#include <stdint.h>
#include <string.h>

extern const char digit_pairs[200];

/* Exactly six digits. */
static inline void put_6_digits(char *at, uint32_t n)
{
	memcpy(at, digit_pairs + 2 * (n / 10000), 2);
	memcpy(at + 2, digit_pairs + 2 * (n / 100 % 100), 2);
	memcpy(at + 4, digit_pairs + 2 * (n % 100), 2);
}

/* Exactly three digits. */
static inline void put_3_digits(char *at, uint32_t n)
{
	at[0] = (char)('0' + n / 100);
	memcpy(at + 1, digit_pairs + 2 * (n % 100), 2);
}

/* As many as it takes; returns how many. */
static inline unsigned int put_digits(char *at, uint64_t n)
{
	char text[20];
	unsigned int from = sizeof(text);

	while (n >= 100) {
		from -= 2;
		memcpy(text + from, digit_pairs + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		from -= 2;
		memcpy(text + from, digit_pairs + 2 * n, 2);
	} else {
		text[--from] = (char)('0' + n);
	}
	memcpy(at, text + from, sizeof(text) - from);
	return (unsigned int)sizeof(text) - from;
}

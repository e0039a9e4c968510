/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %pt and %pE: dates and times, and bytes with escapes, as the kernel prints them. */
#include "decode/pointer.h"

#include <string.h>
#include <time.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"
#include "util/mem.h"

/* What struct rtc_time begins with, as ints. */
enum { TM_SEC, TM_MIN, TM_HOUR, TM_MDAY, TM_MON, TM_YEAR, TM_PARTS };

static uint64_t number_at(const struct pointer *p, const uint8_t *at, uint32_t size)
{
	return load_number(load_for(size, true, p->ev->swap != HOST_BIG_ENDIAN), at);
}

/* The kernel takes them as unsigned: one below 0 is a very large number. */
static char *put_part(char *at, int64_t part, unsigned int digits)
{
	uint64_t value = (uint64_t)part;

	for (uint64_t least = digits == 4 ? 1000 : 10; least > 1 && value < least; least /= 10)
		*at++ = '0';
	return put_dec(at, value);
}

/* "tR" and "tT" with: d or t for one half only, then r for years and months as they are, and s for a
 * blank between date and time. */
static void print_parts(const struct pointer *p, const int64_t part[])
{
	const char *letter = p->spec->letters + 2;
	bool date = *letter != 't';
	bool hours = *letter != 'd';
	bool raw = false;
	char separator = 'T';
	char *at = outbuf_reserve(p->out, TM_PARTS * (PUT_MOST + 1));

	if (*letter == 'd' || *letter == 't')
		letter++;
	for (; *letter == 'r' || *letter == 's'; letter++) {
		raw |= *letter == 'r';
		separator = *letter == 's' ? ' ' : separator;
	}
	if (date) {
		at = put_part(at, (int32_t)(part[TM_YEAR] + (raw ? 0 : 1900)), 4);
		*at++ = '-';
		at = put_part(at, (int32_t)(part[TM_MON] + !raw), 2);
		*at++ = '-';
		at = put_part(at, part[TM_MDAY], 2);
	}
	if (date && hours)
		*at++ = separator;
	if (hours) {
		at = put_part(at, part[TM_HOUR], 2);
		*at++ = ':';
		at = put_part(at, part[TM_MIN], 2);
		*at++ = ':';
		at = put_part(at, part[TM_SEC], 2);
	}
	pointer_add(p, at);
}

static void print_rtc_time(const struct pointer *p)
{
	int64_t part[TM_PARTS];
	struct memory memory;

	if (!pointer_take(p, TM_PARTS * 4, &memory))
		return;
	for (size_t i = 0; i < TM_PARTS; i++)
		part[i] = (int64_t)number_at(p, memory.at + i * 4, 4);
	print_parts(p, part);
}

static void print_time64(const struct pointer *p)
{
	struct memory memory;
	struct tm tm;
	time_t time;

	if (!pointer_take(p, 8, &memory))
		return;
	time = (time_t)number_at(p, memory.at, 8);
	/* Beyond what an int of years can hold. */
	if (!gmtime_r(&time, &tm)) {
		pointer_add(p, put_signed(outbuf_reserve(p->out, PUT_MOST), (int64_t)time));
		return;
	}
	print_parts(p, (const int64_t[TM_PARTS]){tm.tm_sec, tm.tm_min, tm.tm_hour, tm.tm_mday,
						 tm.tm_mon, tm.tm_year});
}

/* Seconds and nanoseconds, the latter a long of the recorded kernel. */
static void print_timespec(const struct pointer *p)
{
	uint32_t size = p->ev->long_size;
	struct memory memory;
	uint64_t ns;
	char *at;

	if (p->spec->letters[2] != 'p') {
		outbuf_add(p->out, "(%pt?)");
		return;
	}
	if (!pointer_take(p, 8 + size, &memory))
		return;
	ns = number_at(p, memory.at + 8, size);
	at = put_signed(outbuf_reserve(p->out, PUT_MOST * 2 + 16),
			(int64_t)number_at(p, memory.at, 8));
	*at++ = '.';
	for (uint64_t least = 100000000; least > 1 && ns < least; least /= 10)
		*at++ = '0';
	pointer_add(p, put_dec(at, ns));
}

void pointer_print_time(const struct pointer *p)
{
	switch (p->spec->letters[1]) {
	case 'R':
		print_rtc_time(p);
		return;
	case 'T':
		print_time64(p);
		return;
	case 'S':
		print_timespec(p);
		return;
	default:
		outbuf_add(p->out, "(%pt?)");
	}
}

enum {
	ESCAPE_SPACE = 1,
	ESCAPE_SPECIAL = 2,
	ESCAPE_NULL = 4,
	ESCAPE_OCTAL = 8,
	ESCAPE_HEX = 16,
	ESCAPE_NOT_PRINTABLE = 32, /* those that can be printed are */
	ESCAPE_ANY = ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NULL | ESCAPE_OCTAL,
};

static unsigned int escape_flags(const struct spec *spec)
{
	static const struct {
		char letter;
		uint8_t flags;
	} rows[] = {{'a', ESCAPE_ANY},	{'c', ESCAPE_SPECIAL}, {'h', ESCAPE_HEX},
		    {'n', ESCAPE_NULL}, {'o', ESCAPE_OCTAL},   {'p', ESCAPE_NOT_PRINTABLE},
		    {'s', ESCAPE_SPACE}};
	unsigned int flags = 0;

	for (const char *letter = spec->letters + 1; *letter; letter++) {
		size_t row = 0;

		while (row < array_size(rows) && rows[row].letter != *letter)
			row++;
		/* The kernel stops at the first it does not know. */
		if (row == array_size(rows))
			break;
		flags |= rows[row].flags;
	}
	return flags ? flags : ESCAPE_ANY | ESCAPE_NOT_PRINTABLE;
}

/* The letter behind the backslash, 0 when @c has none. */
static char escape_letter(uint8_t c, unsigned int flags)
{
	static const struct {
		char c;
		char letter;
		uint8_t flags;
	} rows[] = {{'\n', 'n', ESCAPE_SPACE},	 {'\r', 'r', ESCAPE_SPACE},
		    {'\t', 't', ESCAPE_SPACE},	 {'\v', 'v', ESCAPE_SPACE},
		    {'\f', 'f', ESCAPE_SPACE},	 {'\\', '\\', ESCAPE_SPECIAL},
		    {'\a', 'a', ESCAPE_SPECIAL}, {'\033', 'e', ESCAPE_SPECIAL},
		    {'"', '"', ESCAPE_SPECIAL},	 {'\0', '0', ESCAPE_NULL}};

	for (size_t i = 0; i < array_size(rows); i++)
		if ((uint8_t)rows[i].c == c && flags & rows[i].flags)
			return rows[i].letter;
	return '\0';
}

/* The kernel's characters are Latin-1. */
static bool is_printable(uint8_t c)
{
	return (c >= ' ' && c < 0x7f) || c >= 0xa0;
}

static char *put_escaped(char *at, uint8_t c, unsigned int flags)
{
	char letter = escape_letter(c, flags);

	if ((flags & ESCAPE_NOT_PRINTABLE && is_printable(c)) ||
	    (!letter && !(flags & (ESCAPE_OCTAL | ESCAPE_HEX)))) {
		*at++ = (char)c;
		return at;
	}
	*at++ = '\\';
	if (letter) {
		*at++ = letter;
		return at;
	}
	if (flags & ESCAPE_OCTAL) {
		*at++ = (char)('0' + (c >> 6));
		*at++ = (char)('0' + (c >> 3 & 7));
		*at++ = (char)('0' + (c & 7));
		return at;
	}
	*at++ = 'x';
	return put_hex_fixed(at, c, 2);
}

/* As many bytes as the width says, one when it does not. */
void pointer_print_escaped(const struct pointer *p)
{
	uint32_t count = p->spec->has_width ? (uint32_t)p->spec->width : 1;
	unsigned int flags = escape_flags(p->spec);
	struct memory memory;
	char *at;

	if (!pointer_take(p, count, &memory))
		return;
	at = outbuf_reserve(p->out, (size_t)count * 4 + 1);
	for (uint32_t i = 0; i < count; i++)
		at = put_escaped(at, memory.at[i], flags);
	pointer_add(p, at);
}

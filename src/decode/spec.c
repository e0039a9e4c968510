/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One conversion of a print format, with the meaning the kernel's vsnprintf() gives it. */
#include "decode/spec.h"

#include <ctype.h>
#include <string.h>

#include "decode/load.h"
#include "decode/put.h"
#include "util/mem.h"

struct reader {
	const char *at;
	const char *end;
};

static char peek(const struct reader *rd)
{
	return rd->at < rd->end ? *rd->at : '\0';
}

static void read_flags(struct reader *rd, struct spec *spec)
{
	for (;; rd->at++) {
		switch (peek(rd)) {
		case '-':
			spec->left = true;
			break;
		case '+':
			spec->plus = true;
			break;
		case ' ':
			spec->space = true;
			break;
		case '#':
			spec->alternate = true;
			break;
		case '0':
			spec->zero = true;
			break;
		default:
			return;
		}
	}
}

static int64_t read_digits(struct reader *rd)
{
	int64_t value = 0;

	for (; isdigit((unsigned char)peek(rd)); rd->at++)
		if (value < INT32_MAX / 10)
			value = value * 10 + (*rd->at - '0');
	return value;
}

void spec_set_width(struct spec *spec, int64_t width)
{
	if (width < 0) {
		spec->left = true;
		width = -width;
	}
	spec->has_width = true;
	/* Of a bitmap it is the number of bits, which the record limits. */
	if (spec->conv == 'p' && spec->letters[0] == 'b')
		spec->width = width > INT32_MAX ? INT32_MAX : (int)width;
	else
		spec->width = width > WIDTH_MOST ? WIDTH_MOST : (int)width;
}

void spec_set_precision(struct spec *spec, int64_t precision)
{
	spec->has_precision = true;
	/* In C it would be as if there were none; the kernel takes it as 0. */
	if (precision < 0)
		precision = 0;
	/* Of a text it only limits, which needs no room. */
	if (spec->conv != 's' && precision > WIDTH_MOST)
		precision = WIDTH_MOST;
	spec->precision = precision > INT32_MAX ? INT32_MAX : (int)precision;
}

/* The length modifier: the size of the number that follows. */
static uint8_t read_length(struct reader *rd, unsigned int long_size)
{
	static const struct {
		char text[4];
		uint8_t size; /* 0: a long */
	} lengths[] = {{"hh", 1}, {"h", 2}, {"ll", 8}, {"l", 0}, {"L", 8},
		       {"z", 0},  {"Z", 0}, {"t", 0},  {"q", 8}, {"j", 8}};

	for (size_t i = 0; i < array_size(lengths); i++) {
		size_t len = strlen(lengths[i].text);

		if ((size_t)(rd->end - rd->at) < len || memcmp(rd->at, lengths[i].text, len))
			continue;
		rd->at += len;
		return lengths[i].size ? lengths[i].size : (uint8_t)long_size;
	}
	return 4;
}

/* The kernel takes all letters and digits behind %p as one extension. */
static void read_pointer(struct reader *rd, struct spec *spec)
{
	size_t nr = 0;

	for (; isalnum((unsigned char)peek(rd)); rd->at++)
		if (nr + 1 < sizeof(spec->letters))
			spec->letters[nr++] = *rd->at;
}

size_t spec_parse(const char *text, size_t len, unsigned int long_size, struct spec *out)
{
	struct reader rd = {text, text + len};
	int64_t precision = -1;
	int64_t width = -1;

	*out = (struct spec){0};
	read_flags(&rd, out);
	if (peek(&rd) == '*') {
		out->star_width = true;
		rd.at++;
	} else if (isdigit((unsigned char)peek(&rd))) {
		width = read_digits(&rd);
	}
	if (peek(&rd) == '.') {
		rd.at++;
		if (peek(&rd) == '*') {
			out->star_precision = true;
			rd.at++;
		} else if (isdigit((unsigned char)peek(&rd))) {
			/* Without digits C has it as 0, the kernel as if there were no dot. */
			precision = read_digits(&rd);
		}
	}
	out->size = read_length(&rd, long_size);
	out->conv = peek(&rd) == 'i' ? 'd' : peek(&rd);
	if (!out->conv || !strchr("duxXocsp%", out->conv)) {
		out->conv = '\0';
		return 0;
	}
	rd.at++;
	if (out->conv == 'p')
		read_pointer(&rd, out);
	if (width >= 0)
		spec_set_width(out, width);
	if (precision >= 0)
		spec_set_precision(out, precision);
	return (size_t)(rd.at - text);
}

static char *put_digits(char *out, char conv, uint64_t value)
{
	char *start = out;

	switch (conv) {
	case 'x':
		return put_hex(out, value);
	case 'X':
		for (out = put_hex(out, value); start < out; start++)
			*start = (char)toupper((unsigned char)*start);
		return out;
	case 'o': {
		char digits[PUT_MOST];
		char *at = digits + sizeof(digits);

		do
			*--at = (char)('0' + (value & 7));
		while (value >>= 3);
		memcpy(out, at, (size_t)(digits + sizeof(digits) - at));
		return out + (digits + sizeof(digits) - at);
	}
	default:
		return put_dec(out, value);
	}
}

static size_t put_sign(char *out, const struct spec *spec, uint64_t *value)
{
	char *start = out;

	if (spec->conv == 'd') {
		*value = fit_number(*value, spec->size, true);
		if ((int64_t)*value < 0) {
			*value = 0 - *value;
			*out++ = '-';
		} else if (spec->plus || spec->space) {
			*out++ = spec->plus ? '+' : ' ';
		}
		return (size_t)(out - start);
	}
	*value = fit_number(*value, spec->size, false);
	if (!spec->alternate || spec->conv == 'u')
		return 0;
	/* Unlike C's, the kernel's %#x puts 0x before a zero too. */
	if (spec->conv != 'o' || *value)
		*out++ = '0';
	if (spec->conv != 'o')
		*out++ = spec->conv;
	return (size_t)(out - start);
}

static char *fill(char *out, char c, int count)
{
	if (count <= 0)
		return out;
	memset(out, c, (size_t)count);
	return out + count;
}

char *spec_put_number(char *out, const struct spec *spec, uint64_t value)
{
	char prefix[4];
	char digits[PUT_MOST];
	size_t prefix_len = put_sign(prefix, spec, &value);
	int nr_digits = (int)(put_digits(digits, spec->conv, value) - digits);
	int zeros = spec->has_precision ? spec->precision - nr_digits : 0;
	int blanks;

	if (zeros < 0)
		zeros = 0;
	blanks = spec->width - (int)prefix_len - zeros - nr_digits;
	if (spec->zero && !spec->left && blanks > 0) {
		zeros += blanks;
		blanks = 0;
	}
	if (!spec->left)
		out = fill(out, ' ', blanks);
	memcpy(out, prefix, prefix_len);
	out = fill(out + prefix_len, '0', zeros);
	memcpy(out, digits, (size_t)nr_digits);
	out += nr_digits;
	return spec->left ? fill(out, ' ', blanks) : out;
}

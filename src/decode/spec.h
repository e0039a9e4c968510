/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One conversion of a print format, with the meaning the kernel's vsnprintf() gives it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A width or precision beyond these is taken as this much: no record may make a line endless. */
#define WIDTH_MOST 1024
/* Room that spec_put_number() may need. */
#define NUMBER_MOST (WIDTH_MOST * 2 + 32)

#define POINTER_LETTERS 8

struct spec {
	char conv;    /* d u x X o c s p %, or 0 for what the kernel does not know */
	uint8_t size; /* of the number it takes in bytes */
	bool left;
	bool plus;
	bool space;
	bool alternate;
	bool zero;
	bool star_width; /* comes from an argument */
	bool star_precision;
	bool has_width;
	bool has_precision;
	int width;
	int precision;
	char letters[POINTER_LETTERS]; /* behind %p */
};

/* Reads what follows a '%'; returns how many characters that is. */
size_t spec_parse(const char *text, size_t len, unsigned int long_size, struct spec *out);
/* Writes @value as ->conv wants it, with ->width and ->precision; returns where it stopped. */
char *spec_put_number(char *out, const struct spec *spec, uint64_t value);
/* Applies width and precision of an argument, capped. */
void spec_set_width(struct spec *spec, int64_t width);
void spec_set_precision(struct spec *spec, int64_t precision);

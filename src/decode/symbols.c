/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols, from a recording's copy of /proc/kallsyms. */
#include "decode/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

/* Shorter than any line of kallsyms: an address, a type and one letter. */
#define LINE_LEAST 8

#define ONES 0x0101010101010101ull

static const uint8_t *hex_values(void)
{
	/* 1 + the value of a digit, 0 for what is none. */
	static const uint8_t values[256] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	return values;
}

/* 16 hex digits at once, as every line of a 64-bit kernel starts; false when they are others. */
static bool parse_digits(const char *at, uint64_t *addr)
{
	uint64_t value = 0;

	for (unsigned int half = 0; half < 2; half++) {
		uint64_t text;
		uint64_t letters;

		memcpy(&text, at + half * 8, sizeof(text));
		if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			text = __builtin_bswap64(text);
		letters = text >> 6 & ONES;
		/* Digits are 0x30-0x39, small letters 0x61-0x66; anything else takes the long way. */
		text = (text - ONES * 0x30) - letters * 0x27;
		if (text & (ONES * 0xf0))
			return false;
		text = (text | text >> 4) & 0x00ff00ff00ff00ffull;
		text = (text | text >> 8) & 0x0000ffff0000ffffull;
		text = (text | text >> 16) & 0xffffffffull;
		value = value << 32 | text;
	}
	*addr = value;
	return true;
}

/* One line, from @at to the newline at @eol: false when it is none or its symbol is not wanted. */
static bool parse_line(char *base, char *at, char *eol, struct symbol *out)
{
	const uint8_t *values = hex_values();
	uint64_t addr = 0;
	char type;

	if (eol - at > 16 && at[16] == ' ' && parse_digits(at, &addr))
		at += 16;
	while (at < eol && values[(uint8_t)*at])
		addr = addr << 4 | (uint64_t)(values[(uint8_t)*at++] - 1);
	if (eol - at < 4 || *at != ' ' || at[2] != ' ')
		return false;
	type = at[1];
	at += 3;
	/* Absolute ones are offsets in per-CPU areas, '$' marks code and data on arm. */
	if (*at == '$' || *at == '\t' || type == 'A' || type == 'a')
		return false;
	/* The name of a module follows. */
	if (eol[-1] == ']') {
		char *tab = memchr(at, '\t', (size_t)(eol - at));

		if (tab)
			*tab = '\0';
	}
	out->addr = addr;
	out->name = (uint32_t)(at - base);
	out->is_text = type == 't' || type == 'T' || type == 'w' || type == 'W' || type == 'i';
	return true;
}

/* Stable, by one byte of the address. Returns false when all have the same there. */
static bool sort_by_byte(const struct symbol *from, struct symbol *to, size_t nr,
			 unsigned int shift)
{
	size_t place[256] = {0};
	size_t at = 0;

	for (size_t i = 0; i < nr; i++)
		place[from[i].addr >> shift & 0xff]++;
	if (place[from[0].addr >> shift & 0xff] == nr)
		return false;
	for (size_t i = 0; i < 256; i++) {
		size_t count = place[i];

		place[i] = at;
		at += count;
	}
	for (size_t i = 0; i < nr; i++)
		to[place[from[i].addr >> shift & 0xff]++] = from[i];
	return true;
}

/* Sorts @symbol, stable; the result is in @symbol again. */
static void sort_all(struct symbol *symbol, size_t nr)
{
	struct symbol *other = xmalloc((nr + 1) * sizeof(*other));
	struct symbol *from = symbol;
	struct symbol *to = other;

	for (unsigned int shift = 0; shift < 64 && nr; shift += 8) {
		struct symbol *was = from;

		if (!sort_by_byte(from, to, nr, shift))
			continue;
		from = to;
		to = was;
	}
	if (from != symbol)
		memcpy(symbol, from, nr * sizeof(*symbol));
	free(other);
}

/* Merges the sorted @symbol[0..first) and [first..nr), stable. */
static void merge(struct symbol *symbol, size_t first, size_t nr)
{
	struct symbol *tail = xmalloc((nr - first) * sizeof(*tail));
	size_t left = nr - first;
	size_t put = nr;

	memcpy(tail, symbol + first, left * sizeof(*tail));
	while (left) {
		if (first && symbol[first - 1].addr > tail[left - 1].addr)
			symbol[--put] = symbol[--first];
		else
			symbol[--put] = tail[--left];
	}
	free(tail);
}

static void reverse(struct symbol *symbol, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		struct symbol one = symbol[i];

		symbol[i] = symbol[nr - 1 - i];
		symbol[nr - 1 - i] = one;
	}
}

/* trace-cmd keeps them from the last to the first before it sorts, which shows where several have one address. */
static void turn_equals(struct symbol *symbol, size_t nr)
{
	size_t first = 0;

	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && symbol[i].addr == symbol[first].addr)
			continue;
		if (i - first > 1)
			reverse(symbol + first, i - first);
		first = i;
	}
}

/* The symbols of the kernel itself come in order, those of its modules behind them do not. */
static void sort(struct symbols *symbols)
{
	struct symbol *symbol = symbols->symbol;
	size_t sorted = 1;

	while (sorted < symbols->nr && symbol[sorted - 1].addr <= symbol[sorted].addr)
		sorted++;
	if (sorted < symbols->nr) {
		sort_all(symbol + sorted, symbols->nr - sorted);
		merge(symbol, sorted, symbols->nr);
	}
	turn_equals(symbol, symbols->nr);
}

/* Ordinary users read a kallsyms in which every address is 0. */
static bool all_zero(const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->nr; i++)
		if (symbols->symbol[i].addr)
			return false;
	return true;
}

void symbols_parse(struct symbols *symbols, char *text, size_t len)
{
	char *end;

	*symbols = (struct symbols){0};
	if (len >= UINT32_MAX)
		len = UINT32_MAX - 1;
	if (!len)
		return;
	if (text[len - 1] != '\n') {
		symbols->own = xmalloc(len + 1);
		memcpy(symbols->own, text, len);
		symbols->own[len++] = '\n';
		text = symbols->own;
	}
	symbols->text = text;
	symbols->symbol = xmalloc((len / LINE_LEAST + 1) * sizeof(*symbols->symbol));
	end = text + len;
	for (char *at = text; at < end;) {
		char *eol = memchr(at, '\n', (size_t)(end - at));

		symbols->nr += parse_line(text, at, eol, &symbols->symbol[symbols->nr]);
		*eol = '\0';
		at = eol + 1;
	}
	if (all_zero(symbols))
		symbols->nr = 0;
	sort(symbols);
}

void symbols_fini(struct symbols *symbols)
{
	free(symbols->own);
	free(symbols->symbol);
	*symbols = (struct symbols){0};
}

/* Where several symbols share the address and @hit is a data label, a function among them. */
static const struct symbol *prefer_text(const struct symbols *symbols, const struct symbol *hit)
{
	const struct symbol *end = symbols->symbol + symbols->nr;
	const struct symbol *at = hit;

	if (hit->is_text)
		return hit;
	while (at > symbols->symbol && at[-1].addr == hit->addr)
		at--;
	for (; at < end && at->addr == hit->addr; at++)
		if (at->is_text)
			return at;
	return hit;
}

/* A binary search that probes as the C library's bsearch() does: of symbols with one address it must
 * hit the one that trace-cmd prints. The last symbol has no end and holds only its own address. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr)
{
	size_t low = 0;
	size_t high = symbols->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct symbol *at = &symbols->symbol[middle];
		bool last = middle + 1 == symbols->nr;

		if (addr == at->addr || (addr > at->addr && !last && addr < at[1].addr))
			return prefer_text(symbols, at);
		if (addr < at->addr)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *addr)
{
	for (size_t i = 0; i < symbols->nr; i++) {
		if (strcmp(symbols->text + symbols->symbol[i].name, name))
			continue;
		*addr = symbols->symbol[i].addr;
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what an expression stands for when a format says "%s". */
#include <string.h>

#include "decode/bitmap.h"
#include "decode/eval.h"
#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"

static void add_prefixed_hex(struct outbuf *out, uint64_t value)
{
	char *at = outbuf_reserve(out, PUT_MOST + 2);

	at[0] = '0';
	at[1] = 'x';
	out->len = (size_t)(put_hex(at + 2, value) - out->buf);
}

/* The kernel's own loop: 0 prints nothing at all, an entry of several bits takes them all, and what
 * is left is a number. */
static void add_flags(const struct names *names, uint64_t left, struct outbuf *out)
{
	bool first = true;

	for (size_t i = 0; i < names->nr && left; i++) {
		const struct name_entry *entry = &names->entry[i];

		if (!entry->known || (left & entry->value) != entry->value)
			continue;
		if (!first)
			outbuf_add(out, names->delimiter);
		first = false;
		outbuf_add_mem(out, entry->text, entry->len);
		left &= ~entry->value;
	}
	if (!left)
		return;
	if (!first)
		outbuf_add(out, names->delimiter);
	add_prefixed_hex(out, left);
}

static void add_symbolic(const struct names *names, uint64_t value, struct outbuf *out)
{
	for (size_t i = 0; i < names->nr; i++) {
		const struct name_entry *entry = &names->entry[i];

		if (!entry->known || entry->value != value)
			continue;
		outbuf_add_mem(out, entry->text, entry->len);
		/* The kernel looks whether anything was printed, not whether it matched. */
		if (entry->len)
			return;
		break;
	}
	add_prefixed_hex(out, value);
}

/* Short tables are searched faster than a cache. */
#define SEARCH_MOST 6

/* The same few values come again and again, and tables of GFP flags have 60 rows. */
static void add_names(struct eval *ev, const struct node *node, struct outbuf *out)
{
	const struct names *names = node->names;
	uint64_t value = eval_number(ev, node->a) & names->mask;
	size_t place = ((value ^ (uintptr_t)names >> 4) * 0x9e3779b97f4a7c15ull) >> 56;
	struct cached_names *cached = &ev->thread->names[place & (NAMES_CACHE - 1)];
	bool search = names->nr <= SEARCH_MOST;
	size_t start = out->len;

	if (!search && cached->names == names && cached->value == value) {
		outbuf_add_mem(out, cached->text, cached->len);
		return;
	}
	if (node->op == NODE_FLAGS)
		add_flags(names, value, out);
	else
		add_symbolic(names, value, out);
	if (search || out->len - start > sizeof(cached->text))
		return;
	cached->names = names;
	cached->value = value;
	cached->len = (uint32_t)(out->len - start);
	memcpy(cached->text, out->buf + start, cached->len);
}

/* The first @want bytes of memory @a; sets the problem when it has fewer. */
static struct memory take_bytes(struct eval *ev, const struct node *a, uint64_t want)
{
	struct memory memory = eval_memory(ev, a);

	if ((int64_t)want < 0)
		want = 0;
	if (want > memory.len) {
		ev->problem = PROBLEM_PAST_END;
		want = memory.len;
	}
	memory.len = (uint32_t)want;
	return memory;
}

static void add_hex_bytes(struct eval *ev, const struct node *node, struct outbuf *out)
{
	struct memory memory = take_bytes(ev, node->a, eval_number(ev, node->b));
	bool blanks = node->op != NODE_HEX_STR;
	char *at = outbuf_reserve(out, (size_t)memory.len * 3 + 1);

	for (uint32_t i = 0; i < memory.len; i++) {
		if (i && blanks)
			*at++ = ' ';
		at = put_hex_fixed(at, memory.at[i], 2);
	}
	out->len = (size_t)(at - out->buf);
}

/* One row's bytes in groups, and as characters; a group that would be cut makes all of the row
 * single bytes. */
static void add_dump_row(struct eval *ev, const struct hex_dump *dump, const uint8_t *bytes,
			 uint32_t len, struct outbuf *out)
{
	uint32_t group = len % dump->group ? 1 : dump->group;
	uint8_t load = load_for(group, false, ev->swap != HOST_BIG_ENDIAN);
	uint32_t column = dump->row * 2u + dump->row / group + 1;
	char *start = outbuf_reserve(out, 32 * 3 + 32 + 2);
	char *at = start;

	for (uint32_t i = 0; i < len; i += group) {
		if (i)
			*at++ = ' ';
		at = put_hex_fixed(at, load_number(load, bytes + i), group * 2);
	}
	if (dump->ascii) {
		while (at < start + column)
			*at++ = ' ';
		for (uint32_t i = 0; i < len; i++)
			*at++ = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.';
	}
	out->len = (size_t)(at - out->buf);
}

/* The kernel has a line for each row and starts with an empty one. It can print the address of each
 * row, which no recording has; its place is the nearest thing. */
static void add_hex_dump(struct eval *ev, const struct node *node, struct outbuf *out)
{
	struct memory memory = take_bytes(ev, node->a, eval_number(ev, node->b));
	const struct hex_dump *dump = node->dump;

	outbuf_add_char(out, '\n');
	for (uint32_t i = 0; i < memory.len; i += dump->row) {
		uint32_t left = memory.len - i;

		outbuf_add(out, dump->prefix);
		if (dump->places) {
			char *at = put_hex_fixed(outbuf_reserve(out, PUT_MOST), i, 8);

			out->len = (size_t)(at - out->buf);
			outbuf_add(out, ": ");
		}
		add_dump_row(ev, dump, memory.at + i, left < dump->row ? left : dump->row, out);
		outbuf_add_char(out, '\n');
	}
}

static void add_numbers(struct eval *ev, const struct node *node, struct outbuf *out)
{
	uint64_t count = eval_number(ev, node->b);
	uint64_t size = eval_number(ev, node->c);
	bool odd = size != 1 && size != 2 && size != 4 && size != 8;
	uint8_t load = load_for(odd ? 1 : (uint32_t)size, false, ev->swap != HOST_BIG_ENDIAN);
	struct memory memory;

	if ((int64_t)count < 0 || count > UINT32_MAX)
		count = (int64_t)count < 0 ? 0 : UINT32_MAX;
	memory = take_bytes(ev, node->a, size > UINT32_MAX ? 0 : count * size);
	outbuf_add_char(out, '{');
	/* The kernel's own words; it goes on with single bytes. */
	if (odd && memory.len) {
		outbuf_add(out, "BAD SIZE:");
		out->len = (size_t)(put_dec(outbuf_reserve(out, PUT_MOST), size) - out->buf);
		outbuf_add_char(out, ' ');
	}
	if (odd)
		size = 1;
	for (uint32_t at = 0; at + size <= memory.len; at += (uint32_t)size) {
		if (at)
			outbuf_add_char(out, ',');
		add_prefixed_hex(out, load_number(load, memory.at + at));
	}
	outbuf_add_char(out, '}');
}

/* The @i-th 32 bits of a bitmap, which is an array of the recorded kernel's longs. */
static uint32_t bitmap_word(const struct eval *ev, struct memory memory, uint32_t i)
{
	bool big = ev->swap != HOST_BIG_ENDIAN;
	uint32_t at = i * 4;
	uint8_t bytes[4] = {0};

	if (big && ev->long_size == 8)
		at ^= 4;
	if (at >= memory.len)
		return 0;
	/* Bytes that are no whole word: only a mask that is no array of longs has them. */
	memcpy(bytes, memory.at + at, memory.len - at < 4 ? memory.len - at : 4);
	return load_u32(bytes, ev->swap);
}

void bitmap_print_words(const struct eval *ev, struct memory memory, uint32_t bits,
			struct outbuf *out)
{
	uint32_t words = (bits + 31) / 32;

	for (uint32_t i = words; i > 0; i--) {
		uint32_t digits = i == words && bits % 32 ? (bits % 32 + 3) / 4 : 8;
		uint32_t word = bitmap_word(ev, memory, i - 1);
		char *at = outbuf_reserve(out, PUT_MOST);

		if (i == words && bits % 32)
			word &= (1u << bits % 32) - 1;
		if (i != words)
			*at++ = ',';
		out->len = (size_t)(put_hex_fixed(at, word, digits) - out->buf);
	}
}

static bool has_bit(const struct eval *ev, struct memory memory, uint32_t bit)
{
	return bitmap_word(ev, memory, bit / 32) >> bit % 32 & 1;
}

void bitmap_print_list(const struct eval *ev, struct memory memory, uint32_t bits,
		       struct outbuf *out)
{
	bool first = true;

	for (uint32_t bit = 0; bit < bits; bit++) {
		uint32_t last = bit;
		char *at;

		if (!has_bit(ev, memory, bit))
			continue;
		while (last + 1 < bits && has_bit(ev, memory, last + 1))
			last++;
		at = outbuf_reserve(out, PUT_MOST * 2);
		if (!first)
			*at++ = ',';
		first = false;
		at = put_dec(at, bit);
		if (last > bit) {
			*at++ = '-';
			at = put_dec(at, last);
		}
		out->len = (size_t)(at - out->buf);
		bit = last;
	}
}

static void add_stack(struct eval *ev, const struct node *node, struct outbuf *out)
{
	struct memory memory = eval_memory(ev, node->a);
	uint8_t load = load_for(ev->long_size, false, ev->swap != HOST_BIG_ENDIAN);
	uint64_t last = ev->long_size == 8 ? UINT64_MAX : UINT32_MAX;

	for (uint32_t at = 0; at + ev->long_size <= memory.len; at += ev->long_size) {
		uint64_t addr = load_number(load, memory.at + at);
		const struct cached_symbol *symbol;

		if (!addr || addr == last)
			return;
		if (at)
			outbuf_add_char(out, ' ');
		symbol = thread_symbol(ev->thread, addr);
		if (!symbol->name) {
			add_prefixed_hex(out, addr);
			continue;
		}
		outbuf_add_mem(out, symbol->name, symbol->name_len);
		outbuf_add_char(out, '+');
		add_prefixed_hex(out, symbol->offset);
	}
}

static void add_device(struct eval *ev, const struct node *node, struct outbuf *out)
{
	uint64_t dev = eval_number(ev, node->a);
	char *at = put_dec(outbuf_reserve(out, PUT_MOST * 2), dev >> 20);

	*at++ = ':';
	out->len = (size_t)(put_dec(at, dev & 0xfffff) - out->buf);
}

/* A pointer where a text was meant: the recording may know the text behind it. */
static void add_pointed(struct eval *ev, uint64_t addr, struct outbuf *out)
{
	const char *text = decode_printk(ev->thread->dec, addr);

	if (text)
		outbuf_add(out, text);
	else if (!addr)
		outbuf_add(out, "(null)");
	else
		out->len = (size_t)(put_hex(outbuf_reserve(out, PUT_MOST), addr) - out->buf);
}

static void add_until_nul(struct memory memory, struct outbuf *out)
{
	outbuf_add_mem(out, memory.at, strnlen((const char *)memory.at, memory.len));
}

static void add_mask(struct eval *ev, const struct node *node, struct outbuf *out)
{
	struct memory memory = eval_memory(ev, node->a);

	if (node->op == NODE_BITMASK)
		bitmap_print_words(ev, memory, memory.len * 8, out);
	else
		bitmap_print_list(ev, memory, memory.len * 8, out);
}

static void add_text_node(struct eval *ev, const struct node *node, struct outbuf *out)
{
	switch (node->op) {
	case NODE_TEXT:
		outbuf_add_mem(out, node->text, node->len);
		return;
	case NODE_FLAGS:
	case NODE_SYMBOLIC:
		add_names(ev, node, out);
		return;
	case NODE_HEX:
	case NODE_HEX_STR:
		add_hex_bytes(ev, node, out);
		return;
	case NODE_HEX_DUMP:
		add_hex_dump(ev, node, out);
		return;
	case NODE_NUMBERS:
		add_numbers(ev, node, out);
		return;
	case NODE_BITMASK:
	case NODE_CPUMASK:
		add_mask(ev, node, out);
		return;
	case NODE_STACK:
		add_stack(ev, node, out);
		return;
	case NODE_DEV_NAME:
		add_device(ev, node, out);
		return;
	case NODE_UNKNOWN:
		ev->problem = PROBLEM_UNKNOWN;
		return;
	default:
		return;
	}
}

void eval_text(struct eval *ev, const struct node *node, struct outbuf *out)
{
	/* Of a choice only the chosen side is evaluated. */
	while (node->op == NODE_CHOOSE || (node->op == NODE_ELVIS && node->kind != VALUE_INT)) {
		if (node->kind == VALUE_INT)
			break;
		if (node->op == NODE_CHOOSE)
			node = eval_truth(ev, node->a) ? node->b : node->c;
		else
			node = eval_truth(ev, node->a) ? node->a : node->b;
	}
	if (node->kind == VALUE_INT)
		add_pointed(ev, eval_number(ev, node), out);
	else if (node->kind == VALUE_MEM)
		add_until_nul(eval_memory(ev, node), out);
	else
		add_text_node(ev, node, out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_printk()'s binary records: a pointer to the format, and its arguments packed behind it. */
#include <ctype.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/native.h"
#include "decode/put.h"
#include "decode/token.h"
#include "util/mem.h"

enum { BPRINT_IP, BPRINT_FORMAT, BPRINT_BUF };

/* The packed arguments. */
struct packed {
	struct eval *ev;
	const uint8_t *start;
	uint32_t at;
	uint32_t len;
	bool cut; /* one lies past the end */
};

/* The kernel aligns each number to its size, but to no more than 4 bytes. */
static uint64_t take_number(struct packed *packed, uint8_t size)
{
	uint32_t align = size < 4 ? size : 4;
	uint8_t load = load_for(size, false, packed->ev->swap != HOST_BIG_ENDIAN);
	uint32_t at = (packed->at + align - 1) & ~(align - 1);

	if (at > packed->len || size > packed->len - at) {
		packed->cut = true;
		return 0;
	}
	packed->at = at + size;
	return load_number(load, packed->start + at);
}

static struct memory take_text(struct packed *packed)
{
	struct memory memory = {packed->start + packed->at, 0};
	uint32_t left = packed->len - packed->at;

	memory.len = (uint32_t)strnlen((const char *)memory.at, left);
	packed->cut |= memory.len == left;
	packed->at += memory.len < left ? memory.len + 1 : left;
	return memory;
}

/* Most extensions were printed when they were recorded, widths and all, since what they point to does
 * not stay; kernels before 4.15 packed every pointer as a number, which the first byte tells. */
static bool is_packed_number(const struct packed *packed, const struct spec *spec)
{
	char letter = spec->letters[0];
	uint8_t first = packed->at < packed->len ? packed->start[packed->at] : 0;

	if (!letter || strchr("SsxKe", letter))
		return true;
	/* %pF was a function, %pfw is a node of the firmware. */
	if ((letter == 'F' || letter == 'f') && spec->letters[1] != 'w')
		return true;
	return first && !isprint(first);
}

static void add_symbol(struct eval *ev, uint64_t addr, const struct spec *spec, struct outbuf *out)
{
	bool with_offset = strchr("SFB", spec->letters[0]) != NULL;
	size_t start = out->len;

	native_add_symbol(ev, addr, out);
	if (with_offset && thread_symbol(ev->thread, addr)->name) {
		outbuf_add(out, "+0x");
		native_add(out, put_hex(outbuf_reserve(out, PUT_MOST),
					thread_symbol(ev->thread, addr)->offset));
	}
	text_pad(out, start, spec);
}

static void add_pointer(struct packed *packed, const struct spec *spec, struct outbuf *out)
{
	struct node node = {.op = NODE_NUMBER, .kind = VALUE_INT};
	struct op op = {.expr = &node};
	char letter = spec->letters[0];

	if (!is_packed_number(packed, spec)) {
		struct memory text = take_text(packed);

		outbuf_add_mem(out, text.at, text.len);
		return;
	}
	node.number = take_number(packed, packed->ev->long_size);
	if (letter && strchr("sSfFB", letter))
		add_symbol(packed->ev, node.number, spec, out);
	else
		pointer_print(packed->ev, &op, spec, out);
}

static void add_conversion(struct packed *packed, struct spec *spec, struct outbuf *out)
{
	size_t start = out->len;
	struct memory text;

	if (spec->star_width)
		spec_set_width(spec, (int32_t)take_number(packed, 4));
	if (spec->star_precision)
		spec_set_precision(spec, (int32_t)take_number(packed, 4));
	switch (spec->conv) {
	case '%':
		outbuf_add_char(out, '%');
		return;
	case 's':
		text = take_text(packed);
		outbuf_add_mem(out, text.at, text.len);
		text_pad(out, start, spec);
		return;
	case 'p':
		add_pointer(packed, spec, out);
		return;
	case 'c':
		spec->has_precision = false;
		outbuf_add_char(out, (char)take_number(packed, 1));
		text_pad(out, start, spec);
		return;
	default:
		native_add(out, spec_put_number(outbuf_reserve(out, NUMBER_MOST), spec,
						take_number(packed, spec->size)));
	}
}

static void add_formatted(struct packed *packed, const char *at, const char *end,
			  struct outbuf *out)
{
	while (at < end) {
		struct spec spec;
		size_t start = out->len;

		if (*at != '%') {
			outbuf_add_char(out, *at++);
			continue;
		}
		at++;
		if (at < end && *at == '%') {
			outbuf_add_char(out, *at++);
			continue;
		}
		at += spec_parse(at, (size_t)(end - at), packed->ev->long_size, &spec);
		if (!spec.conv) {
			outbuf_add_char(out, '%');
			continue;
		}
		packed->cut = false;
		add_conversion(packed, &spec, out);
		if (!packed->cut)
			continue;
		out->len = start;
		outbuf_add(out, "<error: past end of record>");
	}
}

void bprint_print(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		  struct outbuf *out)
{
	uint64_t addr = native_number(ev, plan, BPRINT_FORMAT);
	const char *format = decode_printk(ev->thread->dec, addr);
	uint32_t start = plan->field[BPRINT_BUF]->offset;
	struct packed packed = {.ev = ev, .start = ev->data + start, .len = ev->size - start};
	cleanup_free char *unescaped = NULL;
	size_t len;

	(void)raw;
	native_add_symbol(ev, native_number(ev, plan, BPRINT_IP), out);
	outbuf_add(out, ": ");
	if (!format) {
		outbuf_add(out, "(NO FORMAT FOUND at ");
		native_add(out, put_hex(outbuf_reserve(out, PUT_MOST), addr));
		outbuf_add_char(out, ')');
		return;
	}
	len = strlen(format);
	unescaped = xmalloc(len + 1);
	len = token_unescape(format, len, unescaped);
	add_formatted(&packed, unescaped, unescaped + len, out);
}

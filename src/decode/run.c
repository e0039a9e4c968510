/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a plan over one record. */
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"

static const char past_end[] = "<error>";
static const char location_past_end[] = "<error: past end of record>";

static inline uint64_t op_number(struct eval *ev, const struct op *op)
{
	if (op->load != LOAD_NONE)
		return load_number(op->load, ev->data + op->offset);
	return eval_number(ev, op->expr);
}

/* The conversion with its '*' filled in. */
static struct spec op_spec(struct eval *ev, const struct op *op)
{
	struct spec spec = op->spec;

	if (op->width)
		spec_set_width(&spec, (int32_t)eval_number(ev, op->width));
	if (op->precision) {
		int32_t precision = (int32_t)eval_number(ev, op->precision);

		spec_set_precision(&spec, precision);
	}
	return spec;
}

void text_pad(struct outbuf *out, size_t start, const struct spec *spec)
{
	size_t len = out->len - start;
	size_t blanks;

	if (spec->has_precision && len > (size_t)spec->precision) {
		len = (size_t)spec->precision;
		out->len = start + len;
	}
	if (len >= (size_t)spec->width)
		return;
	blanks = (size_t)spec->width - len;
	outbuf_reserve(out, blanks);
	if (spec->left) {
		memset(out->buf + out->len, ' ', blanks);
	} else {
		memmove(out->buf + start + blanks, out->buf + start, len);
		memset(out->buf + start, ' ', blanks);
	}
	out->len += blanks;
}

static void run_number(struct eval *ev, const struct op *op, struct outbuf *out)
{
	char *at = outbuf_reserve(out, NUMBER_MOST);
	uint64_t value = op_number(ev, op);

	if (op->width || op->precision) {
		struct spec spec = op_spec(ev, op);

		at = spec_put_number(at, &spec, value);
	} else {
		at = spec_put_number(at, &op->spec, value);
	}
	out->len = (size_t)(at - out->buf);
}

/* A char array of fixed size, which most texts are. */
static void run_fixed_text(struct eval *ev, const struct op *op, struct outbuf *out)
{
	uint32_t room = op->expr->len;
	const char *text = (const char *)ev->data + op->offset;

	if (room > ev->size - op->offset)
		room = ev->size - op->offset;
	out->len = (size_t)(put_field(outbuf_reserve(out, room), text, room) - out->buf);
}

static void run_decimal(struct eval *ev, const struct op *op, struct outbuf *out)
{
	char *at = outbuf_reserve(out, PUT_MOST);
	uint64_t value = op_number(ev, op);

	if (op->spec.conv == 'd')
		at = put_signed(at, (int64_t)fit_number(value, op->spec.size, true));
	else
		at = put_dec(at, fit_number(value, op->spec.size, false));
	out->len = (size_t)(at - out->buf);
}

static void run_hex(struct eval *ev, const struct op *op, struct outbuf *out)
{
	char *at = outbuf_reserve(out, PUT_MOST);

	at = put_hex(at, fit_number(op_number(ev, op), op->spec.size, false));
	out->len = (size_t)(at - out->buf);
}

static inline uint64_t op_bits(const struct eval *ev, const struct op *op)
{
	return load_number(op->load, ev->data + op->offset) >> op->shift & op->mask;
}

static char *put_address(char *at, const struct eval *ev, const struct op *op)
{
	uint64_t addr = load_number(op->load, ev->data + op->offset);

	if (ev->long_size == 4)
		addr = (uint32_t)addr;
	if (!addr) {
		memcpy(at, "(nil)", 5);
		return at + 5;
	}
	memcpy(at, "0x", 2);
	return put_hex(at + 2, addr);
}

/* What plan_run() does itself, where the record is cut. */
static void run_plain(struct eval *ev, const struct op *op, struct outbuf *out)
{
	char *at = outbuf_reserve(out, PUT_MOST);
	uint64_t value = load_number(op->load, ev->data + op->offset);

	if (op->kind == OP_ADDRESS)
		at = put_address(at, ev, op);
	else if (op->kind == OP_BITS)
		at = put_dec(at, op_bits(ev, op));
	else if (op->kind == OP_BITS_HEX)
		at = put_hex(at, op_bits(ev, op));
	else if (op->kind == OP_SIGNED)
		at = put_signed(at, (int64_t)value);
	else
		at = op->kind == OP_UNSIGNED ? put_dec(at, value) : put_hex(at, value);
	out->len = (size_t)(at - out->buf);
}

static void run_char(struct eval *ev, const struct op *op, struct outbuf *out)
{
	struct spec spec = op_spec(ev, op);
	size_t start = out->len;

	outbuf_add_char(out, (char)op_number(ev, op));
	spec.has_precision = false;
	text_pad(out, start, &spec);
}

static void run_padded(struct eval *ev, const struct op *op, struct outbuf *out)
{
	struct spec spec = op_spec(ev, op);
	size_t start = out->len;

	eval_text(ev, op->expr, out);
	text_pad(out, start, &spec);
}

static void run_pointer(struct eval *ev, const struct op *op, struct outbuf *out)
{
	struct spec spec = op_spec(ev, op);

	pointer_print(ev, op, &spec, out);
}

static void pad_symbol(struct eval *ev, const struct op *op, size_t start, struct outbuf *out)
{
	struct spec spec = op_spec(ev, op);

	text_pad(out, start, &spec);
}

static void run_symbol(struct eval *ev, const struct op *op, struct outbuf *out)
{
	uint64_t addr = op_number(ev, op);
	const struct cached_symbol *symbol;
	size_t start = out->len;
	char *at;

	if (ev->long_size == 4)
		addr = (uint32_t)addr;
	symbol = thread_symbol(ev->thread, addr);
	at = outbuf_reserve(out, symbol->name_len + PUT_MOST + 3);
	if (symbol->name) {
		memcpy(at, symbol->name, symbol->name_len);
		at += symbol->name_len;
		if (op->with_offset)
			*at++ = '+';
	}
	if (!symbol->name || op->with_offset) {
		*at++ = '0';
		*at++ = 'x';
		at = put_hex(at, symbol->name ? symbol->offset : addr);
	}
	out->len = (size_t)(at - out->buf);
	if (op->is_padded)
		pad_symbol(ev, op, start, out);
}

static void run_fields(struct eval *ev, const struct decode_field *const *field, struct outbuf *out)
{
	for (; *field; field++) {
		outbuf_add_char(out, ' ');
		outbuf_add(out, (*field)->name);
		outbuf_add_char(out, '=');
		field_print(ev, *field, out);
	}
}

static void run_op(struct eval *ev, const struct plan *plan, const struct op *op,
		   struct outbuf *out)
{
	switch (op->kind) {
	case OP_SIGNED:
	case OP_UNSIGNED:
	case OP_HEXADECIMAL:
	case OP_BITS:
	case OP_BITS_HEX:
	case OP_ADDRESS:
		run_plain(ev, op, out);
		return;
	case OP_DECIMAL:
		run_decimal(ev, op, out);
		return;
	case OP_HEX:
		run_hex(ev, op, out);
		return;
	case OP_NUMBER:
		run_number(ev, op, out);
		return;
	case OP_CHAR:
		run_char(ev, op, out);
		return;
	case OP_FIXED_TEXT:
		run_fixed_text(ev, op, out);
		return;
	case OP_TEXT:
		eval_text(ev, op->expr, out);
		return;
	case OP_TEXT_PADDED:
		run_padded(ev, op, out);
		return;
	case OP_POINTER:
		run_pointer(ev, op, out);
		return;
	case OP_SYMBOL:
		run_symbol(ev, op, out);
		return;
	case OP_UNKNOWN:
		outbuf_add_char(out, '?');
		return;
	case OP_FIELDS:
		run_fields(ev, plan->extra, out);
		return;
	default:
		return;
	}
}

/* Takes back what a conversion wrote that had no value, and says why. */
static void mark_problem(struct eval *ev, struct outbuf *out, size_t start)
{
	out->len = start;
	ev->lacks_symbol |= ev->problem == PROBLEM_UNKNOWN;
	outbuf_add(out, ev->problem == PROBLEM_UNKNOWN ? "?" : location_past_end);
	ev->problem = PROBLEM_NONE;
}

static void run_any(struct eval *ev, const struct plan *plan, const struct op *op,
		    struct outbuf *out)
{
	size_t start = out->len;

	run_op(ev, plan, op, out);
	if (__builtin_expect(ev->problem, 0))
		mark_problem(ev, out, start);
}

/* Nothing is hidden where a symbol was not known. */
static void add_symbolic(struct eval *ev, const struct plan *plan, struct outbuf *out)
{
	ev->lacks_symbol = false;
	atomic_store_explicit(plan->lacks_values, true, memory_order_relaxed);
	if (plan->symbolic)
		run_fields(ev, plan->symbolic, out);
}

/* The record ends before some of the fields: each operation looks whether its own are there. */
static void run_cut(struct eval *ev, const struct plan *plan, struct outbuf *out)
{
	const struct op *end = plan->op + plan->nr_ops;

	for (const struct op *op = plan->op; op < end; op++) {
		char *at = outbuf_reserve(out, op->len + PUT_PADDING);

		out->len = (size_t)(put_padded(at, op->text, op->len) - out->buf);
		if (op->end > ev->size)
			outbuf_add(out, past_end);
		else
			run_any(ev, plan, op, out);
	}
	if (ev->lacks_symbol)
		add_symbolic(ev, plan, out);
}

/* Most operations are digits of a number, which are written right here, into room that was made for all of the plan. */
void plan_run(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
	      struct outbuf *out)
{
	const struct op *end = plan->op + plan->nr_ops;
	char *at;

	(void)raw;
	if (__builtin_expect(plan->end > ev->size, 0)) {
		run_cut(ev, plan, out);
		return;
	}
	at = outbuf_reserve(out, plan->room);
	for (const struct op *op = plan->op; op < end; op++) {
		at = put_padded(at, op->text, op->len);
		switch (op->kind) {
		case OP_SIGNED:
			at = put_signed(at, (int64_t)load_number(op->load, ev->data + op->offset));
			break;
		case OP_UNSIGNED:
			at = put_dec(at, load_number(op->load, ev->data + op->offset));
			break;
		case OP_HEXADECIMAL:
			at = put_hex(at, load_number(op->load, ev->data + op->offset));
			break;
		case OP_BITS:
			at = put_dec(at, op_bits(ev, op));
			break;
		case OP_BITS_HEX:
			at = put_hex(at, op_bits(ev, op));
			break;
		case OP_ADDRESS:
			at = put_address(at, ev, op);
			break;
		case OP_END:
			break;
		default:
			out->len = (size_t)(at - out->buf);
			run_any(ev, plan, op, out);
			at = outbuf_reserve(out, plan->room);
		}
	}
	out->len = (size_t)(at - out->buf);
	if (__builtin_expect(ev->lacks_symbol, 0))
		add_symbolic(ev, plan, out);
}

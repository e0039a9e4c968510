/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields as name=value: what -R prints, and what is left when a print format cannot be done. */
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "decode/put.h"

bool field_memory(const struct eval *ev, const struct decode_field *field, struct memory *memory)
{
	uint32_t offset = field->offset;
	uint32_t len = field->size;

	if (field->is_dynamic || field->is_relative) {
		uint32_t word;

		if (field->size < 4 || offset + 4 > ev->size)
			return false;
		word = load_u32(ev->data + offset, ev->swap);
		offset = (word & 0xffff) + (field->is_relative ? offset + 4 : 0);
		len = word >> 16;
	} else if (!len && offset <= ev->size) {
		len = ev->size - offset;
	}
	if (offset > ev->size || len > ev->size - offset)
		return false;
	*memory = (struct memory){ev->data + offset, len};
	return true;
}

static bool is_printable(uint8_t c)
{
	return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r');
}

static bool looks_like_text(const struct decode_field *field, struct memory memory)
{
	if (!field->is_string)
		return false;
	for (uint32_t i = 0; i < memory.len && memory.at[i]; i++)
		if (!is_printable(memory.at[i]))
			return false;
	return true;
}

/* The kernel declares eight frames and stores those there are: such an array ends with its record. */
static bool stack_memory(const struct eval *ev, const struct decode_field *field,
			 struct memory *memory)
{
	if (field->is_dynamic || field->is_relative || field->is_string ||
	    field->offset >= ev->size || strcmp(field->name, "caller") != 0)
		return false;
	*memory = (struct memory){ev->data + field->offset, ev->size - field->offset};
	return true;
}

static void print_array(struct eval *ev, const struct decode_field *field, struct outbuf *out)
{
	struct memory memory;
	char *at;

	if (!field_memory(ev, field, &memory) && !stack_memory(ev, field, &memory)) {
		outbuf_add(out, "<error: past end of record>");
		return;
	}
	if (looks_like_text(field, memory)) {
		outbuf_add_mem(out, memory.at, strnlen((const char *)memory.at, memory.len));
		return;
	}
	outbuf_add(out, "ARRAY[");
	at = outbuf_reserve(out, (size_t)memory.len * 4 + 1);
	for (uint32_t i = 0; i < memory.len; i++) {
		if (i) {
			*at++ = ',';
			*at++ = ' ';
		}
		at = put_hex_fixed(at, memory.at[i], 2);
	}
	*at++ = ']';
	out->len = (size_t)(at - out->buf);
}

/* A long most often holds an address, so it is printed as one. */
static void print_number(const struct decode_field *field, uint64_t value, struct outbuf *out)
{
	bool is_long = strstr(field->type, "long") && !strstr(field->type, "long long");
	char *at = outbuf_reserve(out, PUT_MOST + 2);

	if (field->is_pointer || (is_long && (!field->is_signed || field->size == 4))) {
		*at++ = '0';
		*at++ = 'x';
		at = put_hex(at, field->size < 8 ? value & ((1ull << field->size * 8) - 1) : value);
	} else if (field->is_signed) {
		if (field->size == 2 && (int64_t)value >= 0 && value < 10)
			*at++ = ' ';
		at = put_signed(at, (int64_t)value);
	} else {
		at = put_dec(at, value);
	}
	out->len = (size_t)(at - out->buf);
}

/* As the kernel's own print formats have them. */
static void print_texts(struct eval *ev, const struct decode_field *field, struct outbuf *out)
{
	for (uint32_t i = 0; i < field->nr_texts; i++) {
		struct decode_field one = field_of_texts(field, i);

		outbuf_add(out, i ? ",\"" : "{\"");
		print_array(ev, &one, out);
		outbuf_add_char(out, '"');
	}
	outbuf_add_char(out, '}');
}

void field_print(struct eval *ev, const struct decode_field *field, struct outbuf *out)
{
	bool big_endian = ev->swap != HOST_BIG_ENDIAN;
	uint8_t load = load_for(field->size, field->is_signed, big_endian);

	if (field->nr_texts) {
		print_texts(ev, field, out);
		return;
	}
	if (field->is_array || load == LOAD_NONE) {
		print_array(ev, field, out);
		return;
	}
	if (field->offset + field->size > ev->size) {
		outbuf_add(out, "<error: past end of record>");
		return;
	}
	print_number(field, load_number(load, ev->data + field->offset), out);
}

/* The field that a conversion prints as it is, casts aside; NULL when it prints anything else. */
static const struct decode_field *op_field(const struct op *op)
{
	const struct node *node = op->expr;

	while (node && (node->op == NODE_CAST || node->op == NODE_BOOL))
		node = node->a;
	return node && node->op == NODE_FIELD ? node->field : NULL;
}

static bool ends_in_prefix(const struct op *op)
{
	return op->len > 1 && !memcmp(op->text + op->len - 2, "0x", 2);
}

static bool is_at_end(const struct plan *plan, size_t at)
{
	return at >= plan->nr_ops || (plan->op[at].kind == OP_END && !plan->op[at].len);
}

/* The print format's own conversion of @field, searched from *next on and around. Nothing is found
 * any more once the very end was reached: so it is in trace-cmd, and scripts know its -R. */
static const struct op *find_conversion(const struct plan *plan, const struct decode_field *field,
					size_t *next)
{
	if (is_at_end(plan, *next))
		return NULL;
	for (size_t i = 0; i < plan->nr_ops; i++) {
		size_t at = (*next + i) % plan->nr_ops;

		if (op_field(&plan->op[at]) != field)
			continue;
		*next = at + 1;
		return &plan->op[at];
	}
	return NULL;
}

static void print_converted(struct eval *ev, const struct plan *plan, const struct op *op,
			    struct outbuf *out)
{
	static const char prefix[2 + PUT_PADDING] = "0x";
	struct op bare = *op;
	struct plan one = *plan;

	bare.text = prefix;
	bare.len = ends_in_prefix(op) ? 2 : 0;
	one.op = &bare;
	one.nr_ops = 1;
	plan_run(ev, &one, NULL, out);
}

/* trace-cmd shows a number as the print format does, where that prints it alone. */
void fields_print(struct eval *ev, const struct event *event, struct outbuf *out)
{
	const struct plan *plan = event->plan;
	size_t next = 0;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct decode_field *field = &event->field[i];
		const struct op *op;

		if (field->is_common)
			continue;
		outbuf_add_char(out, ' ');
		outbuf_add(out, field->name);
		outbuf_add_char(out, '=');
		op = field->is_array ? NULL : find_conversion(plan, field, &next);
		if (op)
			print_converted(ev, plan, op, out);
		else
			field_print(ev, field, out);
	}
}

void plan_run_fields(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		     struct outbuf *out)
{
	size_t start = out->len;

	(void)raw;
	fields_print(ev, plan->event, out);
	/* The blank in front belongs to -R only. */
	if (out->len > start && out->buf[start] == ' ') {
		memmove(out->buf + start, out->buf + start + 1, out->len - start - 1);
		out->len--;
	}
}

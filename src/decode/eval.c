/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates expressions over one record. */
#include "decode/eval.h"

#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"

static const struct memory nothing = {(const uint8_t *)"", 0};

static uint64_t divide(const struct node *node, uint64_t left, uint64_t right)
{
	bool modulo = node->op == NODE_MODULO;

	if (!right)
		return 0;
	if (!node->common_signed)
		return modulo ? left % right : left / right;
	/* The one quotient that does not fit. */
	if (right == UINT64_MAX)
		return modulo ? 0 : 0 - left;
	if (modulo)
		return (uint64_t)((int64_t)left % (int64_t)right);
	return (uint64_t)((int64_t)left / (int64_t)right);
}

/* A count that C leaves undefined shifts everything out. */
static uint64_t shift(const struct node *node, uint64_t left, uint64_t count)
{
	bool fits = count < node->common_size * 8u;

	if (node->op == NODE_SHIFT_LEFT)
		return fits ? left << count : 0;
	if (node->common_signed)
		return (uint64_t)((int64_t)left >> (fits ? count : 63));
	return fits ? left >> count : 0;
}

static uint64_t compare(const struct node *node, uint64_t left, uint64_t right)
{
	bool less = node->common_signed ? (int64_t)left < (int64_t)right : left < right;

	switch (node->op) {
	case NODE_LESS:
		return less;
	case NODE_GREATER:
		return !less && left != right;
	case NODE_LESS_EQUAL:
		return less || left == right;
	case NODE_GREATER_EQUAL:
		return !less;
	case NODE_EQUAL:
		return left == right;
	default:
		return left != right;
	}
}

uint64_t eval_operator(const struct node *node, uint64_t left, uint64_t right)
{
	uint64_t value;

	left = fit_number(left, node->common_size, node->common_signed);
	if (node->op == NODE_SHIFT_LEFT || node->op == NODE_SHIFT_RIGHT)
		return fit_number(shift(node, left, right), node->size, node->is_signed);
	right = fit_number(right, node->common_size, node->common_signed);
	switch (node->op) {
	case NODE_MULTIPLY:
		value = left * right;
		break;
	case NODE_DIVIDE:
	case NODE_MODULO:
		value = divide(node, left, right);
		break;
	case NODE_ADD:
		value = left + right;
		break;
	case NODE_SUBTRACT:
		value = left - right;
		break;
	case NODE_AND:
		value = left & right;
		break;
	case NODE_XOR:
		value = left ^ right;
		break;
	case NODE_OR:
		value = left | right;
		break;
	default:
		return compare(node, left, right);
	}
	return fit_number(value, node->size, node->is_signed);
}

static uint64_t swap_bytes(uint64_t value, uint8_t size)
{
	switch (size) {
	case 2:
		return __builtin_bswap16((uint16_t)value);
	case 4:
		return __builtin_bswap32((uint32_t)value);
	default:
		return __builtin_bswap64(value);
	}
}

static uint64_t count_bits(const struct node *node, uint64_t value)
{
	if (node->op == NODE_COUNT_ONES)
		return (uint64_t)__builtin_popcountll(value);
	if (!value)
		return UINT64_MAX;
	return node->op == NODE_LOWEST_BIT ? (uint64_t)__builtin_ctzll(value)
					   : 63u - (uint64_t)__builtin_clzll(value);
}

static uint64_t index_memory(struct eval *ev, const struct node *node)
{
	struct memory memory = eval_memory(ev, node->a);
	uint64_t index = eval_number(ev, node->b);

	if (index < memory.len / node->elem_size)
		return load_number(node->load, memory.at + index * node->elem_size);
	/* An empty text still has its NUL in the kernel. */
	if (index || memory.len || node->elem_size > 1)
		ev->problem = PROBLEM_PAST_END;
	return 0;
}

enum { CELL_NEW, CELL_KNOWN, CELL_UNKNOWN };

/* Two threads may both look it up; they find the same. */
static uint8_t fill_cell(struct eval *ev, const struct node *node)
{
	struct symbol_cell *cell = node->cell;
	uint64_t addr;
	uint8_t state = CELL_UNKNOWN;

	if (symbols_address(decode_symbols(ev->thread->dec), node->text, &addr)) {
		__atomic_store_n(&cell->addr, addr, __ATOMIC_RELAXED);
		state = CELL_KNOWN;
	}
	atomic_store_explicit(&cell->state, state, memory_order_release);
	return state;
}

static uint64_t symbol_address(struct eval *ev, const struct node *node)
{
	uint8_t state = CELL_UNKNOWN;

	if (ev->thread) {
		state = atomic_load_explicit(&node->cell->state, memory_order_acquire);
		if (state == CELL_NEW)
			state = fill_cell(ev, node);
	}
	if (state == CELL_KNOWN)
		return __atomic_load_n(&node->cell->addr, __ATOMIC_RELAXED);
	ev->problem = PROBLEM_UNKNOWN;
	return 0;
}

static uint64_t compare_texts(struct eval *ev, const struct node *node)
{
	struct outbuf a = {0};
	struct outbuf b = {0};
	size_t shorter;
	int diff;

	eval_text(ev, node->a, &a);
	eval_text(ev, node->b, &b);
	if (node->c) {
		uint64_t most = eval_number(ev, node->c);

		a.len = a.len < most ? a.len : most;
		b.len = b.len < most ? b.len : most;
	}
	shorter = a.len < b.len ? a.len : b.len;
	diff = shorter ? memcmp(a.buf, b.buf, shorter) : 0;
	if (!diff)
		diff = a.len < b.len ? -1 : a.len > b.len;
	outbuf_fini(&a);
	outbuf_fini(&b);
	return (uint64_t)(int64_t)diff;
}

static uint32_t location(const struct eval *ev, const struct node *node)
{
	return load_u32(ev->data + node->offset, ev->swap);
}

bool eval_truth(struct eval *ev, const struct node *node)
{
	return node->kind == VALUE_INT ? eval_number(ev, node) != 0 : true;
}

static uint64_t choose(struct eval *ev, const struct node *node)
{
	uint64_t value;

	if (node->op == NODE_ELVIS) {
		value = eval_number(ev, node->a);
		if (!value)
			value = eval_number(ev, node->b);
	} else {
		value = eval_number(ev, eval_truth(ev, node->a) ? node->b : node->c);
	}
	return fit_number(value, node->size, node->is_signed);
}

/* The leaves of most expressions without a call. */
static inline uint64_t operand(struct eval *ev, const struct node *node)
{
	if (node->op == NODE_NUMBER)
		return node->number;
	if (node->op == NODE_FIELD)
		return load_number(node->load, ev->data + node->offset);
	return eval_number(ev, node);
}

uint64_t eval_number(struct eval *ev, const struct node *node)
{
	switch (node->op) {
	case NODE_NUMBER:
		return node->number;
	case NODE_FIELD:
		return load_number(node->load, ev->data + node->offset);
	case NODE_SYMBOL:
		return symbol_address(ev, node);
	case NODE_UNKNOWN:
		ev->problem = PROBLEM_UNKNOWN;
		return 0;
	case NODE_NEGATE:
		return fit_number(0 - eval_number(ev, node->a), node->size, node->is_signed);
	case NODE_COMPLEMENT:
		return fit_number(~eval_number(ev, node->a), node->size, node->is_signed);
	case NODE_LOGIC_NOT:
		return !eval_truth(ev, node->a);
	case NODE_LOGIC_AND:
		return eval_truth(ev, node->a) && eval_truth(ev, node->b);
	case NODE_LOGIC_OR:
		return eval_truth(ev, node->a) || eval_truth(ev, node->b);
	case NODE_CHOOSE:
	case NODE_ELVIS:
		return choose(ev, node);
	case NODE_CAST:
		return fit_number(operand(ev, node->a), node->size, node->is_signed);
	case NODE_BOOL:
		return eval_truth(ev, node->a);
	case NODE_SWAP:
		return swap_bytes(eval_number(ev, node->a), node->size);
	case NODE_LOWEST_BIT:
	case NODE_HIGHEST_BIT:
	case NODE_COUNT_ONES:
		return count_bits(node, eval_number(ev, node->a));
	case NODE_INDEX:
		return index_memory(ev, node);
	case NODE_LENGTH:
		return node->a->op == NODE_DYNAMIC ? location(ev, node->a) >> 16 : node->a->len;
	case NODE_COMPARE_TEXT:
		return compare_texts(ev, node);
	default:
		if (node->op >= NODE_MULTIPLY && node->op <= NODE_OR)
			return eval_operator(node, operand(ev, node->a), operand(ev, node->b));
		return 0;
	}
}

static struct memory past_end(struct eval *ev)
{
	ev->problem = PROBLEM_PAST_END;
	return nothing;
}

static struct memory fixed_memory(struct eval *ev, const struct node *node)
{
	uint32_t left = ev->size - node->offset;

	if (ev->size < node->offset)
		return past_end(ev);
	if (!node->to_record_end && node->len < left)
		left = node->len;
	return (struct memory){ev->data + node->offset, left};
}

static struct memory dynamic_memory(struct eval *ev, const struct node *node)
{
	uint32_t word = location(ev, node);
	uint32_t offset = word & 0xffff;
	uint32_t len = word >> 16;

	if (node->field->is_relative)
		offset += node->offset + 4;
	if (offset > ev->size || len > ev->size - offset)
		return past_end(ev);
	return (struct memory){ev->data + offset, len};
}

struct memory eval_memory(struct eval *ev, const struct node *node)
{
	struct memory memory;
	uint64_t skip;

	switch (node->op) {
	case NODE_TEXT:
		/* With its NUL. */
		return (struct memory){(const uint8_t *)node->text, node->len + 1};
	case NODE_ARRAY:
		return fixed_memory(ev, node);
	case NODE_DYNAMIC:
		return dynamic_memory(ev, node);
	case NODE_CHOOSE:
		return eval_memory(ev, eval_truth(ev, node->a) ? node->b : node->c);
	case NODE_ELVIS:
		return eval_memory(ev, node->a);
	case NODE_SKIP:
		memory = eval_memory(ev, node->a);
		skip = eval_number(ev, node->b);
		if (skip > UINT32_MAX)
			return past_end(ev);
		skip *= node->elem_size ? node->elem_size : 1;
		if (skip > memory.len)
			return past_end(ev);
		return (struct memory){memory.at + skip, memory.len - (uint32_t)skip};
	default:
		return past_end(ev);
	}
}

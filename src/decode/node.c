/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the expression tree: C's conversions, and constants folded at once. */
#include "decode/eval.h"
#include "decode/expr.h"
#include "decode/load.h"

#include <string.h>

#include "util/mem.h"

struct node *node_new(struct parser *parser, enum node_op op, enum value_kind kind)
{
	struct node *node;

	if (++parser->nodes > NODES_MOST)
		return NULL;
	node = arena_alloc(parser->arena, sizeof(*node));
	node->op = (uint8_t)op;
	node->kind = (uint8_t)kind;
	node->depth = 1;
	node->cost = 1;
	return node;
}

bool node_is_constant(const struct node *node)
{
	return node && node->op == NODE_NUMBER;
}

static struct node *add_operand(struct node *node, const struct node *operand)
{
	if (!node || !operand || operand->kind == VALUE_LIST)
		return NULL;
	/* max(max(...)) has each of its operands twice. */
	if (operand->depth >= DEPTH_MOST || operand->cost > NODES_MOST - node->cost)
		return NULL;
	node->cost += operand->cost;
	node->uses_symbol |= operand->uses_symbol;
	if (operand->depth >= node->depth)
		node->depth = (uint16_t)(operand->depth + 1);
	if (operand->end > node->end)
		node->end = operand->end;
	return node;
}

struct node *node_with(struct parser *parser, enum node_op op, enum value_kind kind, size_t nr,
		       struct node *const operand[])
{
	struct node *node = node_new(parser, op, kind);

	for (size_t i = 0; i < nr; i++) {
		node = add_operand(node, operand[i]);
		if (!node)
			return NULL;
	}
	if (!node)
		return NULL;
	node->a = nr > 0 ? operand[0] : NULL;
	node->b = nr > 1 ? operand[1] : NULL;
	node->c = nr > 2 ? operand[2] : NULL;
	return node;
}

struct node *node_number(struct parser *parser, uint64_t value, uint8_t size, bool is_signed)
{
	struct node *node = node_new(parser, NODE_NUMBER, VALUE_INT);

	if (!node)
		return NULL;
	node->size = size;
	node->is_signed = is_signed;
	node->number = fit_number(value, size, is_signed);
	return node;
}

struct node *node_text(struct parser *parser, const char *text, size_t len)
{
	struct node *node = node_new(parser, NODE_TEXT, VALUE_TEXT);

	if (!node)
		return NULL;
	node->text = text;
	node->len = (uint32_t)len;
	return node;
}

struct node *node_memory(struct parser *parser, const struct decode_field *field)
{
	bool dynamic = field->is_dynamic || field->is_relative;
	struct node *node = node_new(parser, dynamic ? NODE_DYNAMIC : NODE_ARRAY, VALUE_MEM);

	/* Synthetic events of 6.1 and older say 8 bytes; the location is in the first four. */
	if (!node || (dynamic && field->size < 4))
		return NULL;
	node->field = field;
	node->offset = field->offset;
	node->len = field->size;
	node->to_record_end = !dynamic && !field->size;
	node->elem_size = field->elem_size <= 8 ? (uint8_t)field->elem_size : 1;
	node->elem_signed = field->is_signed;
	/* Of a fixed array what is there can be printed. */
	node->end = field->offset + (dynamic ? 4 : 0);
	return node;
}

struct node *node_field(struct parser *parser, const struct decode_field *field)
{
	uint8_t load = load_for(field->size, field->is_signed, parser->big_endian);
	struct ctype type;
	struct node *node;

	if (field->is_array || load == LOAD_NONE)
		return node_memory(parser, field);
	node = node_new(parser, NODE_FIELD, VALUE_INT);
	if (!node)
		return NULL;
	node->field = field;
	node->offset = field->offset;
	node->end = field->offset + field->size;
	node->size = (uint8_t)field->size;
	node->is_signed = field->is_signed;
	node->load = load;
	node->is_pointer = field->is_pointer;
	if (field->is_pointer &&
	    ctype_parse(field->type, strlen(field->type), parser->long_size, &type))
		node->pointee = type.elem_size;
	return node;
}

struct node *node_fold(struct parser *parser, struct node *node)
{
	struct eval ev = {.data = (const uint8_t *)"", .long_size = (uint8_t)parser->long_size};

	if (!node || node->kind != VALUE_INT)
		return node;
	if ((node->a && !node_is_constant(node->a)) || (node->b && !node_is_constant(node->b)) ||
	    (node->c && !node_is_constant(node->c)))
		return node;
	node->number = eval_number(&ev, node);
	node->op = NODE_NUMBER;
	node->a = NULL;
	node->b = NULL;
	node->c = NULL;
	node->depth = 1;
	node->cost = 1;
	return node;
}

static void promote(uint8_t *size, bool *is_signed)
{
	if (*size >= 4)
		return;
	*size = 4;
	*is_signed = true;
}

struct node *node_unary(struct parser *parser, enum node_op op, struct node *a)
{
	struct node *node;

	if (!a || (a->kind != VALUE_INT && op != NODE_LOGIC_NOT))
		return NULL;
	node = node_with(parser, op, VALUE_INT, 1, &a);
	if (!node)
		return NULL;
	node->size = a->size;
	node->is_signed = a->is_signed;
	promote(&node->size, &node->is_signed);
	if (op == NODE_LOGIC_NOT) {
		node->size = 4;
		node->is_signed = true;
	}
	return node_fold(parser, node);
}

/* The usual arithmetic conversions: the wider one wins, then the unsigned one. */
static void set_common(struct node *node, const struct node *a, const struct node *b)
{
	uint8_t a_size = a->size;
	uint8_t b_size = b->size;
	bool a_signed = a->is_signed;
	bool b_signed = b->is_signed;

	promote(&a_size, &a_signed);
	promote(&b_size, &b_signed);
	node->common_size = a_size > b_size ? a_size : b_size;
	if (a_size == b_size)
		node->common_signed = a_signed && b_signed;
	else
		node->common_signed = a_size > b_size ? a_signed : b_signed;
}

struct node *node_pointer(struct parser *parser, const struct node *a, uint8_t pointee)
{
	struct node *node = a ? node_new(parser, (enum node_op)a->op, VALUE_INT) : NULL;

	if (!node)
		return NULL;
	*node = *a;
	node->is_pointer = true;
	node->pointee = pointee;
	return node;
}

struct node *node_unknown(struct parser *parser, const struct node *like)
{
	struct node *node = node_new(parser, NODE_UNKNOWN, (enum value_kind)like->kind);

	if (!node)
		return NULL;
	node->size = like->size;
	node->is_signed = like->is_signed;
	return node;
}

static bool is_comparison(enum node_op op)
{
	return op >= NODE_LESS && op <= NODE_NOT_EQUAL;
}

/* Pointer arithmetic on the record's own bytes. */
static struct node *skip_memory(struct parser *parser, struct node *a, struct node *b)
{
	struct node *operand[] = {a, b};
	struct node *node;

	if (b->kind != VALUE_INT)
		return NULL;
	node = node_with(parser, NODE_SKIP, VALUE_MEM, 2, operand);
	if (!node)
		return NULL;
	node->elem_size = a->elem_size;
	node->elem_signed = a->elem_signed;
	return node;
}

/* What is not NULL is all that is known of memory and texts in a comparison. */
static struct node *as_number(struct parser *parser, struct node *a, enum node_op op)
{
	if (a->kind == VALUE_INT)
		return a;
	if (!is_comparison(op))
		return NULL;
	return node_number(parser, 1, 8, false);
}

static struct node *arithmetic(struct parser *parser, enum node_op op, struct node *a,
			       struct node *b)
{
	struct node *operand[2];
	struct node *node;

	if (op != NODE_LOGIC_AND && op != NODE_LOGIC_OR) {
		a = as_number(parser, a, op);
		b = as_number(parser, b, op);
	}
	operand[0] = a;
	operand[1] = b;
	node = node_with(parser, op, VALUE_INT, 2, operand);
	if (!node)
		return NULL;
	set_common(node, a, b);
	if (op == NODE_SHIFT_LEFT || op == NODE_SHIFT_RIGHT) {
		node->common_size = a->size;
		node->common_signed = a->is_signed;
		promote(&node->common_size, &node->common_signed);
	}
	node->size = node->common_size;
	node->is_signed = node->common_signed;
	if (is_comparison(op) || op == NODE_LOGIC_AND || op == NODE_LOGIC_OR) {
		node->size = 4;
		node->is_signed = true;
	}
	return node_fold(parser, node);
}

/* C counts in what a pointer points to. Where its size is not known, in bytes, as trace-cmd does. */
static struct node *scale(struct parser *parser, struct node *a, uint8_t pointee)
{
	uint8_t size = (uint8_t)parser->long_size;

	a = node_cast(parser, a, size, a->is_signed);
	if (!a || pointee <= 1)
		return a;
	return arithmetic(parser, NODE_MULTIPLY, a, node_number(parser, pointee, size, true));
}

static struct node *add_to_pointer(struct parser *parser, enum node_op op, struct node *a,
				   struct node *b)
{
	uint8_t pointee = a->is_pointer ? a->pointee : b->pointee;
	uint8_t size = (uint8_t)parser->long_size;
	struct node *node;

	if (a->is_pointer && b->is_pointer) {
		/* How many are between them. */
		node = node_cast(parser, arithmetic(parser, op, a, b), size, true);
		if (!node || pointee <= 1)
			return node;
		return arithmetic(parser, NODE_DIVIDE, node,
				  node_number(parser, pointee, size, true));
	}
	if (a->is_pointer)
		b = scale(parser, b, pointee);
	else
		a = scale(parser, a, pointee);
	return node_pointer(parser, arithmetic(parser, op, a, b), pointee);
}

struct node *node_binary(struct parser *parser, enum node_op op, struct node *a, struct node *b)
{
	if (!a || !b)
		return NULL;
	if (op == NODE_ADD && a->kind == VALUE_MEM)
		return skip_memory(parser, a, b);
	if ((op == NODE_ADD || op == NODE_SUBTRACT) && (a->is_pointer || b->is_pointer) &&
	    a->kind == VALUE_INT && b->kind == VALUE_INT)
		return add_to_pointer(parser, op, a, b);
	return arithmetic(parser, op, a, b);
}

/* Of two pointers, one that may be NULL or void. */
static void set_choice_pointer(struct node *node, const struct node *b, const struct node *c)
{
	bool b_null = node_is_constant(b) && !b->number;
	bool c_null = node_is_constant(c) && !c->number;

	node->is_pointer = b->is_pointer || c->is_pointer;
	if (b_null || c_null)
		node->pointee = b_null ? c->pointee : b->pointee;
	else
		node->pointee = b->pointee && c->pointee ? b->pointee : 0;
}

static void set_choice_kind(struct node *node, const struct node *b, const struct node *c)
{
	if (b->kind == VALUE_INT && c->kind == VALUE_INT) {
		set_common(node, b, c);
		node->size = node->common_size;
		node->is_signed = node->common_signed;
		set_choice_pointer(node, b, c);
		return;
	}
	node->kind = VALUE_TEXT;
	if (b->kind != VALUE_MEM || c->kind != VALUE_MEM)
		return;
	node->kind = VALUE_MEM;
	node->elem_size = b->elem_size;
	node->elem_signed = b->elem_signed;
}

struct node *node_choose(struct parser *parser, struct node *a, struct node *b, struct node *c)
{
	struct node *operand[] = {a, b, c};
	struct node *node = node_with(parser, NODE_CHOOSE, VALUE_INT, 3, operand);

	if (!node)
		return NULL;
	/* A constant condition leaves one side, of whatever kind that is. */
	if (node_is_constant(a) && (b->kind != VALUE_INT || c->kind != VALUE_INT))
		return a->number ? b : c;
	set_choice_kind(node, b, c);
	return node_fold(parser, node);
}

struct node *node_elvis(struct parser *parser, struct node *a, struct node *b)
{
	struct node *operand[] = {a, b};
	struct node *node = node_with(parser, NODE_ELVIS, VALUE_INT, 2, operand);

	if (!node)
		return NULL;
	set_choice_kind(node, a, b);
	return node_fold(parser, node);
}

struct node *node_cast(struct parser *parser, struct node *a, uint8_t size, bool is_signed)
{
	struct node *node;

	if (!a || a->kind != VALUE_INT)
		return NULL;
	if (a->size == size && a->is_signed == is_signed)
		return a;
	node = node_with(parser, NODE_CAST, VALUE_INT, 1, &a);
	if (!node)
		return NULL;
	node->size = size;
	node->is_signed = is_signed;
	return node_fold(parser, node);
}

struct node *node_bool(struct parser *parser, struct node *a)
{
	struct node *node = node_with(parser, NODE_BOOL, VALUE_INT, 1, &a);

	if (!node)
		return NULL;
	node->size = 1;
	return node_fold(parser, node);
}

/* An element at a fixed place is as good as a field. */
static struct node *fixed_element(struct node *node, const struct node *a, uint64_t index)
{
	uint32_t elem = node->elem_size;

	if (a->op != NODE_ARRAY || a->to_record_end || index >= a->len / elem)
		return node;
	node->op = NODE_FIELD;
	node->offset = a->offset + (uint32_t)index * elem;
	node->end = node->offset + elem;
	return node;
}

struct node *node_list(struct parser *parser, struct node *const element[], size_t nr)
{
	struct node *node = node_new(parser, NODE_LIST, VALUE_LIST);
	const struct node **copy;

	if (!node)
		return NULL;
	copy = arena_alloc(parser->arena, (nr + 1) * sizeof(*copy));
	for (size_t i = 0; i < nr; i++)
		copy[i] = element[i];
	node->element = copy;
	node->len = (uint32_t)nr;
	return node;
}

/* A choice by the index; outside of the list there is no value. */
static struct node *index_list(struct parser *parser, const struct node *list, struct node *index)
{
	struct node *node;

	if (!index || index->kind != VALUE_INT || !list->len)
		return NULL;
	node = node_unknown(parser, list->element[0]);
	for (uint32_t i = list->len; i-- > 0;)
		node = node_choose(
			parser,
			node_binary(parser, NODE_EQUAL, index, node_number(parser, i, 4, true)),
			(struct node *)list->element[i], node);
	return node;
}

struct node *node_index(struct parser *parser, struct node *a, struct node *b)
{
	struct node *operand[] = {a, b};
	struct node *node;

	if (!a || !b || b->kind != VALUE_INT)
		return NULL;
	if (a->kind == VALUE_LIST)
		return index_list(parser, a, b);
	/* A constant text's character. */
	if (a->op == NODE_TEXT && node_is_constant(b))
		return node_number(parser, b->number < a->len ? (uint8_t)a->text[b->number] : 0, 1,
				   true);
	if (a->kind != VALUE_MEM && a->op != NODE_TEXT)
		return NULL;
	node = node_with(parser, NODE_INDEX, VALUE_INT, 2, operand);
	if (!node)
		return NULL;
	node->elem_size = a->elem_size ? a->elem_size : 1;
	node->size = node->elem_size;
	node->is_signed = a->elem_signed || a->op == NODE_TEXT;
	node->load = load_for(node->size, node->is_signed, parser->big_endian);
	if (node->load == LOAD_NONE)
		return NULL;
	return node_is_constant(b) ? fixed_element(node, a, b->number) : node;
}

struct node *node_swap(struct parser *parser, struct node *a, uint8_t size)
{
	struct node *node;

	a = node_cast(parser, a, size, false);
	node = node_with(parser, NODE_SWAP, VALUE_INT, 1, &a);
	if (!node)
		return NULL;
	node->size = size;
	return node_fold(parser, node);
}

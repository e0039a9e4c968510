/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What print formats call to pick bits out of numbers, and the compiler's own functions that macros leave behind. */
#include "decode/ctype.h"
#include "decode/helper.h"

static uint8_t size_or_long(const struct parser *parser, const struct helper *helper)
{
	return helper->size ? helper->size : (uint8_t)parser->long_size;
}

/* GENMASK(high, low) */
static struct node *build_genmask(struct parser *parser, const struct helper *helper)
{
	struct node *all = node_number(parser, UINT64_MAX, 8, false);
	struct node *arg[2];
	struct node *below;

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	below = node_binary(
		parser, NODE_SHIFT_RIGHT, all,
		node_binary(parser, NODE_SUBTRACT, node_number(parser, 63, 4, true), arg[0]));
	return node_cast(parser,
			 node_binary(parser, NODE_AND, below,
				     node_binary(parser, NODE_SHIFT_LEFT, all, arg[1])),
			 size_or_long(parser, helper), false);
}

static struct node *build_bit(struct parser *parser, const struct helper *helper)
{
	struct node *arg;

	if (helper_arguments(parser, &arg, 1) != 1)
		return NULL;
	return node_cast(
		parser, node_binary(parser, NODE_SHIFT_LEFT, node_number(parser, 1, 8, false), arg),
		size_or_long(parser, helper), false);
}

/* The place of a bit, or how many there are, in a number taken as unsigned. */
static struct node *count_bits(struct parser *parser, enum node_op op, struct node *a, uint8_t size)
{
	struct node *node;

	a = node_cast(parser, a, size, false);
	node = node_with(parser, op, VALUE_INT, 1, &a);
	if (!node)
		return NULL;
	node->size = 4;
	node->is_signed = true;
	return node_fold(parser, node);
}

/* ->flag: counted from 1, so that 0 says there is none. */
static struct node *build_count(struct parser *parser, const struct helper *helper)
{
	struct node *node;
	struct node *arg;

	if (helper_arguments(parser, &arg, 1) != 1)
		return NULL;
	node = count_bits(parser, (enum node_op)helper->op, arg, size_or_long(parser, helper));
	if (!helper->flag)
		return node;
	return node_binary(parser, NODE_ADD, node, node_number(parser, 1, 4, true));
}

/* How many zeros are above the highest bit. */
static struct node *build_leading(struct parser *parser, const struct helper *helper)
{
	uint8_t size = size_or_long(parser, helper);
	struct node *arg;

	if (helper_arguments(parser, &arg, 1) != 1)
		return NULL;
	return node_binary(parser, NODE_SUBTRACT, node_number(parser, size * 8u - 1, 4, true),
			   count_bits(parser, NODE_HIGHEST_BIT, arg, size));
}

/* Where a mask's lowest bit is. */
static struct node *mask_shift(struct parser *parser, struct node *mask)
{
	return count_bits(parser, NODE_LOWEST_BIT, mask, 8);
}

/* What is in the bits of a mask, as a number; the mask's type is the result's. */
static struct node *get_bits(struct parser *parser, struct node *value, struct node *mask)
{
	struct node *node = node_binary(parser, NODE_SHIFT_RIGHT,
					node_binary(parser, NODE_AND, value, mask),
					mask_shift(parser, mask));

	return mask ? node_cast(parser, node, mask->size, mask->is_signed) : NULL;
}

static struct node *put_bits(struct parser *parser, struct node *value, struct node *mask)
{
	if (!mask)
		return NULL;
	value = node_cast(parser, value, mask->size, mask->is_signed);
	return node_binary(parser, NODE_AND,
			   node_binary(parser, NODE_SHIFT_LEFT, value, mask_shift(parser, mask)),
			   mask);
}

/* FIELD_GET(mask, value) and, with ->flag, FIELD_PREP(mask, value). */
static struct node *build_field(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	return helper->flag ? put_bits(parser, arg[1], arg[0]) : get_bits(parser, arg[1], arg[0]);
}

/* u32_get_bits(value, mask) and, with ->flag, u32_encode_bits(). */
static struct node *build_bits(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];
	struct node *node;

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	for (size_t i = 0; i < 2; i++)
		arg[i] = node_cast(parser, arg[i], helper->size, false);
	node = helper->flag ? put_bits(parser, arg[0], arg[1]) : get_bits(parser, arg[0], arg[1]);
	return node_cast(parser, node, helper->size, false);
}

/* sign_extend32(value, index of the sign) */
static struct node *build_sign(struct parser *parser, const struct helper *helper)
{
	struct node *arg[2];
	struct node *shift;
	struct node *node;

	if (helper_arguments(parser, arg, 2) != 2)
		return NULL;
	shift = node_binary(parser, NODE_SUBTRACT,
			    node_number(parser, helper->size * 8u - 1, 4, true), arg[1]);
	node = node_binary(parser, NODE_SHIFT_LEFT, node_cast(parser, arg[0], helper->size, false),
			   shift);
	return node_binary(parser, NODE_SHIFT_RIGHT, node_cast(parser, node, helper->size, true),
			   shift);
}

/* Half of a number; ->flag: the upper one. */
static struct node *build_half(struct parser *parser, const struct helper *helper)
{
	struct node *arg;

	if (helper_arguments(parser, &arg, 1) != 1)
		return NULL;
	arg = node_cast(parser, arg, 8, arg->is_signed);
	if (helper->flag)
		arg = node_binary(parser, NODE_SHIFT_RIGHT, arg, node_number(parser, 32, 4, true));
	return node_cast(parser, arg, 4, false);
}

/* The next comma outside of all brackets, or @end. */
static size_t find_comma(const struct parser *parser, size_t at, size_t end)
{
	while (at < end && !token_is_op(&parser->token[at], OP1(','))) {
		const struct token *token = &parser->token[at];

		if (token->kind == TOKEN_OP && token->match > at)
			at = token->match;
		at++;
	}
	return at < end ? at : end;
}

/* __builtin_choose_expr(constant, a, b): nobody looks at the one that is not chosen. */
static struct node *build_choose(struct parser *parser, const struct helper *helper)
{
	size_t close = parser->token[parser->at - 1].match;
	struct node *condition = parse_assignment(parser);
	struct node *node;
	size_t comma;

	(void)helper;
	if (!parser_take(parser, OP1(',')))
		return NULL;
	comma = find_comma(parser, parser->at, close);
	if (!node_is_constant(condition) || comma == close)
		return NULL;
	if (!condition->number)
		parser->at = comma + 1;
	node = parse_assignment(parser);
	if (parser->at != (condition->number ? comma : close))
		return NULL;
	parser->at = close;
	return node;
}

/* __builtin_types_compatible_p(): for sizes and signs, which is what values depend on. */
static struct node *build_compatible(struct parser *parser, const struct helper *helper)
{
	size_t close = parser->token[parser->at - 1].match;
	size_t comma = find_comma(parser, parser->at, close);
	struct ctype a;
	struct ctype b;

	(void)helper;
	if (comma == close || !parse_type(parser, parser->at, comma, &a) ||
	    !parse_type(parser, comma + 1, close, &b) || !a.size || !b.size)
		return NULL;
	parser->at = close;
	return node_number(parser,
			   a.size == b.size && a.is_signed == b.is_signed &&
				   a.is_bool == b.is_bool && a.is_pointer == b.is_pointer &&
				   a.elem_size == b.elem_size,
			   4, true);
}

#define BITS(bits, bytes)                                                               \
	{"GENMASK_U" #bits, build_genmask, NULL, NULL, bytes, 0, false},                \
		{"BIT_U" #bits, build_bit, NULL, NULL, bytes, 0, false},                \
		{"u" #bits "_get_bits", build_bits, NULL, NULL, bytes, 0, false},       \
		{"u" #bits "_encode_bits", build_bits, NULL, NULL, bytes, 0, true},     \
	{                                                                               \
		"hweight" #bits, build_count, NULL, NULL, bytes, NODE_COUNT_ONES, false \
	}

const struct helper bit_helpers[] = {
	{"GENMASK", build_genmask, NULL, NULL, 0, 0, false},
	{"GENMASK_ULL", build_genmask, NULL, NULL, 8, 0, false},
	{"BIT", build_bit, NULL, NULL, 0, 0, false},
	{"BIT_ULL", build_bit, NULL, NULL, 8, 0, false},
	{"FIELD_GET", build_field, NULL, NULL, 0, 0, false},
	{"FIELD_PREP", build_field, NULL, NULL, 0, 0, true},
	BITS(8, 1),
	BITS(16, 2),
	BITS(32, 4),
	BITS(64, 8),
	{"hweight_long", build_count, NULL, NULL, 0, NODE_COUNT_ONES, false},
	{"ffs", build_count, NULL, NULL, 4, NODE_LOWEST_BIT, true},
	{"fls", build_count, NULL, NULL, 4, NODE_HIGHEST_BIT, true},
	{"fls64", build_count, NULL, NULL, 8, NODE_HIGHEST_BIT, true},
	{"fls_long", build_count, NULL, NULL, 0, NODE_HIGHEST_BIT, true},
	{"__ffs", build_count, NULL, NULL, 0, NODE_LOWEST_BIT, false},
	{"__ffs64", build_count, NULL, NULL, 8, NODE_LOWEST_BIT, false},
	{"__fls", build_count, NULL, NULL, 0, NODE_HIGHEST_BIT, false},
	{"ilog2", build_count, NULL, NULL, 8, NODE_HIGHEST_BIT, false},
	{"__ilog2_u32", build_count, NULL, NULL, 4, NODE_HIGHEST_BIT, false},
	{"__ilog2_u64", build_count, NULL, NULL, 8, NODE_HIGHEST_BIT, false},
	{"__builtin_ffs", build_count, NULL, NULL, 4, NODE_LOWEST_BIT, true},
	{"__builtin_ffsl", build_count, NULL, NULL, 0, NODE_LOWEST_BIT, true},
	{"__builtin_ffsll", build_count, NULL, NULL, 8, NODE_LOWEST_BIT, true},
	{"__builtin_ctz", build_count, NULL, NULL, 4, NODE_LOWEST_BIT, false},
	{"__builtin_ctzl", build_count, NULL, NULL, 0, NODE_LOWEST_BIT, false},
	{"__builtin_ctzll", build_count, NULL, NULL, 8, NODE_LOWEST_BIT, false},
	{"__builtin_clz", build_leading, NULL, NULL, 4, 0, false},
	{"__builtin_clzl", build_leading, NULL, NULL, 0, 0, false},
	{"__builtin_clzll", build_leading, NULL, NULL, 8, 0, false},
	{"__builtin_popcount", build_count, NULL, NULL, 4, NODE_COUNT_ONES, false},
	{"__builtin_popcountl", build_count, NULL, NULL, 0, NODE_COUNT_ONES, false},
	{"__builtin_popcountll", build_count, NULL, NULL, 8, NODE_COUNT_ONES, false},
	{"sign_extend32", build_sign, NULL, NULL, 4, 0, false},
	{"sign_extend64", build_sign, NULL, NULL, 8, 0, false},
	{"upper_32_bits", build_half, NULL, NULL, 0, 0, true},
	{"lower_32_bits", build_half, NULL, NULL, 0, 0, false},
	{"__builtin_choose_expr", build_choose, NULL, NULL, 0, 0, false},
	{"__builtin_types_compatible_p", build_compatible, NULL, NULL, 0, 0, false},
	{NULL, NULL, NULL, NULL, 0, 0, false},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types inside of the expressions of print formats: casts, compound literals, sizeof. */
#include "decode/ctype.h"
#include "decode/expr.h"
#include "util/mem.h"

/* The source text from one token to another, both included. */
static size_t span(const struct token *first, const struct token *last)
{
	return (size_t)(last->at + last->len - first->at);
}

static bool starts_operand(const struct token *token)
{
	if (token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING)
		return true;
	return token_is_op(token, OP1('(')) || token_is_op(token, OP1('~')) ||
	       token_is_op(token, OP1('!')) || token_is_op(token, OP1('{'));
}

bool parser_is_type(const struct parser *parser, size_t close, struct ctype *type)
{
	const struct token *first = parser_peek_at(parser, 1);
	const struct token *last = &parser->token[close - 1];

	if (close <= parser->at + 1 || first->kind != TOKEN_NAME || token_is(first, "REC"))
		return false;
	for (size_t i = parser->at + 1; i < close; i++)
		if (parser->token[i].kind != TOKEN_NAME &&
		    !token_is_op(&parser->token[i], OP1('*')))
			return false;
	if (!ctype_parse(first->at, span(first, last), parser->long_size, type))
		return false;
	if (ctype_is_word(first->at, first->len) || type->is_pointer)
		return true;
	return close + 1 < parser->end && starts_operand(&parser->token[close + 1]);
}

struct node *node_cast_memory(struct parser *parser, const struct node *a, const struct ctype *type)
{
	struct node *node;

	if (!type->is_pointer)
		return NULL;
	node = node_new(parser, NODE_ARRAY, VALUE_MEM);
	if (!node)
		return NULL;
	*node = *a;
	node->elem_size = type->elem_size ? type->elem_size : 1;
	node->elem_signed = type->elem_signed;
	return node;
}

static struct node *apply_cast(struct parser *parser, struct node *a, const struct ctype *type)
{
	if (!a)
		return NULL;
	if (a->kind == VALUE_MEM)
		return node_cast_memory(parser, a, type);
	if (a->kind == VALUE_TEXT)
		return type->is_pointer || !type->size ? a : NULL;
	if (type->is_bool)
		return node_bool(parser, a);
	/* A type nobody knows: at least C would have promoted it. */
	if (!type->size)
		return a;
	return node_cast(parser, a, type->size, type->is_signed);
}

/* "{ .member = value }" behind a type: the one value in it. */
static struct node *parse_compound(struct parser *parser)
{
	struct node *node;

	if (!parser_take(parser, OP1('{')))
		return NULL;
	if (parser_take(parser, OP1('.'))) {
		parser->at++;
		if (!parser_take(parser, OP1('=')))
			return NULL;
	}
	node = parse_assignment(parser);
	parser_take(parser, OP1(','));
	return parser_take(parser, OP1('}')) ? node : NULL;
}

struct node *parse_cast(struct parser *parser, size_t close, const struct ctype *type)
{
	parser->at = close + 1;
	if (parser_is(parser, OP1('{')))
		return apply_cast(parser, parse_compound(parser), type);
	return apply_cast(parser, parse_unary(parser), type);
}

struct node *parse_sizeof(struct parser *parser)
{
	size_t close = parser_peek(parser)->match;
	const struct node *node;
	struct ctype type;
	uint64_t size;

	if (!parser_is(parser, OP1('(')) || close <= parser->at || close >= parser->end)
		return NULL;
	if (parser_is_type(parser, close, &type) && type.size) {
		parser->at = close + 1;
		return node_number(parser, type.size, (uint8_t)parser->long_size, false);
	}
	node = parse_brackets(parser);
	if (!node || node->op == NODE_SYMBOL)
		return NULL;
	size = node->size;
	if (node->op == NODE_TEXT)
		size = node->len + 1;
	if (node->kind == VALUE_MEM)
		size = node->op == NODE_ARRAY && !node->to_record_end ? node->len : 0;
	return size ? node_number(parser, size, (uint8_t)parser->long_size, false) : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types inside of the expressions of print formats: casts, compound literals, sizeof. */
#include "decode/ctype.h"
#include "decode/expr.h"
#include "util/mem.h"

#define ELEMENTS_MOST 64

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

static bool is_typeof(const struct token *token)
{
	return token_is(token, "typeof") || token_is(token, "__typeof__") ||
	       token_is(token, "__typeof") || token_is(token, "typeof_unqual") ||
	       token_is(token, "__typeof_unqual__");
}

/* The type of what stands in the brackets behind "typeof". */
static bool take_typeof(struct parser *parser, size_t open, struct ctype *type)
{
	size_t close = parser->token[open].match;
	size_t back = parser->at;
	struct node *node;

	if (!token_is_op(&parser->token[open], OP1('(')) || close <= open)
		return false;
	if (parse_type(parser, open + 1, close, type))
		return true;
	parser->at = open;
	node = parse_brackets(parser);
	parser->at = back;
	if (!node)
		return false;
	*type = (struct ctype){.size = node->size, .is_signed = node->is_signed};
	if (node->kind == VALUE_INT && !node->is_pointer)
		return true;
	type->is_pointer = true;
	type->size = (uint8_t)parser->long_size;
	type->elem_size = node->kind == VALUE_MEM ? node->elem_size : node->pointee;
	type->elem_signed = node->kind == VALUE_MEM && node->elem_signed;
	return true;
}

static bool is_qualifier(const struct token *token)
{
	return token_is(token, "const") || token_is(token, "volatile");
}

/* Stars and qualifiers behind a type that has no name of its own. */
static bool take_stars(const struct parser *parser, size_t at, size_t end, struct ctype *type)
{
	for (; at < end; at++) {
		const struct token *token = &parser->token[at];

		if (is_qualifier(token))
			continue;
		if (!token_is_op(token, OP1('*')))
			return false;
		*type = (struct ctype){.size = (uint8_t)parser->long_size,
				       .is_pointer = true,
				       .elem_size = type->size,
				       .elem_signed = type->is_signed};
	}
	return true;
}

bool parse_type(struct parser *parser, size_t at, size_t end, struct ctype *type)
{
	const struct token *first;
	bool is_array = end > at + 2 && token_is_op(&parser->token[end - 1], OP1(']'));

	while (is_array && !token_is_op(&parser->token[end], OP1('[')) && end > at)
		end--;
	while (at < end && is_qualifier(&parser->token[at]))
		at++;
	first = &parser->token[at];
	if (at >= end || first->kind != TOKEN_NAME || token_is(first, "REC"))
		return false;
	if (token_is(first, "__auto_type") && at + 1 == end) {
		*type = (struct ctype){0};
		return true;
	}
	if (is_typeof(first)) {
		if (at + 1 >= end || !take_typeof(parser, at + 1, type) ||
		    !take_stars(parser, parser->token[at + 1].match + 1, end, type))
			return false;
		type->is_array = is_array;
		return true;
	}
	for (size_t i = at; i < end; i++)
		if (parser->token[i].kind != TOKEN_NAME &&
		    !token_is_op(&parser->token[i], OP1('*')))
			return false;
	if (!ctype_parse(first->at, span(first, &parser->token[end - 1]), parser->long_size, type))
		return false;
	type->is_array = is_array;
	return true;
}

bool parser_is_type(struct parser *parser, size_t close, struct ctype *type)
{
	const struct token *first = parser_peek_at(parser, 1);

	if (close <= parser->at + 1 || !parse_type(parser, parser->at + 1, close, type))
		return false;
	if (type->is_array || type->is_pointer || is_typeof(first) ||
	    ctype_is_word(first->at, first->len))
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

struct node *node_of_type(struct parser *parser, struct node *a, const struct ctype *type)
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
	a = node_cast(parser, a, type->size, type->is_signed);
	return type->is_pointer ? node_pointer(parser, a, type->elem_size) : a;
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

/* "{ a, b, c }" behind the type of an array. */
static struct node *parse_elements(struct parser *parser, struct ctype type)
{
	struct node *element[ELEMENTS_MOST];
	size_t nr = 0;

	type.is_array = false;
	if (!parser_take(parser, OP1('{')))
		return NULL;
	while (!parser_is(parser, OP1('}'))) {
		if (nr == ELEMENTS_MOST)
			return NULL;
		element[nr] = node_of_type(parser, parse_assignment(parser), &type);
		if (!element[nr] || element[nr]->kind != element[0]->kind)
			return NULL;
		nr++;
		if (!parser_take(parser, OP1(',')))
			break;
	}
	return parser_take(parser, OP1('}')) ? node_list(parser, element, nr) : NULL;
}

struct node *parse_cast(struct parser *parser, size_t close, const struct ctype *type)
{
	parser->at = close + 1;
	if (type->is_array)
		return parse_elements(parser, *type);
	if (parser_is(parser, OP1('{')))
		return node_of_type(parser, parse_compound(parser), type);
	return node_of_type(parser, parse_unary(parser), type);
}

/* "struct { int:...; }" and "struct { _Static_assert(...); }" have no members that take room: only the compiler looks at
 * what is in them. */
static bool is_empty_struct(const struct parser *parser, size_t close)
{
	size_t at = parser->at + 3;

	if (!token_is(parser_peek_at(parser, 1), "struct") ||
	    !token_is_op(parser_peek_at(parser, 2), OP1('{')) ||
	    parser_peek_at(parser, 2)->match != close - 1)
		return false;
	if (token_is(&parser->token[at], "int") && token_is_op(&parser->token[at + 1], OP1(':')))
		at += 2;
	else if (token_is(&parser->token[at], "_Static_assert"))
		at++;
	else
		return false;
	if (!token_is_op(&parser->token[at], OP1('(')) || parser->token[at].match <= at)
		return false;
	at = parser->token[at].match + 1;
	return token_is_op(&parser->token[at], OP1(';')) && at + 1 == close - 1;
}

/* "*pointer": how large what it points to is, though nobody knows what that is. */
static uint64_t size_behind(struct parser *parser)
{
	const struct node *node;

	parser->at += 2;
	node = parse_unary(parser);
	if (!node)
		return 0;
	if (node->kind == VALUE_MEM)
		return node->elem_size;
	if (!node->is_pointer)
		return 0;
	/* One of void, by the compiler's rule. */
	return node->pointee ? node->pointee : 1;
}

static uint64_t size_of_node(const struct node *node)
{
	if (!node || node->op == NODE_SYMBOL)
		return 0;
	if (node->op == NODE_TEXT)
		return node->len + 1;
	if (node->kind == VALUE_MEM)
		return node->op == NODE_ARRAY && !node->to_record_end ? node->len : 0;
	return node->size;
}

struct node *parse_sizeof(struct parser *parser)
{
	size_t close = parser_peek(parser)->match;
	bool is_empty;
	struct ctype type;
	uint64_t size = 0;

	if (!parser_is(parser, OP1('(')) || close <= parser->at || close >= parser->end)
		return NULL;
	is_empty = is_empty_struct(parser, close);
	if (!is_empty && parser_is_type(parser, close, &type) && type.size && !type.is_array) {
		size = type.size;
	} else if (!is_empty && token_is_op(parser_peek_at(parser, 1), OP1('*'))) {
		size = size_behind(parser);
		if (parser->at != close)
			return NULL;
	} else if (!is_empty) {
		size = size_of_node(parse_brackets(parser));
	}
	if (!size && !is_empty)
		return NULL;
	parser->at = close + 1;
	return node_number(parser, size, (uint8_t)parser->long_size, false);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements inside of expressions, "({ ... })": what the kernel's macros leave in print formats. */
#include "decode/expr.h"

/* Where the statement that begins at @at ends: its ';', or @end. */
static size_t statement_end(const struct parser *parser, size_t at, size_t end)
{
	while (at < end && !token_is_op(&parser->token[at], OP1(';'))) {
		const struct token *token = &parser->token[at];

		if (token->kind == TOKEN_OP && token->match > at)
			at = token->match;
		at++;
	}
	return at < end ? at : end;
}

/* Nothing but an assignment can change what the statements behind it give: the checks that the kernel makes at compile
 * time have none. */
static bool has_no_effect(const struct parser *parser, size_t at, size_t end)
{
	static const char *const jumps[] = {"return", "goto", "break", "continue"};

	for (; at < end; at++) {
		const struct token *token = &parser->token[at];

		if (token_is_op(token, OP1('=')) || token_is_op(token, OP2('+', '+')) ||
		    token_is_op(token, OP2('-', '-')) || token_is_op(token, OP3('<', '<', '=')) ||
		    token_is_op(token, OP3('>', '>', '=')))
			return false;
		for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++)
			if (token_is(token, jumps[i]))
				return false;
	}
	return true;
}

/* The expression that takes all from @at to @end. */
static struct node *parse_range(struct parser *parser, size_t at, size_t end)
{
	size_t outer = parser->end;
	struct node *node;

	parser->at = at;
	parser->end = end;
	node = parse_assignment(parser);
	parser->end = outer;
	return parser->at == end ? node : NULL;
}

/* "TYPE name = value": the name stands for the value, in that type, from there on. */
static bool parse_declaration(struct parser *parser, size_t at, size_t end)
{
	size_t equal = at;
	struct ctype type;
	struct node *value;

	while (equal < end && !token_is_op(&parser->token[equal], OP1('='))) {
		const struct token *token = &parser->token[equal];

		if (token->kind == TOKEN_OP && token->match > equal)
			equal = token->match;
		equal++;
	}
	if (equal >= end || equal < at + 2 || parser->token[equal - 1].kind != TOKEN_NAME ||
	    parser->nr_variables == VARIABLES_MOST || !parse_type(parser, at, equal - 1, &type) ||
	    type.is_array)
		return false;
	value = node_of_type(parser, parse_range(parser, equal + 1, end), &type);
	if (!value)
		return false;
	parser->variable[parser->nr_variables++] =
		(struct variable){&parser->token[equal - 1], value};
	return true;
}

struct node *parse_statements(struct parser *parser, size_t close)
{
	size_t outer = parser->nr_variables;
	size_t at = parser->at + 2;
	size_t end = parser->token[parser->at + 1].match;
	struct node *node = NULL;

	if (end != close - 1)
		return NULL;
	while (at < end) {
		size_t stop = statement_end(parser, at, end);

		if (stop + 1 >= end) {
			node = parse_range(parser, at, stop);
			break;
		}
		if (!has_no_effect(parser, at, stop) && !parse_declaration(parser, at, stop))
			break;
		at = stop + 1;
	}
	parser->nr_variables = outer;
	parser->at = close + 1;
	return node;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements inside of expressions, "({ ... })": what the kernel's macros leave in print formats. */
#include "decode/expr.h"

/* "TYPE name = value;" inside of "({ ... })". Anything else is left alone. */
static bool parse_declaration(struct parser *parser)
{
	size_t at = parser->at;
	struct node *value;

	while (at + 1 < parser->end && !token_is_op(&parser->token[at + 1], OP1('='))) {
		if (parser->token[at].kind != TOKEN_NAME &&
		    !token_is_op(&parser->token[at], OP1('*')))
			return false;
		at++;
	}
	if (at + 1 >= parser->end || at == parser->at || parser->token[at].kind != TOKEN_NAME)
		return false;
	parser->at = at + 2;
	value = parse_assignment(parser);
	if (!value || parser->nr_variables == VARIABLES_MOST)
		return false;
	parser->variable[parser->nr_variables++] = (struct variable){&parser->token[at], value};
	return parser_take(parser, OP1(';'));
}

struct node *parse_statements(struct parser *parser, size_t close)
{
	size_t outer = parser->nr_variables;
	struct node *node;
	size_t start;

	parser->at += 2;
	do {
		start = parser->at;
	} while (parse_declaration(parser));
	parser->at = start;
	node = parse_assignment(parser);
	parser_take(parser, OP1(';'));
	parser->nr_variables = outer;
	if (!parser_take(parser, OP1('}')) || parser->at != close)
		return NULL;
	parser->at = close + 1;
	return node;
}

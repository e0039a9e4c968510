/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses one argument of a print format, with C's precedence and associativity. */
#include <string.h>

#include "decode/ctype.h"
#include "decode/expr.h"
#include "util/mem.h"

struct binary_operator {
	uint32_t op;
	uint8_t precedence;
	uint8_t node;
};

static const struct binary_operator binary_operators[] = {
	{OP1('*'), 10, NODE_MULTIPLY},
	{OP1('/'), 10, NODE_DIVIDE},
	{OP1('%'), 10, NODE_MODULO},
	{OP1('+'), 9, NODE_ADD},
	{OP1('-'), 9, NODE_SUBTRACT},
	{OP2('<', '<'), 8, NODE_SHIFT_LEFT},
	{OP2('>', '>'), 8, NODE_SHIFT_RIGHT},
	{OP1('<'), 7, NODE_LESS},
	{OP1('>'), 7, NODE_GREATER},
	{OP2('<', '='), 7, NODE_LESS_EQUAL},
	{OP2('>', '='), 7, NODE_GREATER_EQUAL},
	{OP2('=', '='), 6, NODE_EQUAL},
	{OP2('!', '='), 6, NODE_NOT_EQUAL},
	{OP1('&'), 5, NODE_AND},
	{OP1('^'), 4, NODE_XOR},
	{OP1('|'), 3, NODE_OR},
	{OP2('&', '&'), 2, NODE_LOGIC_AND},
	{OP2('|', '|'), 1, NODE_LOGIC_OR},
};

/* Names that formats use without giving their value; the softirq and hrtimer ones are as old as the
 * formats of 2.6 kernels, which print them bare. */
static const struct {
	const char *name;
	int value;
} constants[] = {
	{"NULL", 0},
	{"true", 1},
	{"false", 0},
	{"DUMP_PREFIX_NONE", DUMP_PREFIX_NONE},
	{"DUMP_PREFIX_ADDRESS", DUMP_PREFIX_ADDRESS},
	{"DUMP_PREFIX_OFFSET", DUMP_PREFIX_OFFSET},
	{"HI_SOFTIRQ", 0},
	{"TIMER_SOFTIRQ", 1},
	{"NET_TX_SOFTIRQ", 2},
	{"NET_RX_SOFTIRQ", 3},
	{"BLOCK_SOFTIRQ", 4},
	{"IRQ_POLL_SOFTIRQ", 5},
	{"BLOCK_IOPOLL_SOFTIRQ", 5},
	{"TASKLET_SOFTIRQ", 6},
	{"SCHED_SOFTIRQ", 7},
	{"HRTIMER_SOFTIRQ", 8},
	{"RCU_SOFTIRQ", 9},
	{"HRTIMER_NORESTART", 0},
	{"HRTIMER_RESTART", 1},
};

static const struct token no_token = {.kind = TOKEN_END};

const struct token *parser_peek(const struct parser *parser)
{
	return parser->at < parser->end ? &parser->token[parser->at] : &no_token;
}

const struct token *parser_peek_at(const struct parser *parser, size_t ahead)
{
	return parser->at + ahead < parser->end ? &parser->token[parser->at + ahead] : &no_token;
}

bool token_is_op(const struct token *token, uint32_t op)
{
	return token->kind == TOKEN_OP && token->op == op;
}

bool parser_is(const struct parser *parser, uint32_t op)
{
	return token_is_op(parser_peek(parser), op);
}

bool parser_take(struct parser *parser, uint32_t op)
{
	if (!parser_is(parser, op))
		return false;
	parser->at++;
	return true;
}

bool token_is(const struct token *token, const char *name)
{
	return token->kind == TOKEN_NAME && strlen(name) == token->len &&
	       !memcmp(token->at, name, token->len);
}

const struct decode_field *parser_field(const struct parser *parser, const struct token *name)
{
	if (name->kind != TOKEN_NAME)
		return NULL;
	for (size_t i = 0; i < parser->format->nr_fields; i++)
		if (token_is(name, parser->format->field[i].name))
			return &parser->format->field[i];
	return NULL;
}

struct node *parse_strings(struct parser *parser)
{
	size_t first = parser->at;
	size_t room = 0;
	size_t len = 0;
	char *text;

	for (; parser_peek(parser)->kind == TOKEN_STRING; parser->at++)
		room += parser_peek(parser)->len;
	if (parser->at == first)
		return NULL;
	text = arena_alloc(parser->arena, room + 1);
	for (size_t i = first; i < parser->at; i++)
		len += token_unescape(parser->token[i].at, parser->token[i].len, text + len);
	return node_text(parser, text, len);
}

/* Passes brackets that hold nothing but brackets without going deeper for each. */
struct node *parse_brackets(struct parser *parser)
{
	size_t close = parser->token[parser->at].match;
	size_t end = close + 1;
	struct ctype type;
	struct node *node;

	if (close <= parser->at || close >= parser->end)
		return NULL;
	if (parser_is_type(parser, close, &type))
		return parse_cast(parser, close, &type);
	while (token_is_op(parser_peek_at(parser, 1), OP1('(')) &&
	       parser_peek_at(parser, 1)->match == close - 1 &&
	       !token_is_op(parser_peek_at(parser, 2), OP1('{'))) {
		struct parser inner = *parser;

		inner.at++;
		if (parser_is_type(&inner, close - 1, &type))
			break;
		parser->at++;
		close--;
	}
	if (token_is_op(parser_peek_at(parser, 1), OP1('{')))
		return parse_statements(parser, close);
	parser->at++;
	node = parse_assignment(parser);
	/* The comma operator: the last one counts. */
	while (node && parser_take(parser, OP1(',')))
		node = parse_assignment(parser);
	if (parser->at != close)
		return NULL;
	parser->at = end;
	return node;
}

static struct node *parse_record(struct parser *parser)
{
	static const char location[] = "__data_loc_";
	const struct decode_field *field;
	struct decode_field *word;
	const struct token *name;
	struct token tail;
	struct node *node;

	if (!parser_take(parser, OP2('-', '>'))) {
		/* REC itself: all of the record. */
		node = node_new(parser, NODE_ARRAY, VALUE_MEM);
		if (node) {
			node->to_record_end = true;
			node->elem_size = 1;
		}
		return node;
	}
	name = parser_peek(parser);
	field = parser_field(parser, name);
	parser->at++;
	if (field)
		return node_field(parser, field);
	/* The kernel's own name of a dynamic array's offset and length. */
	if (name->kind != TOKEN_NAME || name->len < sizeof(location) ||
	    memcmp(name->at, location, sizeof(location) - 1))
		return NULL;
	tail = *name;
	tail.at += sizeof(location) - 1;
	tail.len -= (uint32_t)sizeof(location) - 1;
	field = parser_field(parser, &tail);
	if (!field || field->size < 4)
		return NULL;
	word = arena_alloc(parser->arena, sizeof(*word));
	*word = (struct decode_field){.name = field->name, .offset = field->offset, .size = 4};
	return node_field(parser, word);
}

static struct node *parse_name(struct parser *parser)
{
	const struct token *name = parser_peek(parser);
	struct node *node;

	parser->at++;
	if (token_is(name, "REC"))
		return parse_record(parser);
	if (token_is(name, "sizeof"))
		return parse_sizeof(parser);
	if (parser_is(parser, OP1('(')))
		return parse_call(parser, name);
	for (size_t i = parser->nr_variables; i > 0; i--) {
		const struct token *known = parser->variable[i - 1].name;

		if (known->len == name->len && !memcmp(known->at, name->at, name->len))
			return parser->variable[i - 1].value;
	}
	for (size_t i = 0; i < array_size(constants); i++)
		if (token_is(name, constants[i].name))
			return node_number(parser, (uint64_t)(int64_t)constants[i].value, 4, true);
	node = node_new(parser, NODE_SYMBOL, VALUE_INT);
	if (!node)
		return NULL;
	node->text = arena_text(parser->arena, name->at, name->len);
	node->len = name->len;
	node->cell = arena_alloc(parser->arena, sizeof(*node->cell));
	node->size = (uint8_t)parser->long_size;
	node->uses_symbol = true;
	return node;
}

static struct node *parse_primary(struct parser *parser)
{
	const struct token *token = parser_peek(parser);

	switch (token->kind) {
	case TOKEN_NUMBER:
		parser->at++;
		return node_number(parser, token->number,
				   token->size ? token->size : (uint8_t)parser->long_size,
				   token->is_signed);
	case TOKEN_STRING:
		return parse_strings(parser);
	case TOKEN_NAME:
		return parse_name(parser);
	case TOKEN_OP:
		return token->op == OP1('(') ? parse_brackets(parser) : NULL;
	default:
		return NULL;
	}
}

static struct node *parse_postfix(struct parser *parser)
{
	bool was_record = token_is_op(parser_peek(parser), OP1('('));
	struct node *node = parse_primary(parser);

	while (node) {
		if (parser_take(parser, OP1('['))) {
			node = node_index(parser, node, parse_assignment(parser));
			if (!parser_take(parser, OP1(']')))
				return NULL;
		} else if (was_record && node->op == NODE_ARRAY && node->to_record_end &&
			   !node->field && parser_is(parser, OP2('-', '>'))) {
			/* (REC)->field */
			node = parse_record(parser);
		} else if (parser_is(parser, OP1('.')) && node->kind == VALUE_INT &&
			   parser_peek_at(parser, 1)->kind == TOKEN_NAME) {
			/* The one member of a compound literal or of a wrapped integer. */
			parser->at += 2;
		} else {
			return node;
		}
	}
	return NULL;
}

static struct node *address_of(struct parser *parser, const struct node *node)
{
	/* Of a field, or of an array's element: the memory it was read from. */
	if (!node)
		return NULL;
	if (node->op == NODE_FIELD && node->field)
		return node_memory(parser, node->field);
	if (node->op == NODE_INDEX || (node->op == NODE_FIELD && node->a)) {
		struct node *operand[] = {(struct node *)node->a, (struct node *)node->b};

		return node_binary(parser, NODE_ADD, operand[0], operand[1]);
	}
	return node->kind == VALUE_MEM
		       ? node_cast_memory(parser, node,
					  &(struct ctype){.is_pointer = true,
							  .elem_size = node->elem_size,
							  .elem_signed = node->elem_signed})
		       : NULL;
}

static struct node *parse_unary_operator(struct parser *parser, uint32_t op)
{
	struct node *node;

	parser->at++;
	node = parse_unary(parser);
	switch (op) {
	case OP1('-'):
		return node_unary(parser, NODE_NEGATE, node);
	case OP1('~'):
		return node_unary(parser, NODE_COMPLEMENT, node);
	case OP1('!'):
		return node_unary(parser, NODE_LOGIC_NOT, node);
	case OP1('*'):
		return node_index(parser, node, node_number(parser, 0, 4, true));
	case OP1('&'):
		return address_of(parser, node);
	default:
		/* '+' does nothing but what C does to every operand. */
		if (!node || node->kind != VALUE_INT)
			return NULL;
		return node->size < 4 ? node_cast(parser, node, 4, true) : node;
	}
}

struct node *parse_unary(struct parser *parser)
{
	static const char operators[] = "-~!*&+";
	const struct token *token = parser_peek(parser);
	struct node *node;

	if (parser->depth >= DEPTH_MOST)
		return NULL;
	parser->depth++;
	if (token->kind == TOKEN_OP && token->op < 128 && strchr(operators, (int)token->op))
		node = parse_unary_operator(parser, token->op);
	else
		node = parse_postfix(parser);
	parser->depth--;
	return node;
}

static const struct binary_operator *binary_operator(const struct token *token)
{
	if (token->kind != TOKEN_OP)
		return NULL;
	for (size_t i = 0; i < array_size(binary_operators); i++)
		if (binary_operators[i].op == token->op)
			return &binary_operators[i];
	return NULL;
}

/* Operators that bind at least as tightly as @least; those of one level group from the left. */
static struct node *parse_binary(struct parser *parser, unsigned int least)
{
	struct node *left = parse_unary(parser);

	while (left) {
		const struct binary_operator *op = binary_operator(parser_peek(parser));

		if (!op || op->precedence < least)
			return left;
		parser->at++;
		left = node_binary(parser, (enum node_op)op->node, left,
				   parse_binary(parser, op->precedence + 1u));
	}
	return NULL;
}

struct node *parse_assignment(struct parser *parser)
{
	struct node *condition;
	struct node *node = NULL;

	if (parser->depth >= DEPTH_MOST)
		return NULL;
	parser->depth++;
	condition = parse_binary(parser, 1);
	if (!condition || !parser_take(parser, OP1('?'))) {
		node = condition;
	} else if (parser_take(parser, OP1(':'))) {
		node = node_elvis(parser, condition, parse_assignment(parser));
	} else {
		struct node *yes = parse_assignment(parser);

		if (yes && parser_take(parser, OP1(':')))
			node = node_choose(parser, condition, yes, parse_assignment(parser));
	}
	parser->depth--;
	return node;
}

struct node *expr_parse(struct parser *parser, size_t at, size_t end)
{
	struct node *node;

	parser->first = at;
	parser->at = at;
	parser->end = end;
	parser->wants_plugin = false;
	parser->depth = 0;
	parser->nr_variables = 0;
	node = parse_assignment(parser);
	return parser->at == end ? node : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says what libtraceevent may be given without crashing. */
#include "decode/lint.h"

#include <ctype.h>
#include <string.h>

#include "decode/token.h"
#include "util/mem.h"

#define LENGTH_MOST 32768
#define NESTING_MOST 64
#define OPERATORS_MOST 2000
/* Of operators that stand side by side, as in "!!!x". */
#define RUN_MOST 8

struct linter {
	size_t nesting;
	size_t operators;
	size_t run;
};

static bool opens(uint32_t op)
{
	return op == OP1('(') || op == OP1('[') || op == OP1('{');
}

static bool closes(uint32_t op)
{
	return op == OP1(')') || op == OP1(']') || op == OP1('}');
}

/* Only a plain number that is not zero, or a size, may divide. */
static bool divisor_is_safe(const struct token *token)
{
	if (token->kind == TOKEN_NUMBER)
		return token->number != 0;
	return token->kind == TOKEN_NAME && token->len == 6 && !memcmp(token->at, "sizeof", 6);
}

static bool operator_is_safe(struct linter *lint, const struct token *token)
{
	if (opens(token->op)) {
		lint->run = 0;
		return token->match && ++lint->nesting <= NESTING_MOST;
	}
	if (closes(token->op)) {
		lint->run = 0;
		return lint->nesting-- > 0;
	}
	if (token->op == OP1(','))
		lint->run = 0;
	else if (++lint->run > RUN_MOST || ++lint->operators > OPERATORS_MOST)
		return false;
	if (token->op == OP1('/') || token->op == OP1('%'))
		return divisor_is_safe(token + 1);
	return true;
}

/* "REC->" must be followed by a name. */
static bool tokens_are_safe(const struct tokens *tokens)
{
	struct linter lint = {0};

	for (size_t i = 0; i < tokens->nr; i++) {
		const struct token *token = &tokens->token[i];

		if (token->kind == TOKEN_BAD)
			return false;
		if (token->kind != TOKEN_OP) {
			lint.run = 0;
			continue;
		}
		if (!operator_is_safe(&lint, token))
			return false;
		if (token->op == OP2('-', '>') && token[1].kind != TOKEN_NAME)
			return false;
	}
	return lint.nesting == 0;
}

bool lint_print(struct decode_text print)
{
	struct arena arena = {0};
	struct tokens tokens;
	bool safe;

	if (!print.text || print.len > LENGTH_MOST || memchr(print.text, '\0', print.len))
		return false;
	tokens_cut(print, &arena, &tokens);
	safe = tokens_are_safe(&tokens);
	arena_fini(&arena);
	return safe;
}

static bool all_in(const char *text, const char *extra)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_' && !strchr(extra, *text))
			return false;
	return true;
}

bool lint_fields(const struct event *event)
{
	if (!all_in(event->name, "-.") || !*event->name)
		return false;
	for (size_t i = 0; i < event->nr_fields; i++)
		if (!all_in(event->field[i].name, "") || !all_in(event->field[i].type, " *[]"))
			return false;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cuts the C text of a print format into tokens. */
#include "decode/token.h"

#include <ctype.h>
#include <string.h>

#include "util/mem.h"

static const char operators[][4] = {
	"<<=", ">>=", "...", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* The type of an integer constant by C's rules; a plain long's size is left to the parser. */
static void set_number_type(struct token *token, bool decimal, bool has_u, unsigned int longs)
{
	bool fits_int = token->number <= (has_u ? UINT32_MAX : INT32_MAX);
	bool fits_uint = token->number <= UINT32_MAX && !decimal;

	token->is_signed = !has_u;
	if (longs == 1) {
		token->size = 0;
	} else if (longs) {
		token->size = 8;
	} else if (fits_int) {
		token->size = 4;
		return;
	} else if (fits_uint) {
		token->size = 4;
		token->is_signed = false;
		return;
	} else {
		token->size = 8;
	}
	if (token->number > INT64_MAX)
		token->is_signed = false;
}

static const char *cut_number(const char *at, const char *end, struct token *token)
{
	unsigned int base = 10;
	unsigned int longs = 0;
	bool has_u = false;

	if (*at == '0' && end - at > 2 && (at[1] == 'x' || at[1] == 'X')) {
		base = 16;
		at += 2;
	} else if (*at == '0' && end - at > 2 && (at[1] == 'b' || at[1] == 'B')) {
		base = 2;
		at += 2;
	} else if (*at == '0') {
		base = 8;
	}
	while (at < end && digit_value(*at) < (int)base)
		token->number = token->number * base + (unsigned int)digit_value(*at++);
	while (at < end && strchr("uUlL", *at) && *at) {
		has_u |= *at == 'u' || *at == 'U';
		longs += *at == 'l' || *at == 'L';
		at++;
	}
	token->kind = TOKEN_NUMBER;
	if (at < end && is_name_char(*at)) {
		token->kind = TOKEN_BAD;
		while (at < end && is_name_char(*at))
			at++;
	}
	set_number_type(token, base == 10, has_u, longs);
	return at;
}

/* One escape behind the backslash at @at; returns what follows it. */
static const char *unescape_one(const char *at, const char *end, char *out)
{
	static const char names[] = "abfnrtv0";
	static const char values[] = "\a\b\f\n\r\t\v";
	const char *name;
	unsigned int value = 0;
	const char *start;

	if (*at == 'x') {
		for (start = ++at; at < end && at - start < 2 && digit_value(*at) < 16; at++)
			value = value * 16 + (unsigned int)digit_value(*at);
		*out = (char)value;
		return at;
	}
	if (*at >= '0' && *at <= '7') {
		for (start = at; at < end && at - start < 3 && digit_value(*at) < 8; at++)
			value = value * 8 + (unsigned int)digit_value(*at);
		*out = (char)value;
		return at;
	}
	name = memchr(names, *at, sizeof(names) - 2);
	*out = name ? values[name - names] : *at;
	return at + 1;
}

size_t token_unescape(const char *text, size_t len, char *out)
{
	const char *end = text + len;
	char *start = out;

	while (text < end) {
		if (*text == '\\' && text + 1 < end)
			text = unescape_one(text + 1, end, out++);
		else
			*out++ = *text++;
	}
	return (size_t)(out - start);
}

/* A string or character constant, the quote at @at included. */
static const char *cut_quoted(const char *at, const char *end, struct token *token)
{
	char quote = *at++;
	const char *start = at;

	while (at < end && *at != quote)
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	if (at >= end) {
		token->kind = TOKEN_BAD;
		return end;
	}
	token->at = start;
	token->len = (uint32_t)(at - start);
	token->kind = TOKEN_STRING;
	if (quote == '\'') {
		char value[16] = {0};

		if (!token->len || token->len > sizeof(value)) {
			token->kind = TOKEN_BAD;
			return at + 1;
		}
		token_unescape(start, token->len, value);
		token->kind = TOKEN_NUMBER;
		token->number = (uint64_t)(int64_t)(signed char)value[0];
		token->size = 4;
		token->is_signed = true;
	}
	return at + 1;
}

static const char *cut_operator(const char *at, const char *end, struct token *token)
{
	static const char singles[] = "+-*/%&|^~!<>=?:;,.()[]{}";

	token->kind = TOKEN_OP;
	for (size_t i = 0; i < array_size(operators); i++) {
		size_t len = strlen(operators[i]);

		if ((size_t)(end - at) < len || memcmp(at, operators[i], len))
			continue;
		for (size_t j = 0; j < len; j++)
			token->op = token->op << 8 | OP1(at[j]);
		return at + len;
	}
	token->op = OP1(*at);
	if (!memchr(singles, *at, sizeof(singles) - 1))
		token->kind = TOKEN_BAD;
	return at + 1;
}

static const char *cut_one(const char *at, const char *end, struct token *token)
{
	token->at = at;
	if (isdigit((unsigned char)*at)) {
		at = cut_number(at, end, token);
	} else if (is_name_char(*at)) {
		token->kind = TOKEN_NAME;
		while (at < end && is_name_char(*at))
			at++;
	} else if (*at == '"' || *at == '\'') {
		return cut_quoted(at, end, token);
	} else {
		at = cut_operator(at, end, token);
	}
	token->len = (uint32_t)(at - token->at);
	return at;
}

static size_t cut_all(struct decode_text text, struct token *out)
{
	const char *end = text.text + text.len;
	const char *at = text.text;
	size_t nr = 0;

	while (at < end) {
		struct token token = {0};

		if (isspace((unsigned char)*at) || *at == '\0') {
			at++;
			continue;
		}
		at = cut_one(at, end, &token);
		if (out)
			out[nr] = token;
		nr++;
	}
	return nr;
}

static char closing(uint32_t op)
{
	return op == OP1('(') ? ')' : op == OP1('[') ? ']' : op == OP1('{') ? '}' : '\0';
}

/* Index 0 holds the format string, so that 0 can mean "no partner". */
static void match_brackets(struct tokens *tokens)
{
	cleanup_free uint32_t *open = xcalloc(tokens->nr + 1, sizeof(*open));
	size_t depth = 0;

	for (size_t i = 0; i < tokens->nr; i++) {
		struct token *token = &tokens->token[i];

		if (token->kind != TOKEN_OP)
			continue;
		if (closing(token->op)) {
			open[depth++] = (uint32_t)i;
			continue;
		}
		if (token->op != OP1(')') && token->op != OP1(']') && token->op != OP1('}'))
			continue;
		if (!depth || OP1(closing(tokens->token[open[depth - 1]].op)) != token->op)
			continue;
		depth--;
		token->match = open[depth];
		tokens->token[open[depth]].match = (uint32_t)i;
	}
}

void tokens_cut(struct decode_text text, struct arena *arena, struct tokens *out)
{
	out->nr = cut_all(text, NULL);
	out->token = arena_alloc(arena, (out->nr + 1) * sizeof(*out->token));
	cut_all(text, out->token);
	match_brackets(out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the plain names in a print format that stand where a number could. */
#include "record/operand.h"

#include <string.h>

#include "util/mem.h"

/* An operator of one character is its own kind. */
enum {
	TOKEN_END,
	TOKEN_NAME = 256,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_MEMBER,  /* "->" or "." */
	TOKEN_COMPARE, /* "==", "!=", "<=", ">=" */
};

/* Words of C, and what else is never an enumerator: the record, the trace_seq that print formats
 * can reach, and variables of the kernel. */
static const char *const other_words[] = {
	"REC",	  "_Bool",   "bool",  "char",	  "const",   "double", "enum",	       "float",
	"int",	  "jiffies", "long",  "p",	  "return",  "short",  "signed",       "sizeof",
	"static", "struct",  "union", "unsigned", "vmemmap", "void",   "vmemmap_base", "volatile",
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* No <ctype.h>: it minds the locale, and bytes above 127. */
static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Behind the closing quote, or at the end of the text. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote)
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return *at ? at + 1 : at;
}

static struct operand_token next_token(const char **at)
{
	struct operand_token token;
	const char *end;

	*at += strspn(*at, " \t\n");
	token = (struct operand_token){.kind = (unsigned char)**at, .at = *at};
	end = *at + (**at != '\0');
	if (is_word(**at)) {
		token.kind = is_digit(**at) ? TOKEN_NUMBER : TOKEN_NAME;
		while (is_word(*end))
			end++;
	} else if (**at == '"' || **at == '\'') {
		token.kind = **at == '"' ? TOKEN_STRING : TOKEN_NUMBER;
		end = skip_quoted(*at);
	} else if (**at == '.') {
		token.kind = TOKEN_MEMBER;
	} else if (end[0] == '>' && **at == '-') {
		token.kind = TOKEN_MEMBER;
		end++;
	} else if (end[0] == '=' && strchr("=!<>", **at)) {
		token.kind = TOKEN_COMPARE;
		end++;
	}
	token.len = (size_t)(end - *at);
	*at = end;
	return token;
}

static bool token_is(const struct operand_token *token, const char *word)
{
	return token->len == strlen(word) && memcmp(token->at, word, token->len) == 0;
}

static bool is_other_word(const struct operand_token *token)
{
	for (size_t i = 0; i < array_size(other_words); i++)
		if (token_is(token, other_words[i]))
			return true;
	return false;
}

/* Those whose argument is a type or a field's name: sizeof(u64), __get_str(name). */
static bool takes_no_operand(const struct operand_token *token)
{
	return token->kind == TOKEN_NAME &&
	       (token_is(token, "sizeof") || token_is(token, "typeof") ||
		token_is(token, "__typeof__") || str_starts(token->at, "__get_"));
}

/* Whether "(name)" in front of this token is a cast. Operators that may have one operand or two are
 * taken to have two. */
static bool begins_operand(const struct operand_token *token)
{
	switch (token->kind) {
	case TOKEN_NAME:
	case TOKEN_NUMBER:
	case TOKEN_STRING:
	case '(':
	case '!':
	case '~':
		return true;
	default:
		return false;
	}
}

static bool is_operand(const struct operands *ops, const struct operand_token *name)
{
	const struct operand_token *before = ops->before;
	const char *at = ops->at;
	struct operand_token next = next_token(&at);
	struct operand_token after = next_token(&at);

	if (is_other_word(name))
		return false;
	/* A field, a tag, or the name that a declaration introduces. */
	if (before[0].kind == TOKEN_MEMBER || before[0].kind == TOKEN_NAME)
		return false;
	if (before[0].kind == '(' && takes_no_operand(&before[1]))
		return false;
	/* A call, a structure, a declaration, a table, an assignment. */
	if (next.kind == '(' || next.kind == TOKEN_MEMBER || next.kind == TOKEN_NAME ||
	    next.kind == '[' || next.kind == '=')
		return false;
	if (next.kind == '*' && after.kind == ')')
		return false;
	return !(before[0].kind == '(' && next.kind == ')' && begins_operand(&after));
}

/* Names in "({ statements })" may be of its own variables. @at is behind the opening brace. */
static const char *skip_block(const char *at)
{
	size_t depth = 1;

	while (depth) {
		struct operand_token token = next_token(&at);

		if (token.kind == TOKEN_END)
			break;
		if (token.kind == '{')
			depth++;
		else if (token.kind == '}')
			depth--;
	}
	return at;
}

void operands_begin(struct operands *ops, const char *format)
{
	static const char head[] = "\nprint fmt:";
	const char *print = strstr(format, head);

	*ops = (struct operands){.at = print ? print + strlen(head) : ""};
}

bool operands_next(struct operands *ops)
{
	for (;;) {
		struct operand_token token = next_token(&ops->at);
		bool found;

		if (token.kind == TOKEN_END)
			return false;
		if (token.kind == '{' && ops->before[0].kind == '(')
			ops->at = skip_block(ops->at);
		found = token.kind == TOKEN_NAME && is_operand(ops, &token);
		ops->before[1] = ops->before[0];
		ops->before[0] = token;
		if (!found)
			continue;
		ops->name = token.at;
		ops->len = token.len;
		return true;
	}
}

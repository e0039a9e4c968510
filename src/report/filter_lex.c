/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a filter: operators, names, numbers, times, texts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter_tree.h"
#include "util/mem.h"
#include "util/str.h"

struct sign {
	const char *text;
	enum filter_token_kind kind;
	enum filter_op op;
};

/* The longer ones first. */
static const struct sign signs[] = {
	{"&&", FILTER_AND, 0},
	{"||", FILTER_OR, 0},
	{"==", FILTER_OP, FILTER_EQ},
	{"!=", FILTER_OP, FILTER_NE},
	{"<=", FILTER_OP, FILTER_LE},
	{">=", FILTER_OP, FILTER_GE},
	{"=~", FILTER_OP, FILTER_REGEX},
	{"!~", FILTER_OP, FILTER_NOT_REGEX},
	{"<", FILTER_OP, FILTER_LT},
	{">", FILTER_OP, FILTER_GT},
	{"&", FILTER_OP, FILTER_BITS},
	{"~", FILTER_OP, FILTER_GLOB},
	{"!", FILTER_NOT, 0},
	{"(", FILTER_OPEN, 0},
	{")", FILTER_CLOSE, 0},
};

const char *filter_op_name(enum filter_op op)
{
	for (size_t i = 0; i < array_size(signs); i++)
		if (signs[i].kind == FILTER_OP && signs[i].op == op)
			return signs[i].text;
	return "?";
}

/* What a bare word consists of: names, numbers, globs, and the like of kworker/0:1. */
static bool is_word(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && !strchr("\"'()&|!=<>~,;", c);
}

static int quoted(const char *text, struct filter_token *token, struct err *err)
{
	const char *end = text + token->at + 1;

	while (*end && *end != *(text + token->at))
		end += end[0] == '\\' && end[1] ? 2 : 1;
	if (!*end)
		return filter_error(err, text, token->at, "this text has no end: %c is missing",
				    text[token->at]);
	token->kind = FILTER_WORD;
	token->quote = text[token->at];
	token->len = (size_t)(end + 1 - (text + token->at));
	return 0;
}

static int strange(const char *text, size_t at, struct err *err)
{
	if (text[at] == '=')
		return filter_error(err, text, at, "equal is ==");
	if (text[at] == '|')
		return filter_error(err, text, at, "or is ||");
	if (text[at] == ',')
		return filter_error(err, text, at, "',' is for lists of events only: use || or &&");
	if ((unsigned char)text[at] < ' ' || text[at] == 0x7f)
		return filter_error(err, text, at, "a filter has no control characters");
	return filter_error(err, text, at, "a filter has no '%c' outside of quotes", text[at]);
}

int filter_next(const char *text, size_t *at, struct filter_token *token, struct err *err)
{
	int ret = 0;

	while (isspace((unsigned char)text[*at]))
		(*at)++;
	*token = (struct filter_token){.kind = FILTER_END, .at = *at};
	if (!text[*at])
		return 0;
	if (text[*at] == '"' || text[*at] == '\'') {
		ret = quoted(text, token, err);
		*at += token->len;
		return ret;
	}
	for (size_t i = 0; i < array_size(signs); i++) {
		if (!str_starts(text + *at, signs[i].text))
			continue;
		token->kind = signs[i].kind;
		token->op = signs[i].op;
		token->len = strlen(signs[i].text);
		*at += token->len;
		return 0;
	}
	while (is_word(text[*at + token->len]))
		token->len++;
	if (!token->len)
		return strange(text, *at, err);
	token->kind = FILTER_WORD;
	*at += token->len;
	return 0;
}

/* Only the quote itself is written with a backslash, so that regular expressions keep theirs. */
static char *unquote(const char *text, size_t len, char quote)
{
	char *out = xmalloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len && text[i + 1] == quote)
			i++;
		out[n++] = text[i];
	}
	out[n] = '\0';
	return out;
}

/* NAME, NAME[INDEX], NAME.function */
static void find_name(struct filter_word *word)
{
	const char *end = word->text;

	if (!isalpha((unsigned char)*end) && *end != '_')
		return;
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	if (*end == '[') {
		char *stop;

		if (!isdigit((unsigned char)end[1]) || strlen(end) > 10)
			return;
		word->index = strtol(end + 1, &stop, 10);
		if (strcmp(stop, "]"))
			return;
	} else if (!strcmp(end, ".function")) {
		word->is_function = true;
	} else if (*end) {
		return;
	}
	word->name = xstrndup(word->text, (size_t)(end - word->text));
}

void filter_word_init(struct filter_word *word, const char *text, const struct filter_token *token)
{
	const char *start = text + token->at;

	*word = (struct filter_word){.at = token->at, .quote = token->quote, .index = -1};
	if (token->quote) {
		word->text = unquote(start + 1, token->len - 2, token->quote);
		return;
	}
	word->text = xstrndup(start, token->len);
	find_name(word);
}

void filter_word_fini(struct filter_word *word)
{
	free(word->text);
	free(word->name);
	*word = (struct filter_word){0};
}

/* 'x' and '\n': as C has them. */
static bool parse_char(const struct filter_word *word, struct filter_number *out)
{
	static const char escapes[][2] = {
		{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', '\0'}, {'\\', '\\'}};
	size_t len = strlen(word->text);

	if (word->quote != '\'')
		return false;
	*out = (struct filter_number){.magnitude = (unsigned char)word->text[0]};
	if (len == 1)
		return true;
	if (len != 2 || word->text[0] != '\\')
		return false;
	for (size_t i = 0; i < array_size(escapes); i++) {
		out->magnitude = (unsigned char)escapes[i][1];
		if (escapes[i][0] == word->text[1])
			return true;
	}
	return false;
}

bool filter_parse_number(const struct filter_word *word, struct filter_number *out)
{
	const char *digits = word->text;
	char *end;

	if (word->quote)
		return parse_char(word, out);
	*out = (struct filter_number){.is_negative = *digits == '-'};
	if (*digits == '-' || *digits == '+')
		digits++;
	if (!isdigit((unsigned char)*digits))
		return false;
	out->is_bits = digits[0] == '0' && digits[1];
	errno = 0;
	out->magnitude = strtoull(digits, &end, 0);
	if (!out->magnitude)
		out->is_negative = false;
	return !errno && !*end;
}

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{"", 1000000000}, {"s", 1000000000},   {"ms", 1000000},	      {"us", 1000},
	{"ns", 1},	  {"m", 60000000000u}, {"h", 3600000000000u}, {"sec", 1000000000},
};

/* No double: times of day in nanoseconds have more digits than it holds. */
bool filter_parse_time(const struct filter_word *word, uint64_t *ns)
{
	const char *at = word->text;
	uint64_t number = 0;
	uint64_t scale = 1;
	bool point = false;
	unsigned __int128 product;

	if (word->quote || !isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (!mul_ok(number, 10, &number) ||
		    !add_ok(number, (uint64_t)(*at - '0'), &number) ||
		    (point && !mul_ok(scale, 10, &scale)))
			return false;
	}
	for (size_t i = 0; i < array_size(units); i++) {
		if (strcmp(units[i].name, at))
			continue;
		product = (unsigned __int128)number * units[i].ns / scale;
		*ns = (uint64_t)product;
		return product <= UINT64_MAX;
	}
	return false;
}

static const char *const special_names[] = {
	[FILTER_COMM] = "comm",
	[FILTER_PID] = "pid",
	[FILTER_CPU] = "cpu",
	[FILTER_TIME] = "time",
};

static const char *const special_capitals[] = {
	[FILTER_COMM] = "COMM",
	[FILTER_PID] = "PID",
	[FILTER_CPU] = "CPU",
	[FILTER_TIME] = "TIME",
};

enum filter_special filter_find_special(const char *name, bool *always)
{
	for (int i = 0; i < FILTER_NO_SPECIAL; i++) {
		*always = !strcmp(name, special_capitals[i]);
		if (*always || !strcmp(name, special_names[i]))
			return (enum filter_special)i;
	}
	return FILTER_NO_SPECIAL;
}

const char *filter_special_name(enum filter_special special)
{
	return special_names[special];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The regular expressions of filters, and globs over texts that need not end in NUL. */
#include <stdlib.h>
#include <string.h>

#include "report/filter_match.h"
#include "report/filter_tree.h"
#include "util/mem.h"

/* regcomp() recurses at each parenthesis and copies what an interval repeats: both must be bounded. */
#define REGEX_LENGTH 512
#define REGEX_DEPTH 16
#define REGEX_COPIES 1000

/* What makes this expression too costly, NULL when nothing does. */
static const char *cost_of(const char *text)
{
	unsigned long copies = 1;
	int depth = 0;

	if (strlen(text) > REGEX_LENGTH)
		return "it is too long";
	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
			if (*text >= '1' && *text <= '9')
				return "it refers back to a group";
		} else if (*text == '(') {
			if (++depth > REGEX_DEPTH)
				return "too many parentheses within each other";
		} else if (*text == ')') {
			depth--;
		} else if (*text == '{') {
			const char *comma = text + 1 + strspn(text + 1, "0123456789");
			unsigned long most =
				strtoul(*comma == ',' ? comma + 1 : text + 1, NULL, 10);

			/* {n,} repeats n times and goes on. */
			if (!most)
				most = strtoul(text + 1, NULL, 10) + 1;
			copies = most > REGEX_COPIES ? REGEX_COPIES + 1 : copies * most;
			if (copies > REGEX_COPIES)
				return "it repeats too much";
		}
	}
	return NULL;
}

int filter_regex(const char *text, struct filter_node *node, struct err *err)
{
	const struct filter_word *word = &node->right;
	const char *cost = cost_of(word->text);
	cleanup_free regex_t *regex = NULL;
	char reason[128];
	int r;

	if (cost)
		return filter_error(err, text, word->at, "this regular expression will not do: %s",
				    cost);
	regex = xzalloc(sizeof(*regex));
	r = regcomp(regex, word->text, REG_EXTENDED | REG_NOSUB);
	if (r) {
		regerror(r, regex, reason, sizeof(reason));
		return filter_error(err, text, word->at, "this is no regular expression: %s",
				    reason);
	}
	node->regex = take_ptr(regex);
	return 0;
}

/* A [set] from @at on; *end comes behind it. False for a '[' that nothing closes. */
static bool in_set(const char *at, char c, bool *hit, const char **end)
{
	bool inverted = at[1] == '!' || at[1] == '^';
	const char *first = at + 1 + inverted;
	bool found = false;

	for (at = first; *at && (*at != ']' || at == first); at++) {
		if (at[1] == '-' && at[2] && at[2] != ']') {
			found |= (unsigned char)c >= (unsigned char)at[0] &&
				 (unsigned char)c <= (unsigned char)at[2];
			at += 2;
		} else {
			found |= c == *at;
		}
	}
	*end = at + 1;
	*hit = found != inverted;
	return *at == ']';
}

/* One character of @glob, which is no '*', against @c; *glob moves behind it. */
static bool one_matches(const char **glob, char c)
{
	const char *at = *glob;
	const char *end;
	bool hit;

	if (*at == '[' && in_set(at, c, &hit, &end)) {
		*glob = end;
		return hit;
	}
	if (*at == '\\' && at[1]) {
		*glob = at + 2;
		return at[1] == c;
	}
	*glob = at + 1;
	return *at == '?' || *at == c;
}

bool filter_glob(const char *glob, const char *text, size_t len)
{
	const char *star = NULL; /* behind the last '*' */
	size_t star_at = 0;	 /* what it took ends here */
	size_t at = 0;

	for (;;) {
		if (*glob == '*') {
			star = ++glob;
			star_at = at;
			continue;
		}
		if (at == len && !*glob)
			return true;
		if (at < len && *glob && one_matches(&glob, text[at])) {
			at++;
			continue;
		}
		if (!star || star_at >= len)
			return false;
		at = ++star_at;
		glob = star;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many functions at once: counted in one walk, and named by their numbers. */
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

static bool is_plain(const char *pattern)
{
	return *pattern && !is_glob(pattern) && !strpbrk(pattern, ": \t\n");
}

size_t tfs_count_name(const struct strv *names, const char *name)
{
	size_t len = strlen(name);
	size_t low = 0;
	size_t high = names->nr;
	size_t nr = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(names->item[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < names->nr && !strncmp(names->item[low], name, len) &&
	       (!names->item[low][len] || names->item[low][len] == ' ')) {
		nr++;
		low++;
	}
	return nr;
}

int tfs_count_functions(const struct tfs *tfs, const struct strv *patterns, size_t *counts,
			struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = patterns->nr > 1 ? tfs_functions(tfs, &names, err) : 0;

	for (size_t i = 0; r == 0 && i < patterns->nr; i++) {
		counts[i] = 0;
		if (names.nr && is_plain(patterns->item[i]))
			counts[i] = tfs_count_name(&names, patterns->item[i]);
		/* One that is not there is looked for again, for the names like it. */
		if (!counts[i])
			r = tfs_match_functions(tfs, patterns->item[i], &counts[i], err);
	}
	return r;
}

/* The token's name is the line's; is it of the right module, too? */
static bool is_wanted(const char *token, size_t len, const char *line, bool exact)
{
	static const char mod[] = ":mod:";
	const char *module = line + len + strspn(line + len, " ");
	const char *want = token + len;
	size_t want_len;

	if (!*want)
		return !exact || !*module;
	want += strlen(mod);
	want_len = strlen(want);
	return *module == '[' && !strncmp(module + 1, want, want_len) &&
	       module[1 + want_len] == ']';
}

/* Length of the name in "name" and "name:mod:module"; 0 for what the kernel must work out. */
static size_t name_length(const char *token)
{
	const char *mod = strstr(token, ":mod:");
	size_t len = mod ? (size_t)(mod - token) : strlen(token);

	if (*token == '!' || is_glob(token) || memchr(token, ':', len))
		return 0;
	return len;
}

static bool has_name(const struct function *function, const char *name, size_t len)
{
	return !strncmp(function->line, name, len) &&
	       (!function->line[len] || function->line[len] == ' ');
}

/* The first line that is not before @name. */
static size_t find_first(const struct function_table *table, const char *name, size_t len)
{
	size_t low = 0;
	size_t high = table->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		/* Equal so far: the name alone comes before all that are longer. */
		if (strncmp(table->function[middle].line, name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Each line has one number, whoever asks for it first. */
static bool number_token(const struct function_table *table, bool *taken, const char *token,
			 bool exact, struct tfs_numbered *out)
{
	size_t len = name_length(token);
	bool found = false;

	if (!len)
		return false;
	for (size_t i = find_first(table, token, len);
	     i < table->nr && has_name(&table->function[i], token, len); i++) {
		const struct function *function = &table->function[i];

		if (!is_wanted(token, len, function->line, exact) || (taken[i] && exact))
			continue;
		found = true;
		if (taken[i])
			continue;
		taken[i] = true;
		strv_add_take(&out->tokens, xasprintf("%zu", function->number));
		strv_add(&out->lines, function->line);
		if (exact)
			break;
	}
	return found;
}

void tfs_numbered_fini(struct tfs_numbered *numbered)
{
	strv_fini(&numbered->tokens);
	strv_fini(&numbered->lines);
}

bool tfs_number_functions(const char *dir, const struct strv *tokens, bool exact,
			  struct tfs_numbered *out)
{
	const struct tfs top = {.top = (char *)dir, .dir = (char *)dir};
	cleanup(function_table_fini) struct function_table table = {0};
	cleanup(strv_fini) struct strv rest = {0};
	cleanup_free bool *taken = NULL;

	if (function_table_read(&top, false, &table, NULL) < 0)
		return false;
	taken = xcalloc(table.nr + 1, sizeof(*taken));
	/* What the list has no line for is left to the kernel. */
	for (size_t i = 0; i < tokens->nr; i++)
		if (!number_token(&table, taken, tokens->item[i], exact, out))
			strv_add(&rest, tokens->item[i]);
	for (size_t i = 0; i < rest.nr; i++)
		strv_add(&out->tokens, rest.item[i]);
	return true;
}

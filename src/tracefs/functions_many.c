/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many functions at once: counted in one walk, and named by their numbers. */
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

#define LIST "available_filter_functions"

/* A plain name, and who asked for it. */
struct wanted {
	const char *name;
	size_t len;
	size_t at;
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a;
	const struct wanted *y = b;
	int order = strncmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static bool is_plain(const char *pattern)
{
	return *pattern && !is_glob(pattern) && !strpbrk(pattern, ": \t\n");
}

/* Looks each plain name up in the sorted list. */
static size_t count_name(const struct strv *names, const char *name)
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
			counts[i] = count_name(&names, patterns->item[i]);
		/* One that is not there is looked for again, for the names like it. */
		if (!counts[i])
			r = tfs_match_functions(tfs, patterns->item[i], &counts[i], err);
	}
	return r;
}

/* One walk over the kernel's list, in its order. */
struct numbering {
	const struct wanted *wanted;
	size_t nr;
	size_t line;
	size_t *found; /* a number for each token: how many lines it has */
	bool exact;
	struct strv *out;
};

/* The token's name is the line's; is it of the right module, too? */
static bool is_wanted(const struct wanted *w, const char *line, bool exact)
{
	static const char mod[] = ":mod:";
	const char *module = line + w->len + strspn(line + w->len, " \t");
	size_t len;

	if (!w->name[w->len])
		return !exact || !*module;
	len = strlen(w->name + w->len + strlen(mod));
	return *module == '[' && !strncmp(module + 1, w->name + w->len + strlen(mod), len) &&
	       module[1 + len] == ']';
}

static bool number_line(char *line, void *ctx)
{
	struct numbering *n = ctx;
	struct wanted key = {line, strcspn(line, " \t"), 0};
	const struct wanted *hit;

	n->line++;
	hit = bsearch(&key, n->wanted, n->nr, sizeof(key), compare_wanted);
	if (!hit)
		return false;
	while (hit > n->wanted && !compare_wanted(hit - 1, &key))
		hit--;
	for (; hit < n->wanted + n->nr && !compare_wanted(hit, &key); hit++) {
		if (!is_wanted(hit, line, n->exact) || (n->exact && n->found[hit->at]))
			continue;
		n->found[hit->at]++;
		strv_add_take(n->out, xasprintf("%zu", n->line));
		break;
	}
	return false;
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

bool tfs_number_functions(const char *dir, const struct strv *tokens, bool exact, struct strv *out)
{
	const struct tfs top = {.top = (char *)dir, .dir = (char *)dir};
	cleanup_free struct wanted *wanted = xcalloc(tokens->nr + 1, sizeof(*wanted));
	cleanup_free size_t *found = xcalloc(tokens->nr + 1, sizeof(*found));
	struct numbering n = {.wanted = wanted, .found = found, .exact = exact, .out = out};

	for (size_t i = 0; i < tokens->nr; i++) {
		size_t len = name_length(tokens->item[i]);

		if (len)
			wanted[n.nr++] = (struct wanted){tokens->item[i], len, i};
	}
	qsort(wanted, n.nr, sizeof(*wanted), compare_wanted);
	if (tfs_each_line(&top, LIST, number_line, &n, NULL) < 0) {
		strv_fini(out);
		return false;
	}
	/* What the list has no line for is left to the kernel. */
	for (size_t i = 0; i < tokens->nr; i++)
		if (!found[i])
			strv_add(out, tokens->item[i]);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that can be traced: tens of thousands of names, so lists are read as they come. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

#define LIST "available_filter_functions"

/* Adds the names, each once. */
static void add_names(const struct function_table *table, struct strv *out)
{
	for (size_t i = 0; i < table->nr; i++)
		if (!i || strcmp(table->function[i - 1].line, table->function[i].line))
			strv_add(out, table->function[i].line);
}

static int read_functions(const struct tfs *tfs, bool keep, struct strv *out, struct err *err)
{
	cleanup(function_table_fini) struct function_table table = {0};
	int r = function_table_read(tfs, keep, &table, err);

	add_names(&table, out);
	return r;
}

int tfs_functions(const struct tfs *tfs, struct strv *out, struct err *err)
{
	return read_functions(tfs, true, out, err);
}

int tfs_peek_functions(const struct tfs *tfs, struct strv *out, struct err *err)
{
	return read_functions(tfs, false, out, err);
}

/* One walk over the list: what is looked for, and what was seen. */
struct search {
	const char *function; /* name or glob; NULL for any */
	const char *module;   /* NULL for any, the kernel's own functions included */
	bool stop_at_first;
	size_t found;
	struct strv seen; /* names to compare with when nothing is found */
	struct strv modules;
};

static void search_fini(struct search *s)
{
	strv_fini(&s->seen);
	strv_fini(&s->modules);
}

/* Cuts "name [module]" or "name\t[module]" in two; NULL for the kernel's own. */
static char *cut_module(char *line)
{
	char *open = strchr(line, '[');
	char *close = open ? strchr(open, ']') : NULL;

	if (!close || open == line)
		return NULL;
	*close = '\0';
	line[strcspn(line, " \t[")] = '\0';
	return open + 1;
}

static bool look_at(char *line, void *ctx)
{
	struct search *s = ctx;
	char *module;

	if (!is_function_line(line))
		return false;
	module = cut_module(line);
	if (s->module && module &&
	    (!s->modules.nr || strcmp(s->modules.item[s->modules.nr - 1], module)))
		strv_add(&s->modules, module);
	if (s->module && (!module || !glob_matches(s->module, module)))
		return false;
	if (!s->function ||
	    (s->stop_at_first ? !strcmp(s->function, line) : glob_matches(s->function, line))) {
		s->found++;
		return s->stop_at_first;
	}
	if (!s->found)
		strv_add(&s->seen, line);
	return false;
}

/* "name", "glob", ":mod:module" or "name:mod:module", as set_ftrace_filter takes them. The parts
 * point into @text, which is cut. */
static int parse_function(char *text, const char *pattern, struct search *s, struct err *err)
{
	char *mod = strstr(text, ":mod:");
	char *colon = strchr(text, ':');

	if (!*text)
		return err_set(err, EINVAL, "the name of a function cannot be empty");
	if (colon && colon != mod)
		return err_set(err, EINVAL, "'%s' is no function name (only :mod: may follow one)",
			       pattern);
	if (mod) {
		*mod = '\0';
		s->module = mod + strlen(":mod:");
		if (!*s->module)
			return err_set(err, EINVAL, "'%s' names no module", pattern);
	}
	if (text[strcspn(text, " \t\n")])
		return err_set(err, EINVAL, "'%s' is no function name: it holds a blank", pattern);
	s->function = *text ? text : NULL;
	s->stop_at_first = s->function && !s->module && !is_glob(s->function);
	return 0;
}

static int no_function(const char *pattern, struct search *s, struct err *err)
{
	cleanup_free char *hint = NULL;

	strv_sort(&s->modules);
	strv_uniq(&s->modules);
	if (s->module && !s->seen.nr) {
		hint = near_names(s->module, &s->modules);
		return err_set(err, ENOENT, "no function matches '%s': no module %s has any%s",
			       pattern, s->module, hint);
	}
	if (is_glob(pattern))
		return err_set(err, ENOENT, "no function matches '%s'", pattern);
	hint = near_names(s->function, &s->seen);
	return err_set(err, ENOENT, "no function %s can be traced%s", pattern, hint);
}

/* A single name is mostly found long before the list ends; all else needs the whole. */
static int walk_list(const struct tfs *tfs, struct search *s, struct err *err)
{
	struct tfs top = tfs_as_top(tfs);
	cleanup(function_table_fini) struct function_table table = {0};
	cleanup(strv_fini) struct strv names = {0};
	int r = 0;

	if (!s->stop_at_first)
		r = function_table_read(tfs, true, &table, err);
	else if (!function_table_copy(&top, &table))
		return explain_no_functions(tfs, tfs_each_line(&top, LIST, look_at, s, err), err);
	add_names(&table, &names);
	for (size_t i = 0; i < names.nr; i++)
		if (look_at(names.item[i], s))
			break;
	return r;
}

int tfs_match_functions(const struct tfs *tfs, const char *pattern, size_t *nr, struct err *err)
{
	cleanup_free char *text = xstrdup(pattern);
	cleanup(search_fini) struct search s = {0};
	int r = parse_function(text, pattern, &s, err);

	*nr = 0;
	if (r < 0)
		return r;
	r = walk_list(tfs, &s, err);
	if (r < 0)
		return r;
	*nr = s.found;
	return s.found ? 0 : no_function(pattern, &s, err);
}

static bool is_entry(char *line, void *ctx)
{
	bool *found = ctx;

	*found = *line && *line != '#' && strcmp(line, "no pid") &&
		 (!strchr(line, ':') || strstr(line, ":mod:"));
	return *found;
}

bool tfs_list_holds(const struct tfs *tfs, const char *file)
{
	bool found = false;

	return tfs_has(tfs, file) && tfs_each_line(tfs, file, is_entry, &found, NULL) == 0 && found;
}

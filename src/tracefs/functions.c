/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that can be traced: tens of thousands of names, so lists are read as they come. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

#define LIST "available_filter_functions"

/* Freed init code leaves "__ftrace_invalid_address___1234" behind. */
static bool is_placeholder(const char *name)
{
	return !*name || str_starts(name, "__ftrace_invalid_address__");
}

static bool add_function(char *line, void *ctx)
{
	char *tab = strchr(line, '\t');

	/* "name\t[module]" */
	if (tab)
		*tab = ' ';
	if (!is_placeholder(line))
		strv_add(ctx, line);
	return false;
}

static int explain_no_list(const struct tfs *tfs, int r, struct err *err)
{
	if (r != -ENOENT)
		return r;
	return err_set(err, ENOENT,
		       "this kernel cannot choose functions: there is no %s/" LIST
		       " (CONFIG_DYNAMIC_FTRACE)",
		       tfs->top);
}

/* The copy serves only those who could read the list itself. */
static bool load_copy(const struct tfs *top, struct strv *out)
{
	cleanup_close int fd = tfs_open_file(top, LIST, O_RDONLY, NULL);

	return fd >= 0 && fncache_load(top, out);
}

static int read_functions(const struct tfs *tfs, bool keep, struct strv *out, struct err *err)
{
	struct tfs top = tfs_as_top(tfs);
	int r;

	if (load_copy(&top, out))
		return 0;
	r = tfs_each_line(&top, LIST, add_function, out, err);
	if (r < 0)
		return explain_no_list(tfs, r, err);
	strv_sort(out);
	strv_uniq(out);
	if (keep)
		fncache_save(&top, out);
	return 0;
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

	if (is_placeholder(line))
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
	cleanup(strv_fini) struct strv names = {0};
	int r;

	if (s->stop_at_first && !load_copy(&top, &names)) {
		r = tfs_each_line(&top, LIST, look_at, s, err);
		return r < 0 ? explain_no_list(tfs, r, err) : 0;
	}
	r = names.nr ? 0 : tfs_functions(tfs, &names, err);
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

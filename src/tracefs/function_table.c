/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's list of functions as a table, with the numbers of its lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

#define LIST "available_filter_functions"

void function_table_fini(struct function_table *table)
{
	free(table->text);
	free(table->function);
	*table = (struct function_table){0};
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a;
	const struct function *y = b;
	int order = strcmp(x->line, y->line);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The list as it comes. While the text grows it moves: "where" has the lines' places in it. */
struct reading {
	struct strbuf text;
	size_t *where;
	struct function *function;
	size_t nr;
	size_t room;
	size_t number;
};

static void reading_fini(struct reading *r)
{
	strbuf_fini(&r->text);
	free(r->where);
	free(r->function);
}

bool is_function_line(const char *line)
{
	return *line && !str_starts(line, "__ftrace_invalid_address__");
}

static bool add_line(char *line, void *ctx)
{
	struct reading *r = ctx;
	char *tab = strchr(line, '\t');

	r->number++;
	if (!is_function_line(line))
		return false;
	/* "name\t[module]" */
	if (tab)
		*tab = ' ';
	if (r->nr == r->room) {
		r->room = r->room ? r->room * 2 : 1024;
		r->where = xrealloc(r->where, r->room * sizeof(*r->where));
		r->function = xrealloc(r->function, r->room * sizeof(*r->function));
	}
	r->where[r->nr] = r->text.len;
	r->function[r->nr++].number = r->number;
	strbuf_add_mem(&r->text, line, strlen(line) + 1);
	return false;
}

int explain_no_functions(const struct tfs *tfs, int r, struct err *err)
{
	if (r != -ENOENT)
		return r;
	return err_set(err, ENOENT,
		       "this kernel cannot choose functions: there is no %s/" LIST
		       " (CONFIG_DYNAMIC_FTRACE)",
		       tfs->top);
}

bool function_table_copy(const struct tfs *tfs, struct function_table *out)
{
	struct tfs top = tfs_as_top(tfs);
	cleanup_close int fd = tfs_open_file(&top, LIST, O_RDONLY, NULL);

	return fd >= 0 && fncache_load(&top, out);
}

int function_table_read(const struct tfs *tfs, bool keep, struct function_table *out,
			struct err *err)
{
	struct tfs top = tfs_as_top(tfs);
	cleanup(reading_fini) struct reading reading = {0};
	int r;

	if (function_table_copy(&top, out))
		return 0;
	r = tfs_each_line(&top, LIST, add_line, &reading, err);
	if (r < 0)
		return explain_no_functions(tfs, r, err);
	for (size_t i = 0; i < reading.nr; i++)
		reading.function[i].line = reading.text.text + reading.where[i];
	if (reading.nr)
		qsort(reading.function, reading.nr, sizeof(*reading.function), compare_functions);
	*out = (struct function_table){strbuf_take(&reading.text), take_ptr(reading.function),
				       reading.nr};
	if (keep)
		fncache_save(&top, out);
	return 0;
}

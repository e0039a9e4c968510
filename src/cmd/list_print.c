/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How lists of names look: in columns, one a line, as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/list.h"
#include "util/json.h"
#include "util/mem.h"

struct item *items_add(struct items *items, char *name)
{
	struct item *item;

	if (items->nr == items->room) {
		items->room = items->room ? items->room * 2 : 64;
		items->item = xrealloc(items->item, items->room * sizeof(*items->item));
	}
	item = &items->item[items->nr++];
	*item = (struct item){.name = name};
	return item;
}

static void item_fini(struct item *item)
{
	free(item->name);
	free(item->detail);
	strbuf_fini(&item->json);
}

void items_fini(struct items *items)
{
	for (size_t i = 0; i < items->nr; i++)
		item_fini(&items->item[i]);
	free(items->item);
	*items = (struct items){0};
}

static void names_of(const struct items *items, struct strv *out)
{
	for (size_t i = 0; i < items->nr; i++)
		strv_add(out, items->item[i].name);
}

/* Says that @glob stands for nothing. */
static int no_match(const struct list *l, const struct noun *noun, const char *glob,
		    struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *hint = NULL;

	if (is_glob(glob))
		return err_set(err, ENOENT, "no %s matches '%s'", noun->one, glob);
	names_of(&l->items, &names);
	hint = near_names(glob, &names);
	return err_set(err, ENOENT, "no %s '%s'%s", noun->one, glob, hint);
}

int list_select(struct list *l, const struct noun *noun, const struct strv *globs, size_t first,
		struct err *err)
{
	cleanup_free bool *keep = xcalloc(l->items.nr, sizeof(*keep));
	size_t kept = 0;

	if (first >= globs->nr)
		return 0;
	for (size_t g = first; g < globs->nr; g++) {
		bool any = false;

		for (size_t i = 0; i < l->items.nr; i++) {
			if (!glob_matches(globs->item[g], l->items.item[i].name))
				continue;
			keep[i] = true;
			any = true;
		}
		if (!any)
			return no_match(l, noun, globs->item[g], err);
	}
	for (size_t i = 0; i < l->items.nr; i++) {
		if (keep[i])
			l->items.item[kept++] = l->items.item[i];
		else
			item_fini(&l->items.item[i]);
	}
	l->items.nr = kept;
	return 0;
}

static void print_json(const struct items *items)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	strbuf_add(&sb, "[");
	for (size_t i = 0; i < items->nr; i++) {
		const struct item *item = &items->item[i];

		strbuf_add(&sb, i ? ",\n{" : "\n{");
		json_add_member(&sb, "name", item->name);
		if (item->json.len)
			strbuf_addf(&sb, ",%s", item->json.text);
		strbuf_add(&sb, "}");
	}
	strbuf_add(&sb, "\n]\n");
	fwrite(sb.text, 1, sb.len, stdout);
}

static size_t longest_name(const struct items *items)
{
	size_t longest = 0;

	for (size_t i = 0; i < items->nr; i++)
		if (strlen(items->item[i].name) > longest)
			longest = strlen(items->item[i].name);
	return longest;
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 80;
}

/* Down the first column, then the next, as ls does. */
static void print_columns(const struct items *items)
{
	size_t width = longest_name(items) + 2;
	size_t columns = terminal_width() / width;
	size_t rows;

	columns = columns ? columns : 1;
	rows = (items->nr + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < items->nr; i += rows) {
			bool is_last = i + rows >= items->nr;

			printf("%-*s", is_last ? 0 : (int)width, items->item[i].name);
		}
		putchar('\n');
	}
}

static void print_lines(const struct items *items)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	/* At once: there may be tens of thousands. */
	for (size_t i = 0; i < items->nr; i++) {
		strbuf_add(&sb, items->item[i].name);
		strbuf_add(&sb, "\n");
	}
	fwrite(strbuf_str(&sb), 1, sb.len, stdout);
}

/* Names and details side by side; the names' column stays of sensible width. */
static void print_details(const struct items *items)
{
	size_t width = longest_name(items);

	width = width < 40 ? width : 40;
	for (size_t i = 0; i < items->nr; i++) {
		const struct item *item = &items->item[i];

		if (item->detail && *item->detail)
			printf("%-*s  %s\n", (int)width, item->name, item->detail);
		else
			puts(item->name);
	}
}

static void print_blocks(const struct items *items)
{
	for (size_t i = 0; i < items->nr; i++)
		printf("%s%s\n%s", i ? "\n" : "", items->item[i].name,
		       items->item[i].detail ? items->item[i].detail : "");
}

void list_print(const struct list *l, const struct noun *noun)
{
	bool detailed = l->args->verbose || noun->flags & NOUN_SHOWS_DETAIL;

	if (l->args->json)
		print_json(&l->items);
	else if (detailed && noun->flags & NOUN_DETAIL_BELOW)
		print_blocks(&l->items);
	else if (detailed)
		print_details(&l->items);
	else if (isatty(STDOUT_FILENO))
		print_columns(&l->items);
	else
		print_lines(&l->items);
}

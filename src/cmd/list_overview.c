/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft list without a noun: how many there are of each. */
#include <stdio.h>
#include <string.h>

#include "cmd/list.h"
#include "util/json.h"
#include "util/mem.h"

/* One noun's line. */
struct count {
	const struct noun *noun;
	struct err why; /* when it cannot be counted */
	size_t nr;
	char *current;
	bool known;
};

static void count_noun(const struct list *l, const struct noun *noun, struct count *c)
{
	struct list part = {.args = l->args, .tfs = l->tfs};

	*c = (struct count){.noun = noun};
	c->known = noun->collect(&part, &c->why) >= 0;
	c->nr = part.items.nr;
	for (size_t i = 0; i < part.items.nr; i++)
		if (part.items.item[i].is_current)
			c->current = xstrdup(part.items.item[i].name);
	items_fini(&part.items);
}

static void print_count(const struct count *c)
{
	char number[32];

	if (!c->known)
		printf("%-10s %7s  %s\n", c->noun->name, "-", c->why.text);
	else if (c->current)
		printf("%-10s %7s  %s; in use: %s\n", c->noun->name,
		       format_count(c->nr, number, sizeof(number)), c->noun->help, c->current);
	else
		printf("%-10s %7s  %s\n", c->noun->name,
		       format_count(c->nr, number, sizeof(number)), c->noun->help);
}

static void add_count(struct strbuf *sb, const struct count *c)
{
	cleanup_free char *number = xasprintf("%zu", c->nr);

	strbuf_add(sb, sb->len > 2 ? ",\n{" : "\n{");
	json_add_member(sb, "name", c->noun->name);
	json_add_raw(sb, "count", c->known ? number : "null");
	if (c->current)
		json_add_member(sb, "current", c->current);
	if (!c->known)
		json_add_member(sb, "error", c->why.text);
	strbuf_add(sb, "}");
}

int list_overview(struct list *l, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf json = {0};

	if (!l->tfs) {
		err_add(err, "; 'ft list support' says more");
		return -err->code;
	}
	strbuf_add(&json, "[");
	if (!l->args->json)
		printf("%s\n\n", tfs_dir(l->tfs));
	for (const struct noun *noun = list_nouns; noun->name; noun++) {
		struct count c;

		if (!noun->collect)
			continue;
		count_noun(l, noun, &c);
		if (l->args->json)
			add_count(&json, &c);
		else
			print_count(&c);
		mem_freep(&c.current);
	}
	if (l->args->json)
		printf("%s\n]\n", strbuf_str(&json));
	else
		printf("\n'ft list NOUN' names them; 'ft list support' says what works here.\n");
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft filter: what is in force, and how all of it goes. */
#include <stdio.h>
#include <string.h>

#include "cmd/filter.h"
#include "cmd/list.h"
#include "session/shown.h"
#include "util/mem.h"

/* So many names of one list are shown, of longer ones the first few. */
#define SHOWN_MOST 20
#define SHOWN_FEW 5

const char *const filter_clear_kinds[] = {
	"functions", "graph", "pids", "cpus", "events", "triggers", "probes", "all", NULL,
};

static bool clears(const struct filter_change *c, const char *kind)
{
	return strv_has(&c->args->clear, kind) || strv_has(&c->args->clear, "all");
}

static void clear_list(struct filter_change *c, const char *file)
{
	if (tfs_has(c->tfs, file))
		steps_add(&c->steps, STEP_LIST, xstrdup(file), xstrdup(""));
}

static void clear_lists(struct filter_change *c)
{
	static const struct {
		const char *kind;
		const char *file;
	} lists[] = {
		{"functions", "set_ftrace_filter"}, {"functions", "set_ftrace_notrace"},
		{"graph", "set_graph_function"},    {"graph", "set_graph_notrace"},
		{"pids", "set_event_pid"},	    {"pids", "set_event_notrace_pid"},
		{"pids", "set_ftrace_pid"},	    {"pids", "set_ftrace_notrace_pid"},
	};

	for (size_t i = 0; i < array_size(lists); i++)
		if (clears(c, lists[i].kind))
			clear_list(c, lists[i].file);
}

static char *item_file(const struct item *item, const char *file)
{
	size_t len = strcspn(item->name, ":");

	if (!item->name[len])
		return xstrdup(item->name);
	return xasprintf("events/%.*s/%s/%s", (int)len, item->name, item->name + len + 1, file);
}

static int clear_events(struct filter_change *c, struct list *l, struct err *err)
{
	int r = list_filters(l, err);

	for (size_t i = 0; r >= 0 && i < l->items.nr; i++)
		if (strchr(l->items.item[i].name, ':'))
			steps_add(&c->steps, STEP_FILTER, item_file(&l->items.item[i], "filter"),
				  xstrdup("0"));
	return r;
}

static int clear_triggers(struct filter_change *c, struct list *l, struct err *err)
{
	int r = list_triggers(l, err);

	for (size_t i = 0; r >= 0 && i < l->items.nr; i++) {
		cleanup_free char *action = shown_action(l->items.item[i].detail);

		steps_add(&c->steps, STEP_ACTION, item_file(&l->items.item[i], "trigger"),
			  xasprintf("!%s", action));
	}
	return r;
}

static void list_done(struct list *l)
{
	items_fini(&l->items);
}

int filter_add_clears(struct filter_change *c, struct err *err)
{
	const struct list_args largs = {0};
	cleanup(list_done) struct list filters = {.args = &largs, .tfs = c->tfs};
	cleanup(list_done) struct list triggers = {.args = &largs, .tfs = c->tfs};
	int r = 0;

	if (!c->args->clear.nr)
		return 0;
	if (clears(c, "triggers"))
		r = clear_triggers(c, &triggers, err);
	if (r >= 0 && clears(c, "events"))
		r = clear_events(c, &filters, err);
	if (r < 0)
		return r;
	clear_lists(c);
	if (clears(c, "cpus") && !c->args->cpus) {
		const struct filter_args all = {.cpus = (char *)"all"};
		struct filter_change sub = {&all, c->top, c->tfs, c->steps, {0}};

		r = filter_add_cpus(&sub, err);
		c->steps = sub.steps;
	}
	return r < 0 ? r : 0;
}

/* Lists of thousands of names would hide the rest. */
static size_t run_of(const struct items *items, size_t at)
{
	size_t end = at;

	while (end < items->nr && !strcmp(items->item[end].name, items->item[at].name))
		end++;
	return end - at;
}

static void print_text(const struct items *items)
{
	size_t width = 0;

	for (size_t i = 0; i < items->nr; i++)
		if (strlen(items->item[i].name) > width && strlen(items->item[i].name) <= 40)
			width = strlen(items->item[i].name);
	for (size_t i = 0; i < items->nr;) {
		size_t run = run_of(items, i);
		size_t shown = run > SHOWN_MOST ? SHOWN_FEW : run;
		char number[32];

		for (size_t n = 0; n < shown; n++)
			printf("%-*s  %s\n", (int)width, items->item[i + n].name,
			       items->item[i + n].detail);
		if (shown < run)
			printf("%-*s  ... and %s more ('ft list filters' names them all)\n",
			       (int)width, items->item[i].name,
			       format_count(run - shown, number, sizeof(number)));
		i += run;
	}
}

/* Those of the events that were named. */
static int select_events(struct list *l, const struct filter_args *args, const struct tfs *tfs,
			 struct err *err)
{
	cleanup(strv_fini) struct strv wanted = {0};
	struct items kept = {0};

	for (size_t i = 0; i < args->items.nr; i++) {
		int r = tfs_match_events(tfs, args->items.item[i].subject, &wanted, err);

		if (r == -ENOENT)
			err_add(err, "; a function has a sign: +%s", args->items.item[i].subject);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; wanted.nr && i < l->items.nr; i++) {
		struct item *item = &l->items.item[i];

		if (!strv_has(&wanted, item->name))
			continue;
		*items_add(&kept, item->name) = *item;
		*item = (struct item){0};
	}
	if (wanted.nr) {
		items_fini(&l->items);
		l->items = kept;
	}
	return 0;
}

int filter_show(const struct filter_args *args, const struct tfs *tfs, struct err *err)
{
	static const struct noun noun = {.name = "filters",
					 .flags = NOUN_SHOWS_DETAIL | NOUN_PER_INSTANCE};
	const struct list_args largs = {.json = args->json};
	cleanup(list_done) struct list l = {.args = &largs, .tfs = tfs, .wants_detail = true};
	int r = list_filters(&l, err);

	if (r >= 0)
		r = list_triggers(&l, err);
	/* Only some kernels have dynamic events, and only the top level. */
	if (r >= 0 && !args->instance)
		list_dynamic(&l, NULL);
	if (r >= 0)
		r = select_events(&l, args, tfs, err);
	if (r < 0)
		return r;
	if (args->json)
		list_print(&l, &noun);
	else if (l.items.nr)
		print_text(&l.items);
	else
		fprintf(stderr, "ft filter: nothing is filtered%s\n",
			args->items.nr ? " there" : ": everything gets in");
	return 0;
}

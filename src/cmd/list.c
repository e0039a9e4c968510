/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft list: what this kernel can trace. */
#include <stdio.h>
#include <string.h>

#include "cmd/list.h"
#include "cmd/verbs.h"
#include "util/mem.h"

#define SUPPORT "support"

const struct noun list_nouns[] = {
	{"tracers", "tracer", "for ft record -p", NOUN_PER_INSTANCE, list_tracers,
	 list_guess_tracers},
	{"events", "event", "for ft record -e; with -v the fields of each",
	 NOUN_PER_INSTANCE | NOUN_DETAIL_BELOW, list_events, list_guess_events},
	{"functions", "function", "for ft record -l, -n and -g", 0, list_functions,
	 list_guess_functions},
	{"options", "option", "for ft record -O; with -v their state", NOUN_PER_INSTANCE,
	 list_options, NULL},
	{"clocks", "clock", "for ft record -C", NOUN_PER_INSTANCE, list_clocks, NULL},
	{"instances", "instance", "private buffers; with -v their tracers", 0, list_instances,
	 NULL},
	{"triggers", "trigger", "actions that events and functions set off",
	 NOUN_PER_INSTANCE | NOUN_SHOWS_DETAIL, list_triggers, NULL},
	{"filters", "filter", "what is left out at present", NOUN_PER_INSTANCE | NOUN_SHOWS_DETAIL,
	 list_filters, NULL},
	{"dynamic", "dynamic event", "kprobes, uprobes, synthetic and other made events",
	 NOUN_SHOWS_DETAIL, list_dynamic, NULL},
	{"plugins", "plugin", "of libtraceevent, for printing events", NOUN_WITHOUT_TRACEFS,
	 list_plugins, NULL},
	{SUPPORT, "feature", "what works here, what does not, and why", NOUN_WITHOUT_TRACEFS, NULL,
	 NULL},
	{0},
};

/* The names of list_nouns[]; a test compares them. */
static const char *const noun_names[] = {
	"tracers",  "events",  "functions", "options", "clocks", "instances",
	"triggers", "filters", "dynamic",   "plugins", SUPPORT,	 NULL,
};

static const struct option options[] = {
	OPT_COUNT('v', "verbose", struct list_args, verbose, "show what is known of each name"),
	OPT_FLAG(0, "json", struct list_args, json, "print JSON"),
	OPT_STRING(0, "instance", struct list_args, instance, "NAME", HINT_INSTANCE,
		   "look at this instance, not at the top level"),
	OPT_STRING(0, "tracefs", struct list_args, tracefs, "DIR", HINT_DIR,
		   "the tracing directory, where it is not mounted as usual"),
	OPT_END,
};

static const struct example examples[] = {
	{"ft list support", "what works on this machine, and why the rest does not"},
	{"ft list events 'sched:*'", "the events of the scheduler"},
	{"ft list events -v sched_switch", "its fields and how it is printed"},
	{"ft list functions 'vfs_*'", "the functions that begin with vfs_"},
	{0},
};

static const struct noun *find_noun(const char *name)
{
	for (const struct noun *noun = list_nouns; noun->name; noun++)
		if (!strcmp(noun->name, name))
			return noun;
	return NULL;
}

static int unknown_noun(const char *name, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	cleanup_free char *all = NULL;

	for (const struct noun *noun = list_nouns; noun->name; noun++)
		strv_add(&names, noun->name);
	near = near_names(name, &names);
	all = strv_join(&names, ", ");
	if (*near)
		return err_set(err, EINVAL, "nothing to list is called '%s'%s", name, near);
	return err_set(err, EINVAL, "nothing to list is called '%s': it is one of %s", name, all);
}

static int check_list(void *data, struct err *err)
{
	struct list_args *args = data;
	const struct strv *words = &args->common.words;
	const struct noun *noun;

	if (!words->nr)
		return 0;
	noun = find_noun(words->item[0]);
	if (!noun)
		return unknown_noun(words->item[0], err);
	if (args->instance && !(noun->flags & NOUN_PER_INSTANCE))
		return err_set(err, EINVAL,
			       "%s are the same in every instance: leave --instance out",
			       noun->name);
	for (size_t i = 1; i < words->nr; i++)
		if (!*words->item[i])
			return err_set(err, EINVAL, "a pattern cannot be empty");
	return 0;
}

/* The directory that --tracefs and --instance name, NULL with the reason. */
static struct tfs *open_tracing(const struct list_args *args, struct err *err)
{
	cleanup(tfs_freep) struct tfs *top = tfs_open(args->tracefs, err);

	if (!top || !args->instance)
		return take_ptr(top);
	return tfs_open_instance(top, args->instance, err);
}

static void list_fini(struct list *l)
{
	items_fini(&l->items);
}

/* Without the kernel's own word: what is known from elsewhere, and an error all the same. */
static int list_guess(struct list *l, const struct noun *noun, struct err *err)
{
	const char *what = noun->guess ? noun->guess(l) : NULL;
	struct err local = {0};

	if (!what || !l->items.nr)
		return -err->code;
	if (list_select(l, noun, &l->args->common.words, 1, &local) == 0)
		list_print(l, noun);
	err_add(err, "\nft list: shown is only %s", what);
	return -err->code;
}

static int list_noun(struct list *l, const struct noun *noun, struct err *err)
{
	int r;

	l->wants_detail = l->args->verbose || l->args->json || noun->flags & NOUN_SHOWS_DETAIL;
	r = noun->collect(l, err);
	if (r >= 0 && noun->collect != list_events)
		r = list_select(l, noun, &l->args->common.words, 1, err);
	if (r < 0)
		return r;
	list_print(l, noun);
	return 0;
}

static int run_list(void *data, struct err *err)
{
	const struct list_args *args = data;
	const char *name = args->common.words.nr ? args->common.words.item[0] : NULL;
	const struct noun *noun = name ? find_noun(name) : NULL;
	cleanup(tfs_freep) struct tfs *tfs = NULL;
	cleanup(list_fini) struct list l = {.args = args};

	if (noun && !noun->collect)
		return list_support(args, err);
	if (noun && noun->flags & NOUN_WITHOUT_TRACEFS)
		return list_noun(&l, noun, err);
	tfs = open_tracing(args, err);
	l.tfs = tfs;
	if (!noun)
		return list_overview(&l, err);
	/* A wrong --instance is a mistake, not a lack of tracefs. */
	if (!tfs && !args->instance)
		return list_guess(&l, noun, err);
	return tfs ? list_noun(&l, noun, err) : -err->code;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "what this kernel can trace, and what works here",
	.synopsis = "[OPTION...] [NOUN [GLOB...]]",
	.description =
		"Lists what the kernel offers: tracers, events, functions, options, clocks,\n"
		"instances; what is set: triggers, filters, dynamic events; the plugins of\n"
		"libtraceevent; and with 'support' what works on this machine. Without a noun it\n"
		"says how many there are of each.",
	.examples = examples,
	.options = options,
	.args_size = sizeof(struct list_args),
	.word_hint = HINT_NOUN,
	.word_choices = noun_names,
	.check = check_list,
	.run = run_list,
};

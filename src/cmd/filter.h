/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of ft filter share. */
#pragma once

#include "cli/command.h"
#include "session/steps.h"
#include "tracefs/tracefs.h"

enum filter_item_kind {
	ITEM_ADD,      /* +FUNC: only this and what else is on the list */
	ITEM_KEEP_OUT, /* -FUNC: never this */
	ITEM_TAKE_OUT, /* !FUNC: off whichever list it is on */
	ITEM_COMMAND,  /* +FUNC:COMMAND */
	ITEM_COMMAND_OFF,
	ITEM_FILTER,	  /* EVENT FILTER; "0" for none */
	ITEM_TRIGGER,	  /* EVENT TRIGGER */
	ITEM_TRIGGER_OFF, /* EVENT !TRIGGER */
	ITEM_SHOW,	  /* EVENT alone */
};

/* One thing that the words ask for. */
struct filter_item {
	enum filter_item_kind kind;
	char *subject; /* a function or event, as typed without its sign */
	char *what;    /* of an event: filter or trigger; of a command: what follows FUNC: */
};

struct filter_items {
	struct filter_item *item;
	size_t nr;
};

struct filter_args {
	struct common_args common;
	struct strv graph;
	struct strv nograph;
	struct strv pids;
	struct strv notrace_pids;
	bool children;
	char *cpus;
	struct strv clear;
	struct strv kprobes;
	struct strv kretprobes;
	struct strv uprobes;
	struct strv uretprobes;
	struct strv eprobes;
	struct strv synths;
	struct strv remove;
	bool undo;
	bool force;
	bool dry_run;
	bool json;
	unsigned int verbose;
	char *instance;
	char *tracefs;
	struct filter_items items;
};

/* The words of the command line, taken apart. Pure. -EINVAL with text for what means nothing. */
int filter_items_parse(const struct strv *words, struct filter_items *out, struct err *err);
void filter_items_fini(struct filter_items *items);

/* The change in the making: everything is checked before the first step is done. */
struct filter_change {
	const struct filter_args *args;
	const struct tfs *top;
	const struct tfs *tfs; /* the instance, or the top level */
	struct steps steps;
	struct strv notes; /* what a glob stands for; for stderr */
};

/* Each adds its steps, or fails with text and touches nothing. */
int filter_add_clears(struct filter_change *c, struct err *err);
int filter_add_functions(struct filter_change *c, struct err *err);
int filter_add_pids(struct filter_change *c, struct err *err);
int filter_add_cpus(struct filter_change *c, struct err *err);
int filter_add_events(struct filter_change *c, struct err *err);
int filter_add_probes(struct filter_change *c, struct err *err);

/* True for the names that --clear takes; their list ends with NULL. */
extern const char *const filter_clear_kinds[];

/* Prints what is in force, of the events in args->items or of all. */
int filter_show(const struct filter_args *args, const struct tfs *tfs, struct err *err);

/* What events and functions set off, but for hist: "ACTION[:COUNT]", "enable_event:SYSTEM:EVENT[:COUNT]".
 * Fails with text for an event that there is not, and for a count that is no number. */
int filter_check_action(const struct filter_change *c, const char *head, struct err *err);

/* The names of an event's fields, common ones included. */
int filter_event_fields(const struct tfs *tfs, const char *event, struct strv *out,
			struct err *err);

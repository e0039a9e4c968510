/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of ft list share. */
#pragma once

#include "cli/command.h"
#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

struct list_args {
	struct common_args common;
	bool json;
	unsigned int verbose;
	char *instance;
	char *tracefs;
};

/* One line of a list. */
struct item {
	char *name;
	char *detail;	    /* what -v adds; may be NULL */
	struct strbuf json; /* the members after "name", without braces */
	bool is_current;
};

struct items {
	struct item *item;
	size_t nr;
	size_t room;
};

/* A list in the making. */
struct list {
	const struct list_args *args;
	const struct tfs *tfs; /* NULL when it is out of reach */
	struct items items;
	bool wants_detail;
};

enum noun_flags {
	NOUN_PER_INSTANCE = 1,	  /* --instance makes a difference */
	NOUN_SHOWS_DETAIL = 2,	  /* the names alone say too little */
	NOUN_DETAIL_BELOW = 4,	  /* the detail is lines of its own */
	NOUN_WITHOUT_TRACEFS = 8, /* needs no tracing directory */
};

struct noun {
	const char *name;
	const char *one; /* a single thing of that kind, for messages */
	const char *help;
	unsigned int flags;
	int (*collect)(struct list *l, struct err *err);
	/* Collects from elsewhere what is known without tracefs and says in words what that is; may
	 * be NULL. */
	const char *(*guess)(struct list *l);
};

/* Ends with a NULL name. */
extern const struct noun list_nouns[];

/* Adds an item and takes @name. The pointer is good until the next one is added. */
struct item *items_add(struct items *items, char *name);
void items_fini(struct items *items);

/* Names in columns on a terminal, one a line elsewhere, with what --json and -v change. */
void list_print(const struct list *l, const struct noun *noun);
/* Keeps what one of @globs matches. -ENOENT with near names when one matches nothing. */
int list_select(struct list *l, const struct noun *noun, const struct strv *globs, size_t first,
		struct err *err);

/* The collectors, one a noun. */
int list_tracers(struct list *l, struct err *err);
int list_events(struct list *l, struct err *err);
int list_functions(struct list *l, struct err *err);
int list_options(struct list *l, struct err *err);
int list_clocks(struct list *l, struct err *err);
int list_instances(struct list *l, struct err *err);
int list_triggers(struct list *l, struct err *err);
int list_filters(struct list *l, struct err *err);
int list_dynamic(struct list *l, struct err *err);
int list_plugins(struct list *l, struct err *err);
const char *list_guess_tracers(struct list *l);
const char *list_guess_events(struct list *l);
const char *list_guess_functions(struct list *l);

/* A line a noun, with how many there are. */
int list_overview(struct list *l, struct err *err);
/* What works here. The exit status: 1 when nothing can be recorded, or when one of the features
 * named by the globs does not work. */
int list_support(const struct list_args *args, struct err *err);

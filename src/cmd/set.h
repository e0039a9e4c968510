/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of ft set share. */
#pragma once

#include "cli/command.h"
#include "session/setup.h"
#include "session/steps.h"
#include "tracefs/tracefs.h"

struct set_args {
	struct common_args common;
	char *instance;
	char *tracefs;
	char *save;
	char *load;
	bool undo;
	bool force;
	bool reset;
	bool all;
	bool json;
	bool dry_run;
	unsigned int verbose;
};

/* A word taken apart: "events+=sched:*,irq". */
struct set_word {
	char *name;
	char op; /* '=', '+' for "+=", '-' for "-=", 0 without a value */
	char *value;
};

/* The words, as help and completion know them; ends with a NULL form. */
extern const struct word set_word_rows[];

/* Looks at the words alone: unknown names, wrong signs, values missing or given twice. */
int set_words_check(const struct strv *words, struct err *err);

/* Checks every word against the kernel and makes the steps, in the order that fits. @tfs is where
 * they apply. */
int set_words_build(const struct strv *words, const struct tfs *tfs, struct steps *out,
		    struct err *err);

/* What --reset and --load come to. What of others' goes is named in @notes. */
int set_reset_build(const struct set_args *args, const struct tfs *tfs, struct steps *out,
		    struct strv *notes, struct err *err);
int set_load_build(const struct set_args *args, const struct tfs *tfs, struct steps *out,
		   struct err *err);
int set_save(const struct set_args *args, const struct tfs *tfs, struct err *err);

/* The state, on stdout. */
int set_show(const struct set_args *args, const struct tfs *tfs, struct err *err);

/* A process that has a file of the tracing directory open. */
struct tracing_user {
	int pid;
	char *comm;
	char *file; /* relative to the tracing directory */
};

struct tracing_users {
	struct tracing_user *user;
	size_t nr;
};

void tracing_users_fini(struct tracing_users *users);
/* Those that this process may see, but itself; only those of @instance if it is not NULL. */
void tracing_users_find(const char *tracing, const char *instance, struct tracing_users *out);

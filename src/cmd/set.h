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

/* What uses the kernel's tracing by other ways than these files. */
struct tracing_other {
	const char *kind; /* "perf", "bpf", "hook", "kprobe", "livepatch", "sysctl" or "boot" */
	int pid;	  /* 0: the kernel does not tell whose it is */
	char *comm;	  /* NULL without a pid */
	char *name;	  /* of what it is, or is attached to; NULL: the kernel does not tell */
	size_t nr;	  /* so many like it */
};

struct tracing_users {
	struct tracing_user *user;
	size_t nr;
	struct tracing_other *other;
	size_t nr_others;
};

void tracing_users_fini(struct tracing_users *users);
/* The processes that this process may see, but itself. In an instance only those that have its files
 * open; of the top level what others have attached, too. */
void tracing_users_find(const struct tfs *tfs, struct tracing_users *out);
/* Adds what the kernel tells, whoever did it. */
void tracing_others_find(const struct tfs *tfs, struct tracing_users *out);
/* Adds one, or counts it with those like it; takes @name. */
void tracing_others_add(struct tracing_users *out, const char *kind, int pid, char *name);
/* The sentence that tells of it; caller frees. */
char *tracing_other_text(const struct tracing_other *other);

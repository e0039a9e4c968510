/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verb: its table of options, its words, and the functions behind it. */
#pragma once

#include "cli/option.h"
#include "util/err.h"
#include "util/str.h"

/* The first member of every verb's args struct. */
struct common_args {
	struct strv words; /* what is no option, in order */
	bool help;
};

struct example {
	const char *line; /* as typed, "ft" included */
	const char *what;
};

/* An option of another tool, and how the same is asked for here. */
struct habit {
	const char *option;  /* with its dashes */
	const char *instead; /* a clause that names options, or tells why there is none */
};

/* A word that a verb takes beside its options: "tracer=NAME". */
struct word {
	const char *form;    /* as typed, up to and with its '=': "events+=" */
	const char *metavar; /* what follows; NULL when nothing does */
	const char *help;
	enum hint hint;		    /* for each part between commas */
	const char *const *choices; /* NULL-terminated, for HINT_CHOICE */
};

struct command {
	const char *name;
	const char *summary;		/* a few words, for the list of verbs */
	const char *synopsis;		/* what follows "ft NAME" */
	const char *description;	/* a short paragraph, lines broken */
	const struct example *examples; /* ends with a NULL line */
	const struct option *options;	/* ends with OPT_END */
	/* What users of another tool type for options that are not here; ends with a NULL option,
	 * NULL for verbs without. */
	const struct habit *habits;
	size_t args_size;
	bool stops_at_word; /* the first plain word ends the options: a command follows */
	/* A first word after which a name, "--" and a command follow; may be NULL. */
	const char *wrapper;
	bool minus_words; /* "-name" of several letters is a plain word, too */
	enum hint word_hint;
	const char *const *word_choices; /* for HINT_NOUN: the first word; NULL-terminated */

	const struct word *words; /* ends with a NULL form; NULL for verbs without */

	void (*init)(void *args); /* defaults that are not zero; may be NULL */
	void (*fini)(void *args); /* frees what check() and run() made; may be NULL */
	/* Looks at the arguments alone and touches nothing else. 0, or negative with text: wrong
	 * usage. May be NULL. */
	int (*check)(void *args, struct err *err);
	/* The exit status, or negative with text. */
	int (*run)(void *args, struct err *err);
	/* The exit status when ft itself fails; NULL means 1 for failures and 2 for usage. */
	int (*fail_status)(const void *args, bool usage);
};

/* Parses argv (without program and verb) into @args, which is zeroed or init()ed. Goes on after an
 * error, so that the words are known; the first error is returned. */
int command_parse(const struct command *cmd, int argc, char **argv, void *args, struct err *err);
/* Frees the option values and the words. */
void command_fini_args(const struct command *cmd, void *args);

/* True when @word, which begins with '-', is a plain word of @cmd all the same. */
bool command_has_minus_word(const struct command *cmd, const char *word);

/* The help text of one verb, and the screen for "ft" alone; caller frees. */
char *command_help(const struct command *cmd);
char *command_overview(const struct command *const *cmds);

/* The verb of that name in a NULL-terminated table, or NULL. */
const struct command *command_find(const struct command *const *cmds, const char *name);
/* " (did you mean ...?)" for a mistyped verb; caller frees. */
char *command_near(const struct command *const *cmds, const char *name);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests and completion scripts ask of the tables. */
#pragma once

#include "cli/command.h"

/* One line a row: LETTER or "-", name, metavar or "-", help, with tabs between; caller frees. */
char *introspect_options(const struct command *cmd);

/* What could stand at the place of the last word. */
struct proposal {
	struct strv answers; /* options, choices and words of the tables, in full */
	enum hint hint;	     /* what else: only the kernel or the system knows those */
	char *prefix;	     /* what has been typed of it so far; NULL when there is no hint */
	char *lead;	     /* what must stand before each answer, such as "--event=" */
	char *noun;	     /* with HINT_NOUN: the noun that it belongs to */
	size_t command_at;   /* with HINT_COMMAND: the place of the command in the words */
	char *tracefs;	     /* --tracefs of the words before, NULL when it is not given */
};

/* @words begin with the verb. @out is all zero before. */
void introspect_complete(const struct command *const *cmds, const struct strv *words,
			 struct proposal *out);
void proposal_fini(struct proposal *proposal);

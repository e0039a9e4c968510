/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests and completion scripts ask of the tables. */
#pragma once

#include "cli/command.h"

/* One line a row: LETTER or "-", name, metavar or "-", help, with tabs between; caller frees. */
char *introspect_options(const struct command *cmd);

/* What could stand at the place of the last of @words, which begin with the verb. Options, choices
 * and words of the tables are added to @out; what only the kernel or the system knows is left to
 * the caller: @hint says which kind, @prefix what has been typed of it so far (caller frees),
 * @lead what must stand before each answer, such as "--event=" (caller frees). */
void introspect_complete(const struct command *const *cmds, const struct strv *words,
			 struct strv *out, enum hint *hint, char **prefix, char **lead);

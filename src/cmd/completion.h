/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The completion scripts, and what the running system offers for a word. */
#pragma once

#include <stdio.h>

#include "cli/introspect.h"

/* The script for "bash", "zsh" or "fish"; NULL for any other shell. */
const char *completion_script(const char *shell);

/* Prints an answer for the scripts: a line for each word that may stand there, what the kernel and
 * the system know included, then what the shell itself shall offer: ":none", ":file", ":dir",
 * ":user", or ":command N" when a command begins at word N. Silent where it cannot tell. */
void completion_print(struct proposal *proposal, FILE *to);

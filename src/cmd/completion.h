/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The completion scripts, and what the running system offers for a word. */
#pragma once

#include "cli/option.h"

/* The script for "bash", "zsh" or "fish"; NULL for any other shell. */
const char *completion_script(const char *shell);

/* Adds what the kernel or the system offers for @hint and begins with @prefix, each with @lead in
 * front. Silent when it cannot tell, and without side effects. */
void completion_offer(enum hint hint, const char *prefix, const char *lead, struct strv *out);

/* The last line of an answer: what the shell itself shall offer, ":none" if nothing. */
const char *completion_directive(enum hint hint);

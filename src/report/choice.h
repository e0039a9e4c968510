/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the files is chosen by name. */
#pragma once

#include "report/input.h"

/* @pattern is one of --event: NAME, SYSTEM or SYSTEM:NAME, globs. */
bool choice_event_matches(const char *pattern, const char *system, const char *name);
/* A report of what no file has would be empty without a word: 0, or -errno with the first event,
 * instance or CPU that none of the files knows. */
int choice_check(const struct input *in, const struct report_config *config, struct err *err);

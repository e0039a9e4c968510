/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel shows in its files is not what it takes: from the one to the other. Pure. */
#pragma once

#include <stdbool.h>

/* The value in a line: "[local] global", "7 (expanded: 1408)", "1*"; caller frees. */
char *shown_value(const char *shown);

/* The old list as it is to be written back: what the kernel shows in a set_* file, without its
 * remarks ("#### all functions enabled ####", "no pid"), counts and commands; "name [module]" becomes
 * "name:mod:module". Caller frees. */
char *shown_list(const char *shown);

/* A trigger or function command as it is to be written: "traceon:unlimited if x" is "traceon if x",
 * "vfs_read:traceoff:count=3" is "vfs_read:traceoff:3"; caller frees. */
char *shown_action(const char *shown);

/* What takes that action away: "!" and the action without its count; caller frees. */
char *shown_action_removal(const char *action);

enum shown_match {
	SHOWN_DIFFERS,
	SHOWN_SAME,
	SHOWN_ROUNDED, /* a size that the kernel has made larger than it was asked for */
};

/* How the value that @file shows stands to the one that was written to it. */
enum shown_match shown_compare(const char *file, const char *wanted, const char *value);

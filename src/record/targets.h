/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that run already and are to be recorded: who belongs to them, and when all have ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"
#include "util/str.h"

struct target {
	pid_t id;
	bool is_thread; /* one thread of a process that has others: it alone is meant */
	int pidfd;	/* -1 where the kernel gives none: looked for in /proc then */
	bool ended;
};

struct targets {
	struct target *target;
	size_t nr;
	int watch; /* becomes readable when one with a pidfd ends; -1 none */
};

/* Reads @lists, each ids with commas between, into an empty *targets. An id that is none, or that
 * nobody has, is an error. */
int targets_open(const struct strv *lists, struct targets *targets, struct err *err);
void targets_fini(struct targets *targets);

/* The ids of all their threads and of their descendants' by now, each once. */
void targets_threads(const struct targets *targets, struct strv *out);
/* True when the last one has ended. */
bool targets_have_ended(struct targets *targets);

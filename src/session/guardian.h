/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that does nothing but wait for ft's death, and then undoes what ft left. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "session/orphan.h"
#include "util/err.h"

struct guardian {
	pid_t pid;
	int leash; /* the guardian acts when the last copy of this end is closed */
};

/* What it holds; all borrowed. */
struct guardian_care {
	int journal;
	const char *journal_path; /* unlinked when done; may be NULL */
	const int *locks;	  /* kept open */
	size_t nr_locks;
	const struct orphan_ops *ops; /* closes the file of the recording; may be NULL */
};

/* Forks it. */
int guardian_start(struct guardian *guardian, const struct guardian_care *care, struct err *err);
/* Tells it that all is put back, and waits for its end. */
void guardian_dismiss(struct guardian *guardian);

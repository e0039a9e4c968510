/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that does nothing but wait for ft's death, and then undoes what ft left. */
#pragma once

#include <sys/types.h>

#include "session/orphan.h"
#include "util/err.h"

struct guardian {
	pid_t pid;
	int leash; /* the guardian acts when the last copy of this end is closed */
};

/* Forks it. It keeps @journal and @lock open, and unlinks @journal_path (may be NULL) when done. It
 * closes the file of the recording by @ops, which may be NULL. */
int guardian_start(struct guardian *guardian, int journal, int lock, const char *journal_path,
		   const struct orphan_ops *ops, struct err *err);
/* Tells it that all is put back, and waits for its end. */
void guardian_dismiss(struct guardian *guardian);

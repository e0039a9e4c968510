/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The changes that last, each with its way back: one file a change in /run/ft/changes, named by its
 * number. */
#pragma once

#include "session/undo.h"
#include "util/err.h"
#include "util/str.h"

/* A new entry, empty but for a line that says when it was made and by which command, locked while
 * its descriptor is open. *path is the caller's to free, NULL where there is no directory: the
 * descriptor is then of a file without a name. */
int changes_new(const char *dir, const char *command, char **path, struct err *err);

/* Adds what the changed files are like now, so that an undo notices what others have changed since. */
int changes_seal(const struct undo_list *list, struct err *err);

/* How to take a change back. */
struct changes_ask {
	const char *instance; /* the newest one in this instance; NULL: the newest of all */
	bool force;	      /* even where somebody has changed the same since */
	bool dry_run;	      /* only say in *lines what would be written, as lines for a shell */
};

/* Takes the newest change back and removes its entry; *command says what it was, the caller frees.
 * -ENOENT when there is none. Without force, -EBUSY when somebody has changed since what it would put
 * back; nothing is touched then. */
int changes_undo(const char *dir, const struct changes_ask *ask, char **command,
		 struct strbuf *lines, struct err *err);

/* The commands of all changes, newest first, each with its time: "2026-12-02 08:30:01 ft set off". */
void changes_list(const char *dir, struct strv *out);

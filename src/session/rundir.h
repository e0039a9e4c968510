/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /run/ft: the lock of the top-level buffer and the undo journals. */
#pragma once

#include "session/orphan.h"
#include "util/err.h"
#include "util/str.h"

/* The directory, made if need be: /run/ft for root, else ft in XDG_RUNTIME_DIR. NULL where there is
 * none: locks and journals are then done without; caller frees. */
char *rundir_open(void);

/* Takes the lock of the top-level buffer. A descriptor that holds it until all its copies are
 * closed; -EBUSY with text that names the holder; -1 with no text where there is no directory. */
int rundir_lock_top(const char *dir, struct err *err);
/* The same for an instance that the user names, which another recording may use, too. */
int rundir_lock_instance(const char *dir, const char *name, struct err *err);

/* A new journal, locked; *path is the caller's to free, NULL for one without a name in memory. Where it can be, nobody
 * sees the file before rundir_show_journal(): a process killed before there is a guardian leaves none behind. */
int rundir_new_journal(const char *dir, char **path, struct err *err);
int rundir_show_journal(int fd, const char *path, struct err *err);

/* Undoes what dead recordings left, each journal that nobody holds, and closes their files by @ops,
 * which may be NULL. Adds a line to @notes for each. 0, or the first error. */
int rundir_repair(const char *dir, const struct orphan_ops *ops, struct strv *notes,
		  struct err *err);

/* The instances that running recordings hold, from the journals that this process may read: sorted,
 * without doubles. Takes no lock, so that nobody is disturbed. */
void rundir_recordings(struct strv *instances);

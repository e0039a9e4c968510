/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's state while ft holds it: the lock, the changes made, and the way back. */
#pragma once

#include "session/orphan.h"
#include "session/steps.h"
#include "tracefs/tracefs.h"
#include "util/err.h"

struct session;

/* Takes the locks of @places, which are names of instances and "" for the top level, opens the
 * journal, and starts the guardian: a process that puts everything back if this one dies, and closes
 * the file by @ops. The error says who holds a lock. */
struct session *session_begin(const struct tfs *top, const struct strv *places,
			      const struct orphan_ops *ops, struct err *err);
/* The file of the recording, from now on the guardian's care, too. @path may be relative. */
int session_note_file(struct session *session, const char *path, const char *where,
		      struct err *err);
/* The guardian's pid, so that it can be kept out of the trace. */
pid_t session_guardian(const struct session *session);

/* For changes that last: no guardian, and the journal becomes the entry of this change, which says
 * that @command made it. A change of the top level takes its lock, too. */
struct session *session_begin_change(const struct tfs *top, const char *instance,
				     const char *command, struct err *err);
/* False where there is no place for the entry: the change cannot be taken back later. */
bool session_can_undo(const struct session *session);
/* Lets the changes last and frees the session. One that changed nothing leaves no entry. */
int session_keep(struct session *session, struct err *err);

/* What the kernel did otherwise than it was told, such as sizes that it has rounded. */
const struct strv *session_notes(const struct session *session);

/* Does the steps in order. What they change is remembered first; what is right already is left
 * alone. On failure everything done so far is put back by session_end(). */
int session_apply(struct session *session, const struct steps *steps, struct err *err);

/* The tracing directory that the session works in: the top level or its last instance once made. */
const struct tfs *session_tfs(const struct session *session);
/* That of an instance that the session is in, or the top level for NULL. */
const struct tfs *session_place(const struct session *session, const char *instance);

/* Puts everything back; the guardian stays, for the sake of the file. */
int session_undo(struct session *session, struct err *err);
/* Puts everything back that is not yet, and lets the guardian go. The session is freed in any case. */
int session_end(struct session *session, struct err *err);
void session_endp(struct session **session);

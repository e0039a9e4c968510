/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's state while ft holds it: the lock, the changes made, and the way back. */
#pragma once

#include "session/steps.h"
#include "tracefs/tracefs.h"
#include "util/err.h"

struct session;

/* Takes the lock of the top level unless @config is for an instance, opens the journal, and starts
 * the guardian: a process that puts everything back if this one dies. The error says who holds the
 * lock. */
struct session *session_begin(const struct tfs *top, const char *instance, struct err *err);
/* The guardian's pid, so that it can be kept out of the trace. */
pid_t session_guardian(const struct session *session);

/* Does the steps in order. What they change is remembered first; what is right already is left
 * alone. On failure everything done so far is put back by session_end(). */
int session_apply(struct session *session, const struct steps *steps, struct err *err);

/* The tracing directory that the session works in: the top level or its instance once made. */
const struct tfs *session_tfs(const struct session *session);

/* Puts everything back and lets the guardian go. The session is freed in any case. */
int session_end(struct session *session, struct err *err);
void session_endp(struct session **session);

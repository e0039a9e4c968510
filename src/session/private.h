/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this module share and nobody else sees. */
#pragma once

#include "session/guardian.h"
#include "session/session.h"
#include "session/undo.h"

struct session {
	const struct tfs *top;
	struct tfs *instance;	/* the last one; NULL at the top level, or before it is made */
	bool made_instance;	/* by this session: it goes as a whole */
	struct strv made;	/* names of those that it has made */
	struct tfs **instances; /* all that the session is in */
	size_t nr_instances;
	bool lasts; /* a change that is kept, not a recording */
	char *journal_path;
	int *locks; /* of the top level and of instances; -1 where there was no place for one */
	size_t nr_locks;
	struct undo_list undo;
	struct guardian guardian; /* its pid is 0 where there is none */
	struct strv notes;
	int undo_failed; /* -errno of session_undo() */
};

/* Does one step, whatever its kind. */
int step_apply(struct session *session, const struct tfs *tfs, const struct step *step,
	       struct err *err);

/* Remembers the way back of what is about to be written to @file. An instance that this session has
 * made goes as a whole: only what lies outside of it has to be remembered. */
int session_remember(struct session *session, const struct tfs *tfs, enum undo_kind kind,
		     const char *file, const char *text, struct err *err);

/* The appliers of lists. */
int apply_empty(struct session *session, const struct tfs *tfs, const struct step *step,
		struct err *err);
int apply_list(struct session *session, const struct tfs *tfs, const struct step *step,
	       struct err *err);
int apply_add(struct session *session, const struct tfs *tfs, const struct step *step,
	      struct err *err);

/* The appliers of events, one a kind. */
int apply_system(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err);
int apply_filter(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err);
int apply_action(struct session *session, const struct tfs *tfs, const struct step *step,
		 struct err *err);
int apply_probe(struct session *session, const struct tfs *tfs, const struct step *step,
		struct err *err);

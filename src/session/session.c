/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's state while ft holds it: the lock, the changes made, and the way back. */
#include "session/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/changes.h"
#include "session/private.h"
#include "session/rundir.h"
#include "util/mem.h"

static void release_files(struct session *session)
{
	if (session->undo.journal >= 0)
		close(session->undo.journal);
	for (size_t i = 0; i < session->nr_locks; i++)
		if (session->locks[i] >= 0)
			close(session->locks[i]);
	free(session->locks);
	free(session->journal_path);
	for (size_t i = 0; i < session->nr_instances; i++)
		tfs_free(session->instances[i]);
	free(session->instances);
	strv_fini(&session->made);
	undo_list_fini(&session->undo);
	strv_fini(&session->notes);
	free(session);
}

/* @place is an instance, or "". */
static int take_lock(struct session *session, const char *dir, const char *place, struct err *err)
{
	int lock = place[0] ? rundir_lock_instance(dir, place, err) : rundir_lock_top(dir, err);

	if (lock < -1)
		return lock;
	session->locks =
		xrealloc(session->locks, (session->nr_locks + 1) * sizeof(*session->locks));
	session->locks[session->nr_locks++] = lock;
	return 0;
}

static int open_files(struct session *session, const struct strv *places,
		      const struct orphan_ops *ops, struct err *err)
{
	cleanup_free char *dir = rundir_open();
	struct guardian_care care;
	int r;

	for (size_t i = 0; i < places->nr; i++) {
		r = take_lock(session, dir, places->item[i], err);
		if (r < 0)
			return r;
	}
	session->undo.journal = rundir_new_journal(dir, &session->journal_path, err);
	if (session->undo.journal < 0)
		return session->undo.journal;
	care = (struct guardian_care){
		.journal = session->undo.journal,
		.journal_path = session->journal_path,
		.locks = session->locks,
		.nr_locks = session->nr_locks,
		.ops = ops,
	};
	r = guardian_start(&session->guardian, &care, err);
	return r < 0 ? r : rundir_show_journal(session->undo.journal, session->journal_path, err);
}

static struct session *session_new(const struct tfs *top)
{
	struct session *session = xzalloc(sizeof(*session));

	session->top = top;
	session->undo.journal = -1;
	return session;
}

static struct session *give_up(struct session *session)
{
	if (session->journal_path)
		unlink(session->journal_path);
	release_files(session);
	return NULL;
}

struct session *session_begin(const struct tfs *top, const struct strv *places,
			      const struct orphan_ops *ops, struct err *err)
{
	struct session *session = session_new(top);

	return open_files(session, places, ops, err) < 0 ? give_up(session) : session;
}

/* A recording that runs is not to be changed from outside: what its file says of it is written. */
static int hold_instance(struct session *session, const char *dir, const char *name,
			 struct err *err)
{
	cleanup(strv_fini) struct strv recordings = {0};
	int r = take_lock(session, dir, name, err);

	if (r < 0)
		return r;
	rundir_recordings(&recordings);
	if (strv_has(&recordings, name))
		return err_set(
			err, EBUSY,
			"instance %s belongs to a recording that runs, whose file says already what is "
			"in it: end that first",
			name);
	return 0;
}

static int open_change(struct session *session, const char *instance, const char *command,
		       struct err *err)
{
	cleanup_free char *dir = rundir_open();
	cleanup_free char *file = instance ? xasprintf("instances/%s", instance) : NULL;
	int r = instance ? hold_instance(session, dir, instance, err)
			 : take_lock(session, dir, "", err);

	if (r < 0)
		return r;
	if (instance && tfs_has(session->top, file)) {
		session->instances = xcalloc(1, sizeof(*session->instances));
		session->instances[0] = tfs_open_instance(session->top, instance, err);
		if (!session->instances[0])
			return -err->code;
		session->instance = session->instances[session->nr_instances++];
	}
	session->undo.journal = changes_new(dir, command, &session->journal_path, err);
	return session->undo.journal < 0 ? session->undo.journal : 0;
}

struct session *session_begin_change(const struct tfs *top, const char *instance,
				     const char *command, struct err *err)
{
	struct session *session = session_new(top);

	session->lasts = true;
	return open_change(session, instance, command, err) < 0 ? give_up(session) : session;
}

bool session_can_undo(const struct session *session)
{
	return session->journal_path || !session->undo.nr;
}

const struct strv *session_notes(const struct session *session)
{
	return &session->notes;
}

pid_t session_guardian(const struct session *session)
{
	return session->guardian.pid;
}

const struct tfs *session_tfs(const struct session *session)
{
	return session->instance ? session->instance : session->top;
}

const struct tfs *session_place(const struct session *session, const char *instance)
{
	for (size_t i = 0; instance && i < session->nr_instances; i++)
		if (!strcmp(tfs_instance_name(session->instances[i]), instance))
			return session->instances[i];
	return session->top;
}

/* Where the step's file is; NULL when it is nowhere and need not be. */
static const struct tfs *find_place(const struct session *session, const struct step *step)
{
	const struct tfs *tfs = step->top ? session->top : session_tfs(session);

	if (!step->optional && !step->or_top)
		return tfs;
	if (tfs_has(tfs, step->file))
		return tfs;
	if (step->or_top && tfs_has(session->top, step->file))
		return session->top;
	return step->optional ? NULL : tfs;
}

int session_apply(struct session *session, const struct steps *steps, struct err *err)
{
	for (size_t i = 0; i < steps->nr; i++) {
		const struct step *step = &steps->step[i];
		const struct tfs *tfs = find_place(session, step);
		int r;

		if (!tfs)
			continue;
		r = step_apply(session, tfs, step, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int session_note_file(struct session *session, const char *path, const char *where, struct err *err)
{
	cleanup_free char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
	cleanup_free char *full = here ? xasprintf("%s/%s", here, path) : xstrdup(path);

	return orphan_note(session->undo.journal, full, where, err);
}

int session_undo(struct session *session, struct err *err)
{
	int r = undo_run(&session->undo, err);

	if (r < 0)
		session->undo_failed = r;
	else
		orphan_note_undone(session->undo.journal, NULL);
	return r;
}

int session_end(struct session *session, struct err *err)
{
	int r = session->undo_failed ? session->undo_failed : undo_run(&session->undo, err);

	/* What could not be put back stays in the journal, for the guardian's and a later try. */
	if (r == 0) {
		if (session->journal_path)
			unlink(session->journal_path);
		guardian_dismiss(&session->guardian);
	}
	release_files(session);
	return r;
}

int session_keep(struct session *session, struct err *err)
{
	int r = 0;

	if (session->undo.nr)
		r = changes_seal(&session->undo, err);
	else if (session->journal_path)
		unlink(session->journal_path);
	release_files(session);
	return r;
}

void session_endp(struct session **session)
{
	if (*session)
		session_end(*session, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's state while ft holds it: the lock, the changes made, and the way back. */
#include "session/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/guardian.h"
#include "session/rundir.h"
#include "session/undo.h"
#include "util/io.h"
#include "util/mem.h"

struct session {
	const struct tfs *top;
	struct tfs *instance; /* NULL at the top level, or before it is made */
	char *journal_path;
	int lock;
	struct undo_list undo;
	struct guardian guardian;
};

static void release_files(struct session *session)
{
	if (session->undo.journal >= 0)
		close(session->undo.journal);
	if (session->lock >= 0)
		close(session->lock);
	free(session->journal_path);
	tfs_free(session->instance);
	undo_list_fini(&session->undo);
	free(session);
}

static int open_files(struct session *session, bool top_level, struct err *err)
{
	cleanup_free char *dir = rundir_open();

	if (top_level) {
		session->lock = rundir_lock_top(dir, err);
		if (session->lock < -1)
			return session->lock;
	}
	session->undo.journal = rundir_new_journal(dir, &session->journal_path, err);
	if (session->undo.journal < 0)
		return session->undo.journal;
	return guardian_start(&session->guardian, session->undo.journal, session->lock,
			      session->journal_path, err);
}

struct session *session_begin(const struct tfs *top, const char *instance, struct err *err)
{
	struct session *session = xzalloc(sizeof(*session));

	session->top = top;
	session->lock = -1;
	session->undo.journal = -1;
	if (open_files(session, !instance, err) < 0) {
		if (session->journal_path)
			unlink(session->journal_path);
		release_files(session);
		return NULL;
	}
	return session;
}

pid_t session_guardian(const struct session *session)
{
	return session->guardian.pid;
}

const struct tfs *session_tfs(const struct session *session)
{
	return session->instance ? session->instance : session->top;
}

static char *full_path(const struct tfs *tfs, const char *file)
{
	return xasprintf("%s/%s", tfs_dir(tfs), file);
}

/* The value in what the kernel shows: "[local] global", "7 (expanded: 1408)", "1*". */
static char *plain_value(const char *shown)
{
	static const char expanded[] = "(expanded: ";
	const char *at;

	at = strchr(shown, '[');
	if (at && strchr(at, ']'))
		return xstrndup(at + 1, strcspn(at + 1, "]"));
	at = strstr(shown, expanded);
	if (at)
		return xstrndup(at + strlen(expanded), strspn(at + strlen(expanded), "0123456789"));
	if (!strcmp(shown, "0*") || !strcmp(shown, "1*"))
		return xstrndup(shown, 1);
	return xstrdup(shown);
}

/* An instance goes as a whole: only what lies outside of it has to be remembered. */
static int remember(struct session *session, const struct tfs *tfs, enum undo_kind kind,
		    const char *file, const char *text, struct err *err)
{
	cleanup_free char *path = NULL;

	if (tfs == session->instance)
		return 0;
	path = full_path(tfs, file);
	return undo_add(&session->undo, kind, path, text, err);
}

/* buffer_size_kb shows "X" when the CPUs differ: each has its own file then. */
static int remember_each_cpu(struct session *session, const struct tfs *tfs, const char *file,
			     struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	size_t nr;
	int r = tfs_cpus(tfs, &cpus, &nr, err);

	for (size_t i = 0; r == 0 && i < nr; i++) {
		cleanup_free char *cpu_file = xasprintf("per_cpu/cpu%u/%s", cpus[i], file);
		cleanup_free char *shown = NULL;
		cleanup_free char *old = NULL;

		r = tfs_read_line(tfs, cpu_file, &shown, err);
		if (r < 0)
			break;
		old = plain_value(shown);
		r = remember(session, tfs, UNDO_WRITE, cpu_file, old, err);
	}
	return r;
}

static int apply_set(struct session *session, const struct tfs *tfs, const struct step *step,
		     struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *old = NULL;
	int r = tfs_read_line(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	old = plain_value(shown);
	if (!strcmp(old, step->value))
		return 0;
	if (!strcmp(old, "X"))
		r = remember_each_cpu(session, tfs, step->file, err);
	else
		r = remember(session, tfs, UNDO_WRITE, step->file, old, err);
	return r < 0 ? r : tfs_write(tfs, step->file, step->value, 0, err);
}

/* One token a write, each with its end: the kernel drops a name without one in silence. */
static int write_tokens(const struct tfs *tfs, const struct step *step, struct err *err)
{
	cleanup(strv_fini) struct strv tokens = {0};
	cleanup_close int fd = tfs_open_file(tfs, step->file, O_WRONLY | O_TRUNC, err);

	if (fd < 0)
		return fd;
	strv_split(&tokens, step->value, "\n");
	for (size_t i = 0; i < tokens.nr; i++) {
		cleanup_free char *line = xasprintf("%s\n", tokens.item[i]);
		int r = io_write_all(fd, line, strlen(line));

		if (r < 0)
			return err_sys(err, -r, "cannot write '%s' to %s", tokens.item[i],
				       step->file);
	}
	/* The list takes effect at close. */
	if (close(take_fd(fd)) < 0)
		return err_sys(err, errno, "the kernel refuses the list written to %s", step->file);
	return 0;
}

static int apply_list(struct session *session, const struct tfs *tfs, const struct step *step,
		      struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *old = NULL;
	int r = tfs_read(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	old = undo_list_text(shown);
	if (!old[0] && !step->value[0])
		return 0;
	r = remember(session, tfs, UNDO_LIST, step->file, old, err);
	return r < 0 ? r : write_tokens(tfs, step, err);
}

/* A system that is on in part is put back event by event. Undo runs backwards: the single events
 * are remembered first, so that they come after the system as a whole is off. */
static int remember_system(struct session *session, const struct tfs *tfs, const char *file,
			   struct err *err)
{
	const char *system = file + strlen("events/");
	cleanup_free char *pattern = xasprintf("%.*s:*", (int)strcspn(system, "/"), system);
	cleanup(strv_fini) struct strv events = {0};
	int r = tfs_match_events(tfs, pattern, &events, err);

	for (size_t i = 0; r >= 0 && i < events.nr; i++) {
		const char *name = strchr(events.item[i], ':') + 1;
		cleanup_free char *event_file =
			xasprintf("events/%.*s/%s/enable", (int)strcspn(system, "/"), system, name);
		cleanup_free char *shown = NULL;

		r = tfs_read_line(tfs, event_file, &shown, err);
		if (r >= 0 && shown[0] == '1')
			r = remember(session, tfs, UNDO_WRITE, event_file, "1", err);
	}
	return r < 0 ? r : remember(session, tfs, UNDO_WRITE, file, "0", err);
}

static int apply_system(struct session *session, const struct tfs *tfs, const struct step *step,
			struct err *err)
{
	cleanup_free char *shown = NULL;
	int r = tfs_read_line(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	if (shown[0] == '1')
		return 0;
	if (shown[0] == 'X')
		r = remember_system(session, tfs, step->file, err);
	else
		r = remember(session, tfs, UNDO_WRITE, step->file, "0", err);
	return r < 0 ? r : tfs_write(tfs, step->file, step->value, 0, err);
}

static int clear_filter(struct session *session, const struct tfs *tfs, const char *file,
			struct err *err)
{
	cleanup_free char *old = NULL;
	int r;

	/* Events of the ftrace system and a few others have no filter. */
	if (!tfs_has(tfs, file))
		return 0;
	r = tfs_read_line(tfs, file, &old, err);
	/* A filter that the kernel refused is shown above its error; it hides nothing, and could
	 * not be written back. */
	if (r < 0 || !strcmp(old, "none") || strchr(old, '\n'))
		return r;
	r = remember(session, tfs, UNDO_WRITE, file, old, err);
	return r < 0 ? r : tfs_write(tfs, file, "0", 0, err);
}

/* "events/SYSTEM/filter" stands for the filters of all its events. */
static int apply_filter(struct session *session, const struct tfs *tfs, const struct step *step,
			struct err *err)
{
	cleanup(strv_fini) struct strv parts = {0};
	cleanup(strv_fini) struct strv events = {0};
	cleanup_free char *pattern = NULL;
	int r;

	strv_split(&parts, step->file, "/");
	if (parts.nr == 4)
		return clear_filter(session, tfs, step->file, err);
	pattern = xasprintf("%s:*", parts.item[1]);
	r = tfs_match_events(tfs, pattern, &events, err);
	for (size_t i = 0; r >= 0 && i < events.nr; i++) {
		cleanup_free char *file = xasprintf("events/%s/%s/filter", parts.item[1],
						    strchr(events.item[i], ':') + 1);

		r = clear_filter(session, tfs, file, err);
	}
	return r < 0 ? r : 0;
}

static int apply_empty(struct session *session, const struct tfs *tfs, const struct step *step,
		       struct err *err)
{
	cleanup_close int fd = tfs_open_file(tfs, step->file, O_WRONLY | O_TRUNC, err);

	(void)session;
	return fd < 0 ? fd : 0;
}

static int apply_instance(struct session *session, const struct tfs *tfs, const struct step *step,
			  struct err *err)
{
	cleanup_free char *file = xasprintf("instances/%s", step->file);
	int r;

	(void)tfs;
	/* One that is there already belongs to somebody else and must not be removed. */
	if (tfs_has(session->top, file))
		return err_set(err, EEXIST, "instance %s is there already", step->file);
	r = remember(session, session->top, UNDO_REMOVE, file, "", err);
	if (r < 0)
		return r;
	r = tfs_instance_create(session->top, step->file, err);
	if (r < 0)
		return r;
	session->instance = tfs_open_instance(session->top, step->file, err);
	return session->instance ? 0 : -err->code;
}

static int apply_sysctl(struct session *session, const struct tfs *tfs, const struct step *step,
			struct err *err)
{
	cleanup(strbuf_fini) struct strbuf shown = {0};
	cleanup_close int fd = -1;
	const char *old;
	int r = io_read_file(step->file, &shown, err);

	(void)tfs;
	if (r < 0)
		return r;
	old = str_trim(shown.text);
	if (!strcmp(old, step->value))
		return 0;
	r = undo_add(&session->undo, UNDO_WRITE, step->file, old, err);
	if (r < 0)
		return r;
	fd = open(step->file, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		r = io_write_all(fd, step->value, strlen(step->value));
	if (fd < 0 || r < 0)
		return err_sys(err, fd < 0 ? errno : -r, "cannot write '%s' to %s", step->value,
			       step->file);
	return 0;
}

typedef int (*apply_fn)(struct session *session, const struct tfs *tfs, const struct step *step,
			struct err *err);

static const apply_fn apply_kind[] = {
	[STEP_SET] = apply_set,	      [STEP_LIST] = apply_list,	  [STEP_SYSTEM] = apply_system,
	[STEP_FILTER] = apply_filter, [STEP_EMPTY] = apply_empty, [STEP_INSTANCE] = apply_instance,
	[STEP_SYSCTL] = apply_sysctl,
};

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
		r = apply_kind[step->kind](session, tfs, step, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int session_end(struct session *session, struct err *err)
{
	int r = undo_run(&session->undo, err);

	/* What could not be put back stays in the journal, for the guardian's and a later try. */
	if (r == 0) {
		if (session->journal_path)
			unlink(session->journal_path);
		guardian_dismiss(&session->guardian);
	}
	release_files(session);
	return r;
}

void session_endp(struct session **session)
{
	if (*session)
		session_end(*session, NULL);
}

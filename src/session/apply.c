/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step: remember what is there, write what is wanted, read it back. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/private.h"
#include "session/setup.h"
#include "session/shown.h"
#include "util/io.h"
#include "util/mem.h"

static char *full_path(const struct tfs *tfs, const char *file)
{
	return xasprintf("%s/%s", tfs_dir(tfs), file);
}

int session_remember(struct session *session, const struct tfs *tfs, enum undo_kind kind,
		     const char *file, const char *text, struct err *err)
{
	cleanup_free char *path = NULL;

	/* The options of tracers are the same for all instances. */
	if (session->made_instance && tfs == session->instance && !str_starts(file, "options/"))
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
		old = shown_value(shown);
		r = session_remember(session, tfs, UNDO_WRITE, cpu_file, old, err);
	}
	return r;
}

/* A change of the one file changes the other, too. */
static const struct {
	const char *file;
	const char *other;
} related[] = {
	/* The latency tracers begin with a maximum of zero. */
	{"current_tracer", "tracing_max_latency"},
	/* The size is rounded to whole sub-buffers. */
	{"buffer_subbuf_size_kb", "buffer_size_kb"},
};

static int remember_value(struct session *session, const struct tfs *tfs, const char *file,
			  const char *old, struct err *err)
{
	if (!strcmp(old, "X"))
		return remember_each_cpu(session, tfs, file, err);
	return session_remember(session, tfs, UNDO_WRITE, file, old, err);
}

static int remember_related(struct session *session, const struct tfs *tfs, const char *file,
			    struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < array_size(related); i++) {
		cleanup_free char *shown = NULL;
		cleanup_free char *old = NULL;

		if (strcmp(related[i].file, file) || !tfs_has(tfs, related[i].other) ||
		    tfs_read_line(tfs, related[i].other, &shown, NULL) < 0)
			continue;
		old = shown_value(shown);
		r = remember_value(session, tfs, related[i].other, old, err);
	}
	return r;
}

/* The kernel takes some values and does not do what they say. Sizes it may round up. */
static int verify(struct session *session, const struct tfs *tfs, const struct step *step,
		  struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *now = NULL;
	int r;

	/* A trigger may turn it off again at once. */
	if (!strcmp(step->file, "tracing_on"))
		return 0;
	r = tfs_read_line(tfs, step->file, &shown, err);
	if (r < 0)
		return r;
	now = shown_value(shown);
	switch (shown_compare(step->file, step->value, now)) {
	case SHOWN_SAME:
		return 0;
	case SHOWN_ROUNDED:
		strv_add_take(&session->notes, xasprintf("%s is %s: the kernel has rounded %s up",
							 step->file, now, step->value));
		return 0;
	default:
		return err_set(
			err, EIO,
			"%s is '%s' after '%s' was written to it: the kernel did not take it",
			step->file, now, step->value);
	}
}

static int apply_set(struct session *session, const struct tfs *tfs, const struct step *step,
		     struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *old = NULL;
	int r = tfs_read_line(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	old = shown_value(shown);
	if (shown_compare(step->file, step->value, old) == SHOWN_SAME)
		return 0;
	r = remember_related(session, tfs, step->file, err);
	if (r == 0)
		r = remember_value(session, tfs, step->file, old, err);
	if (r == 0)
		r = tfs_write(tfs, step->file, step->value, 0, err);
	return r < 0 ? r : verify(session, tfs, step, err);
}

int apply_empty(struct session *session, const struct tfs *tfs, const struct step *step,
		struct err *err)
{
	cleanup_close int fd = tfs_open_file(tfs, step->file, O_WRONLY | O_TRUNC, err);

	(void)session;
	return fd < 0 ? fd : 0;
}

/* "1" takes one, "2" empties it, "0" frees its memory. What a snapshot holds cannot be put back, its
 * memory can be freed again. */
static int apply_snapshot(struct session *session, const struct tfs *tfs, const struct step *step,
			  struct err *err)
{
	cleanup_free char *shown = NULL;
	bool frees = !strcmp(step->value, "0");
	bool is_there;
	int r = tfs_read(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	is_there = !strstr(shown, "* Snapshot is freed *");
	if (!is_there && strcmp(step->value, "1"))
		return 0;
	if (!is_there || frees)
		r = session_remember(session, tfs, UNDO_APPEND, step->file, frees ? "1" : "0", err);
	return r < 0 ? r : tfs_write(tfs, step->file, step->value, 0, err);
}

static int enter(struct session *session, const char *name, bool made, struct err *err)
{
	struct tfs *tfs = tfs_open_instance(session->top, name, err);

	if (!tfs)
		return -err->code;
	session->instances = xrealloc(session->instances,
				      (session->nr_instances + 1) * sizeof(*session->instances));
	session->instances[session->nr_instances++] = tfs;
	session->instance = tfs;
	session->made_instance = made;
	return 0;
}

/* One that the session knows already, or the top level for "". */
static bool go_back(struct session *session, const char *name)
{
	for (size_t i = 0; i < session->nr_instances; i++) {
		if (strcmp(tfs_instance_name(session->instances[i]), name))
			continue;
		session->instance = session->instances[i];
		session->made_instance = strv_has(&session->made, name);
		return true;
	}
	if (name[0])
		return false;
	session->instance = NULL;
	session->made_instance = false;
	return true;
}

static int apply_enter(struct session *session, const struct tfs *tfs, const struct step *step,
		       struct err *err)
{
	(void)tfs;
	return go_back(session, step->file) ? 0 : enter(session, step->file, false, err);
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
	r = session_remember(session, session->top, UNDO_REMOVE, file, "", err);
	if (r < 0)
		return r;
	r = tfs_instance_create(session->top, step->file, err);
	if (r < 0)
		return r;
	/* A recording goes on in it; a lasting change only makes it. */
	if (session->lasts)
		return 0;
	strv_add(&session->made, step->file);
	return enter(session, step->file, true, err);
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

static const struct {
	enum step_kind step;
	enum undo_kind undo;
} undo_of[] = {
	{STEP_SET, UNDO_WRITE},
	{STEP_LIST, UNDO_LIST},
	{STEP_FILTER, UNDO_WRITE},
	{STEP_ACTION, UNDO_APPEND},
};

static int remember_setting(struct session *session, const char *instance, const struct step *step,
			    struct err *err)
{
	cleanup_free char *file = xasprintf("instances/%s/%s", instance, step->file);
	/* Commands take effect at their newline. */
	cleanup_free char *text = xasprintf("%s\n", step->value);

	for (size_t i = 0; i < array_size(undo_of); i++)
		if (undo_of[i].step == step->kind)
			return session_remember(session, session->top, undo_of[i].undo, file, text,
						err);
	return 0;
}

/* The steps that would bring it about again, the last one first: undo runs backwards. */
static int remember_settings(struct session *session, const char *instance, struct err *err)
{
	cleanup(tfs_freep) struct tfs *tfs = tfs_open_instance(session->top, instance, err);
	cleanup(setup_fini) struct setup setup = {0};
	cleanup(steps_fini) struct steps steps = {0};
	int r;

	if (!tfs)
		return -err->code;
	r = setup_read(tfs, &setup, err);
	setup_steps(&(struct setup){0}, &setup, &(struct strv){0}, "", &steps);
	for (size_t i = steps.nr; r == 0 && i-- > 0;)
		r = remember_setting(session, instance, &steps.step[i], err);
	return r;
}

/* Its recorded events go with it, its settings do not. */
static int apply_no_instance(struct session *session, const struct tfs *tfs,
			     const struct step *step, struct err *err)
{
	cleanup_free char *file = xasprintf("instances/%s", step->file);
	struct err local;
	int r;

	(void)tfs;
	err = err ? err : &local;
	if (!tfs_has(session->top, file))
		return 0;
	r = remember_settings(session, step->file, err);
	if (r == 0)
		r = session_remember(session, session->top, UNDO_MAKE, file, "", err);
	return r < 0 ? r : tfs_instance_remove(session->top, step->file, err);
}

typedef int (*apply_fn)(struct session *session, const struct tfs *tfs, const struct step *step,
			struct err *err);

static const apply_fn apply_kind[] = {
	[STEP_SET] = apply_set,
	[STEP_LIST] = apply_list,
	[STEP_ADD] = apply_add,
	[STEP_SYSTEM] = apply_system,
	[STEP_FILTER] = apply_filter,
	[STEP_ACTION] = apply_action,
	[STEP_PROBE] = apply_probe,
	[STEP_EMPTY] = apply_empty,
	[STEP_SNAPSHOT] = apply_snapshot,
	[STEP_INSTANCE] = apply_instance,
	[STEP_NO_INSTANCE] = apply_no_instance,
	[STEP_SYSCTL] = apply_sysctl,
	[STEP_ENTER] = apply_enter,
};

int step_apply(struct session *session, const struct tfs *tfs, const struct step *step,
	       struct err *err)
{
	return apply_kind[step->kind](session, tfs, step, err);
}

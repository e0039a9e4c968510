/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole setups: --reset, --save and --load. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/set.h"
#include "util/io.h"
#include "util/mem.h"

static int all_cpus_mask(const struct tfs *tfs, char **mask, struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	size_t nr;
	int r = tfs_cpus(tfs, &cpus, &nr, err);

	*mask = r == 0 ? format_full_cpumask(cpus[nr - 1] + 1) : NULL;
	return r;
}

static int build_way(const struct tfs *tfs, const struct setup *now, const struct setup *want,
		     struct steps *out, struct err *err)
{
	cleanup(strv_fini) struct strv all = {0};
	cleanup_free char *mask = NULL;
	int r = tfs_events(tfs, &all, err);

	if (r == 0)
		r = all_cpus_mask(tfs, &mask, err);
	if (r == 0)
		setup_steps(now, want, &all, mask, out);
	return r;
}

/* An instance that somebody reads cannot be removed: better known before anything is changed. */
static int check_unused(const char *instance, const struct tracing_users *users, struct err *err)
{
	cleanup_free char *lead = xasprintf("instances/%s/", instance);

	for (size_t i = 0; i < users->nr; i++)
		if (str_starts(users->user[i].file, lead))
			return err_set(err, EBUSY,
				       "instance %s is in use: process %d (%s) has its %s open",
				       instance, users->user[i].pid, users->user[i].comm,
				       users->user[i].file + strlen(lead));
	return 0;
}

static int remove_instances(const struct tfs *tfs, struct steps *out, struct strv *notes,
			    struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(tracing_users_fini) struct tracing_users users = {0};
	int r = tfs_has(tfs, "instances") ? tfs_instances(tfs, &names, err) : 0;

	if (names.nr)
		tracing_users_find(tfs, &users);
	for (size_t i = 0; r == 0 && i < names.nr; i++) {
		r = check_unused(names.item[i], &users, err);
		strv_add_take(notes, xasprintf("removing instance %s", names.item[i]));
		steps_add(out, STEP_NO_INSTANCE, xstrdup(names.item[i]), xstrdup(""));
	}
	return r;
}

/* Dynamic events are no part of the buffer: without --all they stay. */
static void keep_or_name_probes(const struct setup *now, bool all, struct setup *want,
				struct strv *notes)
{
	for (size_t i = 0; i < now->nr; i++) {
		const struct setting *one = &now->setting[i];

		if (one->kind != STEP_PROBE)
			continue;
		if (all)
			strv_add_take(notes, xasprintf("removing dynamic event %s", one->value));
		else
			setup_add(want, one->kind, one->file, one->value);
	}
}

int set_reset_build(const struct set_args *args, const struct tfs *tfs, struct steps *out,
		    struct strv *notes, struct err *err)
{
	cleanup(setup_fini) struct setup now = {0};
	cleanup(setup_fini) struct setup want = {0};
	int r = args->all ? remove_instances(tfs, out, notes, err) : 0;

	if (r == 0)
		r = setup_read(tfs, &now, err);
	if (r < 0)
		return r;
	keep_or_name_probes(&now, args->all, &want, notes);
	return build_way(tfs, &now, &want, out, err);
}

/* What a setup of another kernel names, and this one does not have. */
struct lacks {
	const struct tfs *tfs;
	struct strv tracers;
	struct strv clocks;
	struct strv functions; /* empty where they cannot be known: the kernel finds out */
	struct strv found;
	bool has_probes;
};

static void lacks_fini(struct lacks *lacks)
{
	strv_fini(&lacks->tracers);
	strv_fini(&lacks->clocks);
	strv_fini(&lacks->functions);
	strv_fini(&lacks->found);
}

/* Not set_ftrace_notrace_pid and the like, whose numbers are no functions. */
static bool is_function_list(const char *file)
{
	static const char *const lists[] = {"set_ftrace_filter", "set_ftrace_notrace",
					    "set_graph_function", "set_graph_notrace"};

	for (size_t i = 0; i < array_size(lists); i++)
		if (!strcmp(file, lists[i]))
			return true;
	return false;
}

static void lacks_init(struct lacks *lacks, const struct tfs *tfs, const struct setup *want)
{
	bool has_lists = false;

	lacks->tfs = tfs;
	for (size_t i = 0; i < want->nr; i++) {
		lacks->has_probes |= want->setting[i].kind == STEP_PROBE;
		has_lists |= is_function_list(want->setting[i].file);
	}
	tfs_tracers(tfs, &lacks->tracers, NULL);
	tfs_clocks(tfs, &lacks->clocks, NULL, NULL);
	if (has_lists)
		tfs_functions(tfs, &lacks->functions, NULL);
}

/* "vfs_read", "ext4_sync_fs:mod:ext4", or the command "vfs_read:traceoff". */
static bool lacks_function(const struct lacks *lacks, const char *token)
{
	cleanup_free char *name = xstrndup(token, strcspn(token, ": \t"));

	return lacks->functions.nr && *name && !is_glob(name) &&
	       !tfs_count_name(&lacks->functions, name);
}

static void check_one(struct lacks *lacks, const struct setting *one)
{
	/* An event of a probe that is still to be made. */
	if (!tfs_has(lacks->tfs, one->file) &&
	    !(lacks->has_probes && str_starts(one->file, "events/")))
		strv_add(&lacks->found, one->file);
	else if (!strcmp(one->file, "current_tracer") && !strv_has(&lacks->tracers, one->value))
		strv_add_take(&lacks->found, xasprintf("tracer %s", one->value));
	else if (!strcmp(one->file, "trace_clock") && !strv_has(&lacks->clocks, one->value))
		strv_add_take(&lacks->found, xasprintf("clock %s", one->value));
	else if (is_function_list(one->file) && lacks_function(lacks, one->value))
		strv_add_take(&lacks->found, xasprintf("function %s", one->value));
}

/* What the setup names must be there: nothing is written before that is known. */
static int check_there(const struct setup *want, const struct tfs *tfs, const char *path,
		       struct err *err)
{
	enum { SHOWN = 10 };
	cleanup(lacks_fini) struct lacks lacks = {0};
	cleanup(strbuf_fini) struct strbuf names = {0};

	lacks_init(&lacks, tfs, want);
	for (size_t i = 0; i < want->nr; i++)
		check_one(&lacks, &want->setting[i]);
	if (!lacks.found.nr)
		return 0;
	for (size_t i = 0; i < lacks.found.nr && i < SHOWN; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", lacks.found.item[i]);
	if (lacks.found.nr > SHOWN)
		strbuf_addf(&names, ", and %zu more", lacks.found.nr - SHOWN);
	return err_set(err, ENOENT, "%s sets what is not in %s: %s", path, tfs_dir(tfs),
		       strbuf_str(&names));
}

int set_load_build(const struct set_args *args, const struct tfs *tfs, struct steps *out,
		   struct err *err)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(setup_fini) struct setup now = {0};
	cleanup(setup_fini) struct setup want = {0};
	struct err local = {0};
	int r = io_read_file(args->load, &text, err);

	if (r < 0)
		return r;
	r = setup_parse(strbuf_str(&text), &want, &local);
	if (r < 0)
		return err_set(err, local.code, "%s: %s", args->load, local.text);
	r = check_there(&want, tfs, args->load, err);
	if (r == 0)
		r = setup_read(tfs, &now, err);
	if (r < 0)
		return r;
	/* Others' dynamic events stay, as with --reset. */
	for (size_t i = 0; i < now.nr; i++)
		if (now.setting[i].kind == STEP_PROBE && !setup_has(&want, &now.setting[i]))
			setup_add(&want, STEP_PROBE, now.setting[i].file, now.setting[i].value);
	return build_way(tfs, &now, &want, out, err);
}

int set_save(const struct set_args *args, const struct tfs *tfs, struct err *err)
{
	cleanup(setup_fini) struct setup setup = {0};
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_close int fd = -1;
	int r = setup_read(tfs, &setup, err);

	if (r < 0)
		return r;
	setup_print(&setup, &text);
	fd = open(args->save, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", args->save);
	r = io_write_all(fd, strbuf_str(&text), text.len);
	if (close(take_fd(fd)) < 0 && r == 0)
		r = -errno;
	return r < 0 ? err_sys(err, -r, "cannot write %s", args->save) : 0;
}

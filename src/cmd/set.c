/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft set: the tracing state that stays. */
#include "cmd/set.h"

#include <stdio.h>
#include <string.h>

#include "cmd/record_run.h"
#include "cmd/verbs.h"
#include "cmd/whole.h"
#include "session/changes.h"
#include "session/rundir.h"
#include "session/session.h"
#include "util/mem.h"

static const struct option options[] = {
	OPT_GROUP("Which state"),
	OPT_STRING(0, "instance", struct set_args, instance, "NAME", HINT_INSTANCE,
		   "of this instance, not of the top level"),
	OPT_STRING(0, "tracefs", struct set_args, tracefs, "DIR", HINT_DIR,
		   "where tracefs is mounted"),
	OPT_GROUP("The whole of it"),
	OPT_FLAG(
		0, "undo", struct set_args, undo,
		"take the last change of ft back, with --instance the last one there; again: the one before"),
	OPT_FLAG(0, "force", struct set_args, force,
		 "with --undo, even if others have changed the same since"),
	OPT_FLAG(0, "reset", struct set_args, reset, "back to the kernel's defaults"),
	OPT_FLAG(
		'a', "all", struct set_args, all,
		"the whole system: a function tracer without a filter; with --reset, others' instances and dynamic events"),
	OPT_STRING(0, "save", struct set_args, save, "FILE", HINT_FILE,
		   "write all that is not at its default to FILE"),
	OPT_STRING(0, "load", struct set_args, load, "FILE", HINT_FILE,
		   "bring about what --save has written"),
	OPT_GROUP("What to say"),
	OPT_FLAG(0, "json", struct set_args, json, "show the state as JSON"),
	OPT_FLAG(0, "dry-run", struct set_args, dry_run,
		 "print what would be written to the kernel, as shell lines, and stop"),
	OPT_COUNT('v', "verbose", struct set_args, verbose, "say what was done"),
	OPT_END,
};

static const struct example examples[] = {
	{"ft set", "what is not at its default, and who uses it"},
	{"ft set -a tracer=function_graph on", "start a tracer, over the whole system"},
	{"ft set buffer=16M events+=sched,irq:*", "a larger buffer, and more events"},
	{"ft set --undo", "as it was before that"},
	{NULL, NULL},
};

/* Each of these stands alone. */
static int check_modes(const struct set_args *args, struct err *err)
{
	int modes = args->undo + args->reset + (args->save != NULL) + (args->load != NULL) +
		    (args->common.words.nr > 0);

	if (modes > 1)
		return err_set(
			err, EINVAL,
			"only one of settings, --undo, --reset, --save and --load at a time");
	if (args->all && !args->load && !args->reset && !args->common.words.nr)
		return err_set(err, EINVAL, "--all is for --reset, --load and tracer=");
	if (args->all && args->reset && args->instance)
		return err_set(err, EINVAL,
			       "--reset --all is for the whole system: leave --instance out");
	if (args->force && !args->undo)
		return err_set(err, EINVAL, "--force is for --undo");
	if (args->json && modes)
		return err_set(err, EINVAL, "--json is for showing the state, without settings");
	if (args->dry_run && (!modes || args->save))
		return err_set(err, EINVAL, "--dry-run needs something to set");
	return 0;
}

static int check(void *argp, struct err *err)
{
	const struct set_args *args = argp;
	int r = check_modes(args, err);

	if (r == 0 && ((args->save && !*args->save) || (args->load && !*args->load)))
		return err_set(err, EINVAL, "the name of a file cannot be empty");
	return r < 0 ? r : set_words_check(&args->common.words, err);
}

static void say_all(const struct strv *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		fprintf(stderr, "ft set: %s\n", notes->item[i]);
}

/* The command as it was typed, for the entry of the change. */
static char *command_line(const struct set_args *args)
{
	struct strbuf sb = {0};

	strbuf_add(&sb, "ft set");
	if (args->instance)
		strbuf_addf(&sb, " --instance %s", args->instance);
	if (args->reset)
		strbuf_add(&sb, args->all ? " --reset --all" : " --reset");
	else if (args->all)
		strbuf_add(&sb, " --all");
	if (args->load)
		strbuf_addf(&sb, " --load %s", args->load);
	for (size_t i = 0; i < args->common.words.nr; i++)
		strbuf_addf(&sb, " %s", args->common.words.item[i]);
	return strbuf_take(&sb);
}

static int build_steps(const struct set_args *args, const struct tfs *tfs, struct steps *steps,
		       struct strv *notes, struct err *err)
{
	if (args->reset)
		return set_reset_build(args, tfs, steps, notes, err);
	if (args->load)
		return set_load_build(args, tfs, steps, err);
	return set_words_build(&args->common.words, tfs, steps, err);
}

static int apply(const struct set_args *args, const struct tfs *top, const struct steps *steps,
		 struct err *err)
{
	cleanup_free char *command = command_line(args);
	struct session *session = session_begin_change(top, args->instance, command, err);
	int r;

	if (!session)
		return -err->code;
	r = session_apply(session, steps, err);
	if (r < 0) {
		/* Its own failure must not hide why the change failed. */
		if (session_end(session, NULL) < 0)
			err_add(err, "; not all could be put back");
		return r;
	}
	if (args->verbose)
		say_all(session_notes(session));
	if (!session_can_undo(session))
		fprintf(stderr,
			"ft set: there is no place for the undo journal: --undo will not know "
			"of this change\n");
	return session_keep(session, err);
}

static void say_done(const struct set_args *args)
{
	cleanup_free char *command = command_line(args);

	fprintf(stderr, "ft set: done: %s\n", command);
}

/* The tracer that the steps set, NULL when they set none. */
static const char *tracer_in(const struct steps *steps)
{
	const char *tracer = NULL;

	for (size_t i = 0; i < steps->nr; i++)
		if (!strcmp(steps->step[i].file, "current_tracer"))
			tracer = steps->step[i].value;
	return tracer;
}

/* One forgotten filter makes a machine with many CPUs crawl: it has to be meant. */
static int check_whole(const struct set_args *args, const struct tfs *tfs,
		       const struct steps *steps, struct err *err)
{
	const char *tracer = tracer_in(steps);

	if (!tracer || !whole_is_traced(tfs, tracer, steps))
		return 0;
	if (!args->all)
		return err_set(
			err, EINVAL,
			"tracer %s without a filter records each function call of the whole system: choose "
			"functions ('ft filter +FUNC') or a process ('ft filter --pid PID') first, or add -a",
			tracer);
	fprintf(stderr,
		"ft set: tracer %s has no filter: each function call of the whole system is recorded, which slows "
		"all of it down ('ft set tracer=nop' ends it)\n",
		tracer);
	return 0;
}

static int change(const struct set_args *args, const struct tfs *top, const struct tfs *tfs,
		  struct err *err)
{
	cleanup(steps_fini) struct steps steps = {0};
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strv_fini) struct strv notes = {0};
	int r = build_steps(args, tfs, &steps, &notes, err);

	if (r == 0)
		r = check_whole(args, tfs, &steps, err);
	if (r < 0)
		return r;
	say_all(&notes);
	if (args->dry_run) {
		steps_print(&steps, tfs_dir(top), tfs_dir(tfs), &text);
		fputs(strbuf_str(&text), stdout);
		return 0;
	}
	r = apply(args, top, &steps, err);
	if (r == 0 && args->verbose)
		say_done(args);
	return r;
}

static int undo(const struct set_args *args, struct err *err)
{
	cleanup_free char *dir = rundir_open();
	cleanup_free char *command = NULL;
	cleanup(strbuf_fini) struct strbuf lines = {0};
	const struct changes_ask ask = {args->instance, args->force, args->dry_run};
	int r = changes_undo(dir, &ask, &command, &lines, err);

	if (r == 0)
		fputs(strbuf_str(&lines), stdout);
	if (r == 0 && args->verbose && !args->dry_run)
		fprintf(stderr, "ft set: taken back: %s\n", command);
	return r;
}

/* What a killed recording has left is not to be mixed with what is set now. */
static void repair(void)
{
	cleanup_free char *dir = rundir_open();
	cleanup(strv_fini) struct strv notes = {0};
	struct err err = {0};

	if (rundir_repair(dir, &record_orphans, &notes, &err) < 0)
		fprintf(stderr, "ft set: a recording that was killed has left changes: %s\n",
			err.text);
	say_all(&notes);
}

static int run(void *argp, struct err *err)
{
	const struct set_args *args = argp;
	bool changes = args->reset || args->load || args->common.words.nr;
	cleanup(tfs_freep) struct tfs *top = tfs_open(args->tracefs, err);
	cleanup(tfs_freep) struct tfs *instance = NULL;
	const struct tfs *tfs = top;

	if (!top)
		return -err->code;
	if (args->undo)
		return undo(args, err);
	if (args->instance) {
		instance = tfs_open_instance(top, args->instance, err);
		if (!instance)
			return -err->code;
		tfs = instance;
	}
	if (changes && !args->dry_run)
		repair();
	if (changes)
		return change(args, top, tfs, err);
	return args->save ? set_save(args, tfs, err) : set_show(args, tfs, err);
}

const struct command cmd_set = {
	.name = "set",
	.summary = "show and change the tracing state that stays; take changes back",
	.synopsis = "[OPTION...] [SETTING...]",
	.description =
		"Changes the kernel's tracing state for good: the tracer, events, options, the\n"
		"buffer, on and off. Everything is checked first, all of it is done or nothing,\n"
		"and --undo takes it back. Without settings it shows what is not at its default.",
	.examples = examples,
	.options = options,
	.words = set_word_rows,
	.args_size = sizeof(struct set_args),
	.check = check,
	.run = run,
};

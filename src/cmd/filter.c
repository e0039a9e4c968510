/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft filter: what gets into the trace. */
#include "cmd/filter.h"

#include <stdio.h>
#include <string.h>

#include "cmd/verbs.h"
#include "cmd/whole.h"
#include "session/changes.h"
#include "session/rundir.h"
#include "session/session.h"
#include "util/mem.h"

/* More of a command line than this is not kept in the journal. */
#define COMMAND_MOST 200

static const struct option options[] = {
	OPT_GROUP("What gets in"),
	OPT_LIST('g', "graph", struct filter_args, graph, "FUNC", HINT_FUNCTION,
		 "for function_graph: only what is called from FUNC; '!FUNC' takes it off again"),
	OPT_LIST(0, "nograph", struct filter_args, nograph, "FUNC", HINT_FUNCTION,
		 "for function_graph: nothing that is called from FUNC"),
	OPT_LIST('P', "pid", struct filter_args, pids, "PID", HINT_PID,
		 "only this process; '!PID' takes it off again"),
	OPT_LIST(0, "notrace-pid", struct filter_args, notrace_pids, "PID", HINT_PID,
		 "never this process"),
	OPT_FLAG(0, "children", struct filter_args, children,
		 "the children of these processes as well, from now on"),
	OPT_STRING(0, "cpu", struct filter_args, cpus, "LIST", HINT_NONE,
		   "only these CPUs: 0-3,7, or all"),
	OPT_GROUP("Events of your own"),
	OPT_LIST(0, "kprobe", struct filter_args, kprobes, "SPEC", HINT_FUNCTION,
		 "an event at the entry of a function: '[NAME=]FUNC[+OFFSET] [ARG...]'"),
	OPT_LIST(0, "kretprobe", struct filter_args, kretprobes, "SPEC", HINT_FUNCTION,
		 "an event at its return: '[NAME=]FUNC [ret]'"),
	OPT_LIST(0, "uprobe", struct filter_args, uprobes, "SPEC", HINT_FILE,
		 "an event in a program: '[NAME=]FILE:SYMBOL|OFFSET [ARG...]'"),
	OPT_LIST(0, "uretprobe", struct filter_args, uretprobes, "SPEC", HINT_FILE,
		 "an event at the return of a program's function"),
	OPT_LIST(0, "eprobe", struct filter_args, eprobes, "SPEC", HINT_EVENT,
		 "an event out of another: '[NAME=]SYSTEM:EVENT [FIELD...] [if FILTER]'"),
	OPT_LIST(0, "synth", struct filter_args, synths, "SPEC", HINT_NONE,
		 "an event for hist triggers to send: 'NAME TYPE FIELD[; TYPE FIELD...]'"),
	OPT_LIST(0, "remove", struct filter_args, remove, "NAME", HINT_EVENT,
		 "takes such an event away"),
	OPT_GROUP("Back"),
	OPT_CHOICES(
		0, "clear", struct filter_args, clear, "KIND", filter_clear_kinds,
		"first takes away all: functions, graph, pids, cpus, events, triggers, probes, all"),
	OPT_FLAG(0, "undo", struct filter_args, undo,
		 "takes the last change of ft filter or ft set back"),
	OPT_FLAG(0, "force", struct filter_args, force,
		 "with --undo: even what somebody else has changed since"),
	OPT_GROUP("How"),
	OPT_FLAG(0, "dry-run", struct filter_args, dry_run,
		 "print what would be written to the kernel, as shell lines, and stop"),
	OPT_FLAG(0, "json", struct filter_args, json, "print what is in force as JSON"),
	OPT_COUNT('v', "verbose", struct filter_args, verbose, "say what is done"),
	OPT_STRING(0, "instance", struct filter_args, instance, "NAME", HINT_INSTANCE,
		   "of this instance, not of the top level"),
	OPT_STRING(0, "tracefs", struct filter_args, tracefs, "DIR", HINT_DIR,
		   "where tracefs is mounted"),
	OPT_END,
};

static const struct example examples[] = {
	{"ft filter +vfs_read +vfs_write", "trace only these two functions"},
	{"ft filter sched_switch 'prev_prio < 100'", "only switches from real-time tasks"},
	{"ft filter '+vfs_*' '-*lock*' :mod:ext4", "families of functions, a module's functions"},
	{"ft filter sched_switch 'stacktrace if prev_state & 2'", "where tasks begin to wait"},
	{"ft filter --kprobe 'vfs_read count'", "an event with an argument by its name"},
	{0},
};

static bool changes_lists(const struct filter_args *args)
{
	return args->graph.nr || args->nograph.nr || args->pids.nr || args->notrace_pids.nr ||
	       args->children || args->cpus || args->clear.nr;
}

static bool changes_probes(const struct filter_args *args)
{
	return args->kprobes.nr || args->kretprobes.nr || args->uprobes.nr || args->uretprobes.nr ||
	       args->eprobes.nr || args->synths.nr || args->remove.nr;
}

static bool changes_items(const struct filter_args *args)
{
	for (size_t i = 0; i < args->items.nr; i++)
		if (args->items.item[i].kind != ITEM_SHOW)
			return true;
	return false;
}

static bool changes(const struct filter_args *args)
{
	return changes_lists(args) || changes_probes(args) || changes_items(args);
}

static int check_clear(const struct strv *kinds, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};

	for (size_t i = 0; filter_clear_kinds[i]; i++)
		strv_add(&names, filter_clear_kinds[i]);
	for (size_t i = 0; i < kinds->nr; i++) {
		cleanup_free char *near = NULL;
		cleanup_free char *all = NULL;

		if (strv_has(&names, kinds->item[i]))
			continue;
		near = near_names(kinds->item[i], &names);
		all = strv_join(&names, ", ");
		return err_set(err, EINVAL, "--clear has no '%s'%s: it is one of %s",
			       kinds->item[i], near, all);
	}
	return 0;
}

static int check_combination(const struct filter_args *args, struct err *err)
{
	bool change = changes(args);

	if (args->undo && (change || args->items.nr))
		return err_set(err, EINVAL, "--undo takes no other change beside it");
	if (args->force && !args->undo)
		return err_set(err, EINVAL, "--force belongs to --undo");
	if (args->dry_run && !change && !args->undo)
		return err_set(err, EINVAL, "--dry-run needs a change to print");
	if (args->json && change)
		return err_set(err, EINVAL,
			       "--json shows what is in force, a change prints nothing");
	if (args->children && !args->pids.nr && !args->notrace_pids.nr)
		return err_set(err, EINVAL, "--children belongs to --pid");
	if (args->instance && changes_probes(args))
		return err_set(
			err, EINVAL,
			"dynamic events are the same in every instance: leave --instance out");
	for (size_t i = 0; change && i < args->items.nr; i++)
		if (args->items.item[i].kind == ITEM_SHOW)
			return err_set(
				err, EINVAL,
				"event %s needs a filter or a trigger behind it (for a function: +%s)",
				args->items.item[i].subject, args->items.item[i].subject);
	return 0;
}

static int check(void *data, struct err *err)
{
	struct filter_args *args = data;
	int r = filter_items_parse(&args->common.words, &args->items, err);

	if (r == 0)
		r = check_clear(&args->clear, err);
	return r < 0 ? r : check_combination(args, err);
}

static void fini(void *data)
{
	struct filter_args *args = data;

	filter_items_fini(&args->items);
}

static void change_fini(struct filter_change *c)
{
	steps_fini(&c->steps);
	strv_fini(&c->notes);
}

static int build(struct filter_change *c, struct err *err)
{
	static int (*const parts[])(struct filter_change *, struct err *) = {
		filter_add_clears, filter_add_probes, filter_add_functions,
		filter_add_pids,   filter_add_cpus,   filter_add_events,
	};

	for (size_t i = 0; i < array_size(parts); i++) {
		int r = parts[i](c, err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* As a shell would take it; long lists would only hide the rest. */
static void add_word(struct strbuf *sb, const char *word)
{
	if (sb->len > COMMAND_MOST)
		return;
	strbuf_add(sb, " ");
	strbuf_add_shell_word(sb, word);
	if (sb->len > COMMAND_MOST)
		strbuf_add(sb, " ...");
}

static void add_option(struct strbuf *sb, const char *name, const char *value)
{
	cleanup_free char *option = xasprintf("--%s", name);

	add_word(sb, option);
	if (value)
		add_word(sb, value);
}

/* What the journal calls the change: what was asked for. */
static char *command_line(const struct filter_args *args)
{
	struct strbuf sb = {0};

	strbuf_add(&sb, "ft filter");
	for (const struct option *o = options; o->kind != OPT_KIND_END; o++) {
		const char *at = (const char *)args + o->offset;
		const struct strv *list = (const struct strv *)at;

		for (size_t i = 0; o->kind == OPT_KIND_LIST && i < list->nr; i++)
			add_option(&sb, o->name, list->item[i]);
		if (o->kind == OPT_KIND_STRING && *(char *const *)at)
			add_option(&sb, o->name, *(char *const *)at);
		if (o->kind == OPT_KIND_FLAG && *(const bool *)at)
			add_option(&sb, o->name, NULL);
	}
	for (size_t i = 0; i < args->common.words.nr; i++)
		add_word(&sb, args->common.words.item[i]);
	return strbuf_take(&sb);
}

static void say_notes(const struct strv *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		fprintf(stderr, "ft filter: %s\n", notes->item[i]);
}

static void say_steps(const struct filter_change *c)
{
	cleanup(strbuf_fini) struct strbuf text = {0};

	steps_print(&c->steps, tfs_dir(c->top), tfs_dir(c->tfs), &text);
	fputs(strbuf_str(&text), c->args->dry_run ? stdout : stderr);
}

/* With the last filter gone, a tracer that was held back no longer is. */
static void warn_of_whole(const struct filter_change *c, bool before)
{
	cleanup_free char *tracer = NULL;

	if (!before && whole_is_traced_now(c->tfs, &tracer))
		fprintf(stderr,
			"ft filter: tracer %s has no filter now: each function call of the whole system is recorded, "
			"which slows all of it down ('ft set tracer=nop' ends it)\n",
			tracer);
}

static int apply(const struct filter_change *c, struct err *err)
{
	cleanup_free char *tracer = NULL;
	bool whole = whole_is_traced_now(c->tfs, &tracer);
	cleanup_free char *command = command_line(c->args);
	struct session *session = session_begin_change(c->top, c->args->instance, command, err);
	int r;

	if (!session)
		return -err->code;
	if (!session_can_undo(session))
		fprintf(stderr,
			"ft filter: there is no place for the journal: --undo will not know of this\n");
	r = session_apply(session, &c->steps, err);
	if (r < 0) {
		session_end(session, NULL);
		return r;
	}
	say_notes(session_notes(session));
	warn_of_whole(c, whole);
	return session_keep(session, err);
}

static int undo(const struct filter_args *args, struct err *err)
{
	cleanup_free char *dir = rundir_open();
	cleanup_free char *command = NULL;
	cleanup(strbuf_fini) struct strbuf lines = {0};
	const struct changes_ask ask = {args->instance, args->force, args->dry_run};
	int r = changes_undo(dir, &ask, &command, &lines, err);

	if (r == 0)
		fputs(strbuf_str(&lines), stdout);
	if (r == 0 && args->verbose && !args->dry_run)
		fprintf(stderr, "ft filter: taken back: %s\n", command);
	return r;
}

static int run(void *data, struct err *err)
{
	const struct filter_args *args = data;
	cleanup(tfs_freep) struct tfs *top = NULL;
	cleanup(tfs_freep) struct tfs *instance = NULL;
	cleanup(change_fini) struct filter_change c = {.args = args};
	int r;

	if (args->undo)
		return undo(args, err);
	top = tfs_open(args->tracefs, err);
	if (!top)
		return -err->code;
	if (args->instance) {
		instance = tfs_open_instance(top, args->instance, err);
		if (!instance)
			return -err->code;
	}
	c.top = top;
	c.tfs = instance ? instance : top;
	if (!changes(args))
		return filter_show(args, c.tfs, err);
	r = build(&c, err);
	if (r < 0)
		return r;
	if (args->dry_run || args->verbose)
		say_steps(&c);
	if (!args->dry_run)
		r = apply(&c, err);
	/* What is said is done, or would be. */
	if (r == 0)
		say_notes(&c.notes);
	return r;
}

const struct command cmd_filter = {
	.name = "filter",
	.summary = "what gets into the trace: functions, events, processes, CPUs",
	.synopsis = "[OPTION...] [+FUNC|-FUNC|!FUNC]... [EVENT FILTER|TRIGGER]...",
	.description =
		"Adds to what the kernel lets into the trace, until it is taken back: +FUNC only\n"
		"these functions, -FUNC never these, !FUNC off the lists again; and for an event\n"
		"a filter on its fields ('none' takes it away), or a trigger ('!TRIGGER' takes it\n"
		"away). Without arguments, or with events alone, shows what is in force.",
	.examples = examples,
	.options = options,
	.args_size = sizeof(struct filter_args),
	.minus_words = true,
	.word_hint = HINT_GATE,
	.check = check,
	.fini = fini,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft record: its options, and what they mean together. */
#include "cmd/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record_run.h"
#include "cmd/record_save.h"
#include "cmd/verbs.h"
#include "record/workload.h"
#include "util/mem.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_FT_FAILED = 125 };

static const struct option_section buffers = {
	.offset = offsetof(struct record_args, main),
	.size = sizeof(struct buffer_args),
	.list = offsetof(struct record_args, more),
};

static const struct option options[] = {
	OPT_GROUP("What to record"),
	OPT_STRING('p', "tracer", struct record_args, main.tracer, "TRACER", HINT_TRACER,
		   "a tracer: function, function_graph, ..."),
	OPT_LIST('e', "event", struct record_args, main.events, "EVENT", HINT_EVENT,
		 "system:event, system, event, or a glob of these; may be repeated"),
	OPT_LIST('F', "filter", struct record_args, main.filters, "FILTER", HINT_FILTER,
		 "record an event only when it holds: 'EVENT: EXPR', or 'EXPR' for all of -e"),
	OPT_LIST(0, "trigger", struct record_args, main.triggers, "TRIGGER", HINT_EVENT,
		 "what an event does: 'EVENT: ACTION [if EXPR]', such as stacktrace or traceoff"),
	OPT_LIST('l', "function", struct record_args, main.functions, "FUNC", HINT_FUNCTION,
		 "only these functions: a name, a glob, :mod:MODULE (implies -p function)"),
	OPT_LIST('n', "notrace", struct record_args, main.notrace, "FUNC", HINT_FUNCTION,
		 "never these functions (implies -p function)"),
	OPT_LIST('g', "graph", struct record_args, main.graph, "FUNC", HINT_FUNCTION,
		 "only what is called from these functions (implies -p function_graph)"),
	OPT_NUMBER(0, "max-graph-depth", struct record_args, main.depth, "N",
		   "only so many levels of calls (implies -p function_graph)"),
	OPT_FLAG('T', "stack", struct record_args, main.stack,
		 "a stack trace after each event, or after each function of -l"),
	OPT_FLAG('a', "all", struct record_args, all,
		 "the whole system, not only the command and its children"),
	OPT_LIST('P', "pid", struct record_args, pids, "LIST", HINT_PID,
		 "these running processes, their threads and children, until all have ended"),
	OPT_STRING(0, "user", struct record_args, user, "NAME", HINT_USER,
		   "run the command as that user"),
	OPT_SECTION('B', "instance", struct record_args, main.instance, "NAME", HINT_INSTANCE,
		    &buffers, "a buffer of that name: what to record in it comes behind it"),
	OPT_FLAG(0, "from-kernel", struct record_args, from_kernel,
		 "save what is in the kernel's buffer now, and record nothing new"),
	OPT_FLAG(0, "snapshot", struct record_args, snapshot,
		 "with --from-kernel: what the last snapshot has kept"),
	OPT_GROUP("How to record"),
	OPT_STRING('o', "output", struct record_args, output, "FILE", HINT_FILE,
		   "the file to write, trace.dat by default"),
	OPT_DURATION('d', "duration", struct record_args, duration, "TIME",
		     "stop after that time: 10, 1.5s, 200ms, 5m"),
	OPT_SIZE(0, "max-size", struct record_args, max_size, "SIZE",
		 "stop when the file has so many bytes of events"),
	OPT_SIZE(0, "ring", struct record_args, ring, "SIZE",
		 "keep the newest so many bytes of events; SIGUSR2 writes them out"),
	OPT_STRING(0, "until-event", struct record_args, until, "EVENT", HINT_EVENT,
		   "stop at that event: 'EVENT' or 'EVENT: EXPR'"),
	OPT_SIZE('b', "buffer", struct record_args, main.buffer, "SIZE",
		 "size of each CPU's buffer: 8M, 512k; a bare number is KiB"),
	OPT_SIZE(0, "subbuf", struct record_args, main.subbuf, "SIZE",
		 "size of the pieces of a buffer, which are read as a whole: 64k"),
	OPT_MAYBE_STRING("compress", struct record_args, compress, "KIND[:LEVEL]", HINT_NONE,
			 "compress while recording: zstd (default), zlib, none; zstd:9"),
	OPT_NUMBER(0, "file-version", struct record_args, file_version, "N",
		   "the version of the file's layout: 7 (default), or 6 for older readers"),
	OPT_STRING('C', "clock", struct record_args, main.clock, "CLOCK", HINT_CLOCK,
		   "the clock of the time stamps, mono by default"),
	OPT_LIST('O', "option", struct record_args, main.options, "OPTION", HINT_TRACE_OPTION,
		 "a trace option to turn on, or off as noOPTION"),
	OPT_GROUP("To print at once"),
	OPT_FLAG(0, "live", struct record_args, live,
		 "print the events as they come; without -o, no file is written"),
	OPT_FLAG(0, "nanoseconds", struct record_args, nanoseconds,
		 "with --live: all nine digits of the time"),
	OPT_FLAG(0, "latency", struct record_args, latency,
		 "with --live: show interrupts off, preemption depth"),
	OPT_FLAG(0, "raw", struct record_args, raw, "with --live: fields as name=value"),
	OPT_FLAG(0, "ts-diff", struct record_args, ts_diff,
		 "with --live: show the time since the event before"),
	OPT_GROUP("For scripts"),
	OPT_FLAG(0, "fail-on-lost", struct record_args, fail_on_lost,
		 "exit with 3 when events were lost"),
	OPT_STRING(0, "ready-fd", struct record_args, ready_fd, "N", HINT_NONE,
		   "write a line to descriptor N once the recording runs, and close it"),
	OPT_STRING(0, "pid-file", struct record_args, pid_file, "FILE", HINT_FILE,
		   "write ft's process id to FILE while the recording runs"),
	OPT_GROUP("What to say"),
	OPT_FLAG(0, "dry-run", struct record_args, dry_run,
		 "print what would be written to the kernel, as shell lines, and stop"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "no summary, only errors"),
	OPT_COUNT('v', "verbose", struct record_args, verbose, "say what is done and why"),
	OPT_STRING(0, "tracefs", struct record_args, tracefs, "DIR", HINT_DIR,
		   "where tracefs is mounted"),
	OPT_END,
};

static const struct example examples[] = {
	{"ft record -p function_graph ls", "all kernel functions that ls enters"},
	{"ft record -e sched -a sleep 10", "ten seconds of scheduling"},
	{"ft record -l 'vfs_*' -- cat /etc/passwd", "the vfs functions that cat calls"},
	{"ft record -F 'sched_switch: prev_prio < 100' -T -d 5s", "with stack traces"},
	{"ft record -e sched --ring 64M --until-event oom:mark_victim", "what led to it"},
	{"ft record -e sched -B calls -p function -l 'vfs_*' ls", "two buffers in one file"},
	{"ft record --from-kernel -o boot.dat", "what the kernel has traced since boot"},
	{"ft record -e 'irq:*' -e sched_switch -d 5s", "five seconds, without a command"},
	{"ft record --live -a -e sched_process_exec", "every program that starts, at once"},
	{NULL, NULL},
};

/* "zstd", "zstd:9", "zlib", "none"; "" is zstd at the level that costs least. */
static int take_compress(struct record_args *args, struct err *err)
{
	const char *text = args->compress && !args->compress[0] ? "zstd" : args->compress;
	size_t len = text ? strcspn(text, ":") : 0;
	cleanup_free char *name = xstrndup(text ? text : "none", text ? len : 4);
	uint64_t level;
	int least;
	int most;

	args->compress_kind = name[0] ? compress_by_name(name) : COMPRESS_UNKNOWN;
	if (args->compress_kind == COMPRESS_UNKNOWN)
		return err_set(err, EINVAL, "--compress=%s: it is one of zstd, zlib, none", text);
	if (compress_check(args->compress_kind, err) < 0)
		return -err->code;
	compress_levels(args->compress_kind, &least, &most, &args->compress_level);
	if (!text || !text[len])
		return 0;
	if (args->compress_kind == COMPRESS_NONE)
		return err_set(err, EINVAL, "--compress=%s: none has no levels", text);
	if (!parse_u64(text + len + 1, &level) || level < (uint64_t)least || level > (uint64_t)most)
		return err_set(err, EINVAL, "--compress=%s: the levels of %s are %d to %d", text,
			       name, least, most);
	args->compress_level = (int)level;
	return 0;
}

/* What it has kept is one text, which is read at the end. */
static int check_latency(const struct record_args *args, const struct buffer_args *want,
			 struct err *err)
{
	const char *wrong = args->more.nr    ? "--instance"
			    : args->ring     ? "--ring"
			    : args->max_size ? "--max-size"
			    : args->live     ? "--live"
			    : want->subbuf   ? "--subbuf"
					     : NULL;

	if (!wrong || !is_latency_tracer(want->tracer))
		return 0;
	return err_set(err, EINVAL,
		       "-p %s keeps one text, of the longest latency, in the top-level buffer: "
		       "leave %s out",
		       want->tracer, wrong);
}

static int check_buffer(const struct record_args *args, const struct buffer_args *want,
			struct err *err)
{
	if (args->ring && args->max_size)
		return err_set(err, EINVAL,
			       "--ring keeps so much and never ends by itself: leave --max-size "
			       "out, or --ring");
	if (args->ring && want->buffer)
		return err_set(err, EINVAL,
			       "--ring says how large the buffers are: leave -b out, or --ring");
	if (want->tracer && !want->tracer[0])
		return err_set(err, EINVAL, "-p needs the name of a tracer");
	return check_latency(args, want, err);
}

static int check_live(const struct record_args *args, struct err *err)
{
	const struct {
		const char *name;
		bool given;
	} style[] = {
		{"nanoseconds", args->nanoseconds},
		{"latency", args->latency},
		{"raw", args->raw},
		{"ts-diff", args->ts_diff},
	};

	for (size_t i = 0; !args->live && i < array_size(style); i++)
		if (style[i].given)
			return err_set(err, EINVAL, "--%s is for --live; ft report has it, too",
				       style[i].name);
	if (!args->live)
		return 0;
	if (args->output && !strcmp(args->output, "-"))
		return err_set(err, EINVAL,
			       "--live and -o - both write to the standard output: choose one");
	if (args->compress_kind != COMPRESS_NONE)
		return err_set(err, EINVAL,
			       "--live prints what is in the file, and can not when it is "
			       "compressed: leave --compress out, or --live");
	return 0;
}

/* One size of sub-buffers, in all buffers. */
static bool has_one_subbuf(const struct record_args *args)
{
	const struct buffer_args *more = args->more.item;
	bool is_idle = record_main_is_idle(args);
	uint64_t size = args->main.subbuf;

	for (size_t i = 0; i < args->more.nr; i++) {
		uint64_t own = more[i].subbuf ? more[i].subbuf : args->main.subbuf;

		if (i == 0 && is_idle)
			size = own;
		if (own != size)
			return false;
	}
	return true;
}

/* What version 6 has no place for. */
static int check_version(const struct record_args *args, struct err *err)
{
	if (args->file_version && args->file_version != 6 && args->file_version != 7)
		return err_set(err, EINVAL, "--file-version %" PRIu64 ": it is 6 or 7",
			       args->file_version);
	if (args->file_version != 6)
		return 0;
	if (args->compress_kind != COMPRESS_NONE)
		return err_set(err, EINVAL,
			       "--file-version 6 cannot be compressed: leave --compress out, or "
			       "--file-version");
	if (args->output && !strcmp(args->output, "-"))
		return err_set(err, EINVAL,
			       "--file-version 6 needs a file: its tables, known at the end, come "
			       "before the events; leave -o - out, or --file-version");
	if (args->live && !args->output)
		return err_set(err, EINVAL,
			       "--file-version 6 is for a file, and --live without -o writes none");
	if (!has_one_subbuf(args))
		return err_set(err, EINVAL,
			       "--file-version 6 has sub-buffers of one size: give all buffers "
			       "the same --subbuf, or leave --file-version out");
	return 0;
}

/* Whom to record is said once. */
static int check_whom(const struct record_args *args, struct err *err)
{
	bool has_command = args->common.words.nr;

	if (args->user && !has_command)
		return err_set(err, EINVAL, "--user is for a command, and there is none");
	if (args->pids.nr && has_command)
		return err_set(err, EINVAL,
			       "--pid is for processes that run already: leave '%s' out, or --pid",
			       args->common.words.item[0]);
	if (args->pids.nr && args->all)
		return err_set(err, EINVAL, "--pid and -a exclude each other");
	return 0;
}

/* An option of @want that says what or how to record; NULL when there is none. */
static const char *wish_of(const struct buffer_args *want)
{
	const struct {
		bool is_there;
		const char *name;
	} wishes[] = {
		{want->tracer, "-p"},	    {want->events.nr, "-e"},
		{want->filters.nr, "-F"},   {want->triggers.nr, "--trigger"},
		{want->functions.nr, "-l"}, {want->notrace.nr, "-n"},
		{want->graph.nr, "-g"},	    {want->options.nr, "-O"},
		{want->stack, "-T"},	    {want->depth, "--max-graph-depth"},
		{want->buffer, "-b"},	    {want->subbuf, "--subbuf"},
		{want->clock, "-C"},
	};

	for (size_t i = 0; i < array_size(wishes); i++)
		if (wishes[i].is_there)
			return wishes[i].name;
	return NULL;
}

/* The same of all the others. */
static const char *wish_beside(const struct record_args *args)
{
	const struct {
		bool is_there;
		const char *name;
	} wishes[] = {
		{args->common.words.nr, "a command"},
		{args->all, "-a"},
		{args->pids.nr, "--pid"},
		{args->user, "--user"},
		{args->duration, "--duration"},
		{args->max_size, "--max-size"},
		{args->ring, "--ring"},
		{args->until, "--until-event"},
		{args->live, "--live"},
		{args->dry_run, "--dry-run"},
		{args->ready_fd, "--ready-fd"},
		{args->pid_file, "--pid-file"},
	};

	for (size_t i = 0; i < array_size(wishes); i++)
		if (wishes[i].is_there)
			return wishes[i].name;
	return NULL;
}

/* Nothing is recorded that an option could tell more of. */
static int check_from_kernel(const struct record_args *args, struct err *err)
{
	const struct buffer_args *more = args->more.item;
	const char *wish = wish_of(&args->main);

	if (!args->from_kernel && args->snapshot)
		return err_set(err, EINVAL, "--snapshot goes with --from-kernel only");
	if (!args->from_kernel)
		return 0;
	for (size_t i = 0; !wish && i < args->more.nr; i++)
		wish = wish_of(&more[i]);
	if (!wish)
		wish = wish_beside(args);
	if (wish)
		return err_set(
			err, EINVAL,
			"--from-kernel saves what is there and records nothing: leave %s out",
			wish);
	return 0;
}

static int check(void *argp, struct err *err)
{
	struct record_args *args = argp;
	const struct buffer_args *more = args->more.item;
	int r = check_from_kernel(args, err);

	if (r == 0)
		r = check_buffer(args, &args->main, err);

	for (size_t i = 0; r == 0 && i < args->more.nr; i++)
		r = check_buffer(args, &more[i], err);
	if (r < 0)
		return r;
	if (args->output && !args->output[0])
		return err_set(err, EINVAL, "-o needs the name of a file");
	r = check_whom(args, err);
	if (r == 0)
		r = take_compress(args, err);
	if (r == 0)
		r = check_version(args, err);
	return r < 0 ? r : check_live(args, err);
}

static int fail_status(const void *argp, bool usage)
{
	const struct record_args *args = argp;

	if (args->fail_status)
		return args->fail_status;
	/* The command's own status must not be mistaken for ft's. */
	if (args->common.words.nr)
		return STATUS_FT_FAILED;
	return usage ? STATUS_USAGE : STATUS_FAILED;
}

static int run(void *argp, struct err *err)
{
	struct record_args *args = argp;
	cleanup_free char *program = NULL;

	if (args->from_kernel)
		return record_save(args, err);
	if (args->common.words.nr) {
		/* A command that cannot be run must not disturb the kernel first. */
		program = workload_find(args->common.words.item[0], &args->fail_status, err);
		if (!program)
			return -err->code;
	}
	return record_run(args, program, err);
}

const struct command cmd_record = {
	.name = "record",
	.summary = "run a command, or wait, and write what the kernel did to trace.dat",
	.synopsis = "[OPTION...] [--] [COMMAND [ARGUMENT...]]",
	.description =
		"Records events and functions of the kernel while COMMAND runs, of it and its\n"
		"children only; without a command, of the whole system until Ctrl-C or\n"
		"--duration. The kernel's tracing state is put back at the end. The exit status\n"
		"is the command's.",
	.examples = examples,
	.options = options,
	.args_size = sizeof(struct record_args),
	.stops_at_word = true,
	.word_hint = HINT_COMMAND,
	.check = check,
	.run = run,
	.fail_status = fail_status,
};

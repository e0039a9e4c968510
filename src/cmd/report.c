/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft report: its options, and which of the reports they ask for. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/pager.h"
#include "cmd/report_analysis.h"
#include "cmd/report_live.h"
#include "cmd/report_pipe.h"
#include "cmd/verbs.h"
#include "compat/compat.h"
#include "report/filter.h"
#include "report/report.h"
#include "util/mem.h"

struct report_args {
	struct common_args common;
	struct strv inputs;
	struct strv instances;
	struct strv events;
	struct strv pids;
	struct strv comms;
	struct strv filters;
	struct strv excludes;
	bool invert;
	bool compat;
	struct strv cpus;
	char *since;
	char *until;
	bool nanoseconds;
	bool latency;
	bool raw;
	bool ts_diff;
	bool stat;
	bool uname;
	bool recorder;
	bool list_events;
	bool first_event;
	bool last_event;
	bool plans;
	bool check;
	uint64_t threads;
	bool no_pager;
	bool kernel;
	bool follow;
	struct analysis_args analysis;
};

static const struct option options[] = {
	OPT_GROUP("What to read"),
	OPT_LIST('i', "input", struct report_args, inputs, "FILE", HINT_FILE,
		 "a file to read; the same as a FILE by itself"),
	OPT_FLAG(0, "kernel", struct report_args, kernel,
		 "what is in the kernel's buffer now, which stays there; -B names the instance"),
	OPT_FLAG(0, "follow", struct report_args, follow,
		 "take the events out of the kernel's buffer as they come, until Ctrl-C"),
	OPT_LIST('B', "instance", struct report_args, instances, "NAME", HINT_NONE,
		 "only the buffer of this instance; top is the top-level buffer"),
	OPT_LIST(0, "cpu", struct report_args, cpus, "LIST", HINT_NONE, "only these CPUs: 0-3,7"),
	OPT_LIST('e', "event", struct report_args, events, "EVENT", HINT_EVENT,
		 "only these events: system:event, system, event, or a glob"),
	OPT_LIST(0, "pid", struct report_args, pids, "LIST", HINT_NONE,
		 "only events of these threads, by number: 12,13"),
	OPT_LIST(0, "comm", struct report_args, comms, "GLOB", HINT_NONE,
		 "only events of threads of this name"),
	OPT_LIST('F', "filter", struct report_args, filters, "FILTER", HINT_FILTER,
		 "only what matches: 'sched_switch: prev_prio < 100 && next_comm ~ \"ssh*\"'"),
	OPT_FLAG('v', "invert", struct report_args, invert, "-F leaves out what matches"),
	OPT_LIST(0, "exclude", struct report_args, excludes, "FILTER", HINT_FILTER,
		 "leave out what matches, beside -F"),
	OPT_STRING(0, "since", struct report_args, since, "TIME", HINT_NONE,
		   "from this time on: as printed, +1.5s behind the first, -2s before the last"),
	OPT_STRING(0, "until", struct report_args, until, "TIME", HINT_NONE,
		   "up to this time, given the same ways"),
	OPT_GROUP("How to print"),
	OPT_FLAG('t', "nanoseconds", struct report_args, nanoseconds,
		 "all nine digits of the time"),
	OPT_FLAG('l', "latency", struct report_args, latency,
		 "show the context of each event: interrupts off, preemption depth"),
	OPT_FLAG('R', "raw", struct report_args, raw, "fields as name=value"),
	OPT_FLAG(0, "ts-diff", struct report_args, ts_diff, "show the time since the event before"),
	OPT_FLAG(0, "compat", struct report_args, compat,
		 "the text of trace-cmd report 3.1.6 to the byte, by its own library"),
	OPT_FLAG(0, "no-pager", struct report_args, no_pager, "no pager on a terminal"),
	OPT_NUMBER(0, "threads", struct report_args, threads, "N",
		   "decode large files with N threads, 1 to 64; one by default"),
	ANALYSIS_OPTIONS,
	OPT_GROUP("Other reports"),
	OPT_FLAG(0, "check", struct report_args, check,
		 "look whether the file is sound; exit with 1 when it is not"),
	OPT_FLAG(0, "stat", struct report_args, stat, "the buffers' counters of each CPU"),
	OPT_FLAG(0, "uname", struct report_args, uname, "the machine that was recorded"),
	OPT_FLAG(0, "recorder", struct report_args, recorder, "the program that recorded"),
	OPT_FLAG(0, "events", struct report_args, list_events,
		 "the event formats that are in the file"),
	OPT_FLAG(0, "first-event", struct report_args, first_event,
		 "the time of the first event of each CPU"),
	OPT_FLAG(0, "last-event", struct report_args, last_event,
		 "the time of the last event of each CPU"),
	OPT_FLAG(0, "stats", struct report_args, plans,
		 "how the print format of each event was taken"),
	OPT_END,
};

#define NO_PLUGINS "no plugins are loaded; what the stock ones print is built in"
#define RAW_TIMES "times are printed as the file says they are meant"

/* Those of trace-cmd report. */
static const struct habit habits[] = {
	{"-E", "--events shows the event formats of the file"},
	{"-G", "--syscalls, --between and --profile count by thread and by process"},
	{"-H", "--between A B --by FIELD measures from one event to another"},
	{"-I", "--exclude 'common_flags & 8' leaves out hard interrupts"},
	{"-L", NO_PLUGINS},
	{"-N", NO_PLUGINS ", and -R prints fields"},
	{"-O", NO_PLUGINS},
	{"-P", "the formats of trace_printk() are not listed, its events are printed with them"},
	{"-S", "--exclude 'common_flags & 16' leaves out soft interrupts"},
	{"-T", "filters are checked before anything is printed"},
	{"-V", NO_PLUGINS ", and nothing is said but what is wrong"},
	{"-f", "the functions of the file are not listed, addresses are printed as their names"},
	{"-n", NO_PLUGINS ", and -R prints fields"},
	{"-q", "nothing is said but what is wrong, on standard error"},
	{"-r", "-R prints fields, with -e EVENT of some events"},
	{"-w", "--between sched_wakeup sched_switch --by pid=next_pid measures wakeups"},
	{"--align-ts", "--since and --until take times from the first event on: +1.5s"},
	{"--by-comm", "--syscalls counts by process and by thread"},
	{"--check-events", "--check looks at the event formats, too"},
	{"--cpus", "--cpu LIST chooses CPUs, --first-event lists those with events"},
	{"--nodate", RAW_TIMES},
	{"--raw-ts", RAW_TIMES},
	{"--ts-check", "--check tells times that run backwards"},
	{"--ts-offset", "ft record keeps the times of all clocks, which --uname shows"},
	{"--ts2secs", RAW_TIMES ", and counts stay counts"},
	{"--verbose", "nothing is said but what is wrong, on standard error"},
	{"--version", "--recorder tells the program that recorded"},
	{NULL, NULL},
};

static const struct example examples[] = {
	{"ft report", "what is in trace.dat, in order of time"},
	{"ft report --cpu 0 -e sched_switch old.dat", "one event of one CPU of another file"},
	{"ft report -t --since +1s --until +1.5s", "half a second, in nanoseconds"},
	{"ft report --sections", "how long the sections took that markers begin and end"},
	{"ft report --between sched_waking sched_switch --by pid=next_pid",
	 "from being woken to running"},
	{"ft report --check trace.dat", "is the file sound?"},
	{"ft report --follow -B mine -e sched_switch",
	 "what comes in an instance's buffer, at once"},
	{NULL, NULL},
};

static int check_time(const char *option, const char *text, struct report_time *out,
		      struct err *err)
{
	bool relative = text && (text[0] == '+' || text[0] == '-');

	*out = (struct report_time){REPORT_TIME_NONE, 0};
	if (!text)
		return 0;
	if (parse_duration(text + relative, &out->ns, NULL) < 0)
		return err_set(err, EINVAL, "--%s has '%s': a time is 123.456, +1.5s or -2s",
			       option, text);
	out->is_printed = !relative && is_printed_time(text);
	out->is_whole = parse_u64(text + relative, &out->ticks);
	out->kind = text[0] == '+'   ? REPORT_TIME_FROM_START
		    : text[0] == '-' ? REPORT_TIME_FROM_END
				     : REPORT_TIME_ABSOLUTE;
	return 0;
}

/* "12,13" of each --pid; the caller frees *pids. */
static int parse_pids(const struct strv *lists, int **pids, size_t *nr, struct err *err)
{
	cleanup(strv_fini) struct strv words = {0};

	for (size_t i = 0; i < lists->nr; i++)
		strv_split(&words, lists->item[i], ",");
	if (lists->nr && !words.nr)
		return err_set(err, EINVAL, "--pid needs a number");
	*pids = words.nr ? xcalloc(words.nr, sizeof(**pids)) : NULL;
	*nr = words.nr;
	for (size_t i = 0; i < words.nr; i++) {
		long pid;

		if (!parse_long(words.item[i], &pid) || pid < 0 || pid > INT_MAX)
			return err_set(err, EINVAL, "--pid has '%s', which is no process number",
				       words.item[i]);
		(*pids)[i] = (int)pid;
	}
	return 0;
}

/* The config and what it borrows. */
struct parsed {
	struct report_config config;
	unsigned int *cpus;
	int *pids;
	struct filter_set *filters;
	struct analysis_parts parts;
};

static void parsed_fini(struct parsed *parsed)
{
	strv_fini(&parsed->config.files);
	strv_fini(&parsed->config.comms);
	strv_fini(&parsed->config.events);
	strv_fini(&parsed->config.instances);
	free(parsed->cpus);
	free(parsed->pids);
	filter_set_free(parsed->filters);
	analysis_parts_fini(&parsed->parts);
}

static int parse_filters(const struct report_args *args, struct parsed *out, struct err *err)
{
	int r = 0;

	out->filters = filter_set_new();
	for (size_t i = 0; r == 0 && i < args->filters.nr; i++)
		r = filter_set_add(out->filters, args->filters.item[i], args->invert, err);
	for (size_t i = 0; r == 0 && i < args->excludes.nr; i++)
		r = filter_set_add(out->filters, args->excludes.item[i], true, err);
	if (r == 0 && args->invert && !args->filters.nr)
		r = err_set(err, EINVAL, "-v needs -F: it leaves out what -F matches");
	if (filter_set_is_empty(out->filters))
		return r;
	out->config.bind = filter_set_bind;
	out->config.match = filter_set_match;
	out->config.match_ctx = out->filters;
	return r;
}

/* trace-cmd's own code prints one file, and knows none of the choices that are ft's own. */
static int check_compat(const struct report_args *args, const struct report_config *config,
			struct err *err)
{
	if (!args->compat)
		return 0;
	if (config->files.nr != 1)
		return err_set(err, EINVAL, "--compat reads one file");
	if (config->nr_pids || config->comms.nr || config->events.nr || config->instances.nr ||
	    config->match || args->since || args->until || analysis_args_any(&args->analysis) ||
	    analysis_args_choose(&args->analysis))
		return err_set(err, EINVAL,
			       "--compat goes with -t, -l, -R, --ts-diff and --cpu only");
	return 0;
}

static int check_live(const struct report_args *args, const struct report_config *config,
		      struct err *err)
{
	const char *option = args->follow ? "--follow" : "--kernel";

	if (!args->kernel && !args->follow)
		return 0;
	if (args->inputs.nr || args->common.words.nr)
		return err_set(err, EINVAL, "%s reads the kernel's buffer, not the file %s", option,
			       args->inputs.nr ? args->inputs.item[0] : args->common.words.item[0]);
	if (args->instances.nr > 1)
		return err_set(err, EINVAL, "%s reads one instance, -B names %zu", option,
			       args->instances.nr);
	if (args->compat || args->check || args->stat || args->recorder || args->list_events)
		return err_set(err, EINVAL,
			       "--compat, --check, --stat, --recorder and --events are for files");
	if (!args->follow)
		return 0;
	if (args->uname || args->first_event || args->last_event || args->plans ||
	    analysis_args_any(&args->analysis) || analysis_args_choose(&args->analysis))
		return err_set(err, EINVAL, "--follow prints events and nothing else");
	if (config->since.kind != REPORT_TIME_NONE || config->until.kind != REPORT_TIME_NONE)
		return err_set(err, EINVAL, "--since and --until do not go with --follow");
	return 0;
}

/* Each of these is a report of its own, and those of the file as a whole know no choice. */
static int check_questions(const struct report_args *args, const struct report_config *config,
			   struct err *err)
{
	const struct {
		const char *name;
		bool asked;
		bool whole;
	} question[] = {
		{"--check", args->check, true},
		{"--stat", args->stat, true},
		{"--uname", args->uname, true},
		{"--recorder", args->recorder, true},
		{"--events", args->list_events, false},
		{"--first-event and --last-event", args->first_event || args->last_event, true},
		{"--stats", args->plans, false},
		{"--compat", args->compat, false},
		{"--sections, --between, --syscalls or --profile",
		 analysis_args_any(&args->analysis), false},
	};
	bool chosen = config->nr_pids || config->comms.nr || config->match || args->since ||
		      args->until || analysis_args_choose(&args->analysis);
	const char *asked = NULL;

	for (size_t i = 0; i < array_size(question); i++) {
		if (!question[i].asked)
			continue;
		if (asked)
			return err_set(err, EINVAL, "%s and %s are a report each: give one", asked,
				       question[i].name);
		asked = question[i].name;
		if (question[i].whole && (chosen || config->events.nr))
			return err_set(err, EINVAL,
				       "%s: of the file as a whole, no events can be chosen",
				       asked);
	}
	if ((args->compat || args->check) && strv_has(&config->files, "-"))
		return err_set(err, EINVAL, "%s reads files, not what comes in a pipe", asked);
	return 0;
}

/* What is empty matches nothing, and was hardly meant: "$name" of a script, not set. */
static int check_names(const struct report_args *args, struct err *err)
{
	if (strv_has(&args->comms, ""))
		return err_set(err, EINVAL, "--comm needs a name");
	if (strv_has(&args->events, ""))
		return err_set(err, EINVAL, "--event needs a name");
	return 0;
}

/* Ends given in the same way can be compared before anything is read. */
static int check_window(const struct report_args *args, const struct report_config *config,
			struct err *err)
{
	const struct report_time *since = &config->since;
	const struct report_time *until = &config->until;

	if (since->kind == REPORT_TIME_NONE || since->kind != until->kind)
		return 0;
	if (since->kind == REPORT_TIME_FROM_END ? since->ns >= until->ns : since->ns <= until->ns)
		return 0;
	return err_set(err, EINVAL, "--until %s lies before --since %s", args->until, args->since);
}

/* The lists of all --cpu add up. */
static int parse_cpus(const struct strv *lists, struct parsed *out, struct err *err)
{
	cleanup_free char *all = strv_join(lists, ",");

	return lists->nr ? parse_cpulist(all, &out->cpus, &out->config.nr_cpus, err) : 0;
}

static int parse_args(const struct report_args *args, struct parsed *out, struct err *err)
{
	struct report_config *config = &out->config;
	int r = check_time("since", args->since, &config->since, err);

	if (r == 0)
		r = check_time("until", args->until, &config->until, err);
	if (r == 0)
		r = check_window(args, config, err);
	if (r == 0)
		r = parse_pids(&args->pids, &out->pids, &config->nr_pids, err);
	if (r == 0)
		r = parse_cpus(&args->cpus, out, err);
	if (r == 0 && args->threads > 64)
		r = err_set(err, EINVAL, "--threads has %" PRIu64 ": it takes 1 to 64",
			    args->threads);
	config->cpus = out->cpus;
	config->pids = out->pids;
	/* On CPUs that are busy with what is looked at, a second thread gains nothing: it has to be asked for. */
	config->threads = args->threads ? (int)args->threads : 1;
	config->slice_small = getenv("FT_SLICE_SMALL") != NULL;
	config->style.nanoseconds = args->nanoseconds;
	config->style.latency = args->latency;
	config->style.raw = args->raw;
	config->style.ts_diff = args->ts_diff;
	strv_copy(&config->files, &args->inputs);
	strv_copy(&config->files, &args->common.words);
	if (!config->files.nr)
		strv_add(&config->files, "trace.dat");
	strv_copy(&config->comms, &args->comms);
	strv_copy(&config->events, &args->events);
	if (!args->kernel && !args->follow)
		strv_copy(&config->instances, &args->instances);
	if (r == 0)
		r = parse_filters(args, out, err);
	if (r == 0)
		r = analysis_args_check(&args->analysis,
					args->inputs.nr || args->common.words.nr || args->kernel,
					err);
	if (r == 0)
		r = check_live(args, config, err);
	if (r == 0)
		r = check_names(args, err);
	if (r == 0)
		r = check_questions(args, config, err);
	return r < 0 ? r : check_compat(args, config, err);
}

static int check(void *args, struct err *err)
{
	cleanup(parsed_fini) struct parsed parsed = {0};

	return parse_args(args, &parsed, err);
}

static void message(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "ft report: %s\n", text);
}

static int run_compat(const struct report_config *config, int out, struct err *err)
{
	const struct compat_config compat = {
		.path = config->files.item[0],
		.nanoseconds = config->style.nanoseconds,
		.latency = config->style.latency,
		.raw = config->style.raw,
		.ts_diff = config->style.ts_diff,
		.cpus = config->cpus,
		.nr_cpus = config->nr_cpus,
	};

	return compat_report(&compat, out, err);
}

static int run_one(const struct report_args *args, const struct report_config *config, int out,
		   struct err *err)
{
	if (args->check)
		return report_check(config, out, err);
	if (args->stat)
		return report_stat(config, out, err);
	if (args->uname)
		return report_uname(config, out, err);
	if (args->recorder)
		return report_version(config, out, err);
	if (args->list_events)
		return report_events(config, out, err);
	if (args->first_event || args->last_event)
		return report_first_last(config, args->first_event, args->last_event, out, err);
	if (args->plans)
		return report_plans(config, out, err);
	if (analysis_args_any(&args->analysis))
		return analysis_args_run(&args->analysis, config, out, err);
	return args->compat ? run_compat(config, out, err) : report_run(config, out, err);
}

/* Where the kernel shows its buffer as its own text only. */
static int run_text(struct live *live, const struct report_args *args,
		    const struct report_config *config, const char *why, int out, struct err *err)
{
	const struct sink_style *style = &config->style;

	if (config->cpus || config->pids || config->comms.nr || config->events.nr ||
	    config->match || args->since || args->until || style->nanoseconds || style->latency ||
	    style->raw || style->ts_diff || args->uname || args->first_event || args->last_event ||
	    args->plans || analysis_args_any(&args->analysis) ||
	    analysis_args_choose(&args->analysis))
		return err_set(
			err, ENOTSUP,
			"this kernel shows its buffer as its own text only, without options (%s); --follow, which consumes it, has them",
			why);
	fprintf(stderr, "ft report: the kernel's own text, since it shows nothing else (%s)\n",
		why);
	return live_copy_text(live, out, err);
}

static int run_live(const struct report_args *args, struct report_config *config, int out,
		    struct err *err)
{
	const char *instance = args->instances.nr ? args->instances.item[0] : NULL;
	cleanup(live_freep) struct live *live = live_open(instance, args->follow, err);
	cleanup_free char *why = NULL;
	int r;

	if (!live)
		return -err->code;
	if (!args->follow && !live_can_look(live, &why))
		return run_text(live, args, config, why, out, err);
	r = live_begin(live, config, err);
	return r < 0 ? r : run_one(args, config, out, err);
}

static bool reads_pipe(const struct report_config *config)
{
	return config->files.nr == 1 && report_pipe_is_meant(config->files.item[0]);
}

static int run_pipe(const struct report_args *args, struct report_config *config, int out,
		    struct err *err)
{
	cleanup(report_pipe_freep) struct report_pipe *p = NULL;
	int r;

	if (args->compat || args->check)
		return err_set(err, EINVAL, "--compat and --check read files, not pipes");
	p = report_pipe_open(config->files.item[0], config, err);
	if (!p)
		return -err->code;
	r = run_one(args, config, out, err);
	return r == 0 && report_pipe_failed(p) ? 1 : r;
}

static int run(void *argp, struct err *err)
{
	const struct report_args *args = argp;
	cleanup(parsed_fini) struct parsed parsed = {0};
	struct pager pager;
	int r = parse_args(args, &parsed, err);

	if (r < 0)
		return r;
	parsed.config.message = message;
	r = analysis_args_apply(&args->analysis, &parsed.parts, &parsed.config, err);
	if (r < 0)
		return r;
	mem_prefer_large_pages();
	/* A pager would hold back what comes. */
	pager_start(&pager, !args->no_pager && !args->follow);
	if (args->kernel || args->follow)
		r = run_live(args, &parsed.config, pager.fd, err);
	else if (reads_pipe(&parsed.config))
		r = run_pipe(args, &parsed.config, pager.fd, err);
	else
		r = run_one(args, &parsed.config, pager.fd, err);
	pager_end(&pager);
	return r;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "print what a trace.dat holds",
	.synopsis = "[OPTION...] [FILE...]",
	.description =
		"Prints the events of FILE, trace.dat by default, in the order of time, as text.\n"
		"Reads what ft and trace-cmd record, on any machine and without privileges.",
	.examples = examples,
	.options = options,
	.habits = habits,
	.args_size = sizeof(struct report_args),
	.word_hint = HINT_FILE,
	.check = check,
	.run = run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the options of ft record to a checked trace_config. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/names.h"
#include "cmd/record.h"
#include "util/mem.h"

/* Shares of the memory available that one CPU's buffer takes by default, and its bounds: small
 * machines must not run out, and more than the upper one only delays the start. */
#define BUFFER_SHARE 64
#define BUFFER_LEAST_KB 1408
#define BUFFER_MOST_KB 16384
/* A ring of fewer pages holds next to nothing. */
#define RING_LEAST_KB 32
/* Enough for the tasks of a busy machine; the kernels' default was 128 for a long time. */
#define CMDLINES_LEAST 4096

static int check_tracer(const struct buffer_args *want, const char *name, struct err *err)
{
	if (want->graph.nr && !is_graph_tracer(name))
		return err_set(err, EINVAL, "-g needs the function_graph tracer, not %s", name);
	if (want->depth && !is_graph_tracer(name))
		return err_set(err, EINVAL,
			       "--max-graph-depth needs the function_graph tracer, not %s", name);
	if ((want->functions.nr || want->notrace.nr) && !is_function_tracer(name))
		return err_set(err, EINVAL, "-l and -n need a function tracer, not %s", name);
	/* The kernel comes to a halt when it walks the stack at each function. */
	if (want->stack && !strcmp(name, "function") && !want->functions.nr)
		return err_set(err, EINVAL,
			       "-T with the function tracer needs -l: a stack trace "
			       "of every function stops the machine");
	return 0;
}

static int take_tracer(const struct buffer_args *want, const struct tfs *tfs,
		       struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv tracers = {0};
	const char *name = want->tracer;
	int r;

	/* Function filters mean a function tracer. */
	if (!name && (want->graph.nr || want->depth))
		name = "function_graph";
	else if (!name && (want->functions.nr || want->notrace.nr))
		name = "function";
	if (!name)
		return 0;
	r = tfs_tracers(tfs, &tracers, err);
	if (r < 0)
		return r;
	if (!strv_has(&tracers, name))
		return name_missing_tracer(name, &tracers, err);
	out->tracer = xstrdup(name);
	out->depth = want->depth;
	return check_tracer(want, name, err);
}

/* Markers and trace_printk() come by themselves and have no switch. */
static bool comes_by_itself(const char *pattern)
{
	static const char *const names[] = {"print",	     "ftrace:print", "bprint",
					    "ftrace:bprint", "bputs",	     "ftrace:bputs"};

	for (size_t i = 0; i < array_size(names); i++)
		if (!strcmp(pattern, names[i]))
			return true;
	return false;
}

static size_t count_system(const struct strv *events, const char *system)
{
	size_t len = strlen(system);
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++)
		nr += !strncmp(events->item[i], system, len) && events->item[i][len] == ':';
	return nr;
}

/* A system that is wanted whole is enabled by one write, which the kernel does much faster. */
static int fold_systems(const struct tfs *tfs, const struct strv *wanted, struct trace_config *out,
			struct err *err)
{
	cleanup(strv_fini) struct strv all = {0};
	int r = wanted->nr > 1 ? tfs_events(tfs, &all, err) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < wanted->nr; i++) {
		const char *event = wanted->item[i];
		cleanup_free char *system = xstrndup(event, strcspn(event, ":"));
		size_t nr;

		if (strv_has(&out->systems, system))
			continue;
		nr = count_system(wanted, system);
		if (nr > 1 && nr == count_system(&all, system))
			strv_add(&out->systems, system);
		else
			strv_add(&out->events, event);
	}
	return 0;
}

static int take_events(const struct record_args *args, const struct buffer_args *want,
		       const struct tfs *tfs, struct trace_config *out, struct strv *notes,
		       struct err *err)
{
	cleanup(strv_fini) struct strv wanted = {0};
	const char *until = want == &args->main || record_main_is_idle(args) ? args->until : NULL;
	int r;

	for (size_t i = 0; i < want->events.nr; i++) {
		const char *pattern = want->events.item[i];

		if (comes_by_itself(pattern)) {
			strv_add_take(notes,
				      xasprintf("%s comes by itself, it needs no -e", pattern));
			continue;
		}
		r = tfs_match_events(tfs, !strcmp(pattern, "all") ? "*:*" : pattern, &wanted, err);
		if (r < 0)
			return r;
	}
	strv_sort(&wanted);
	strv_uniq(&wanted);
	r = record_rules_build(want, until, tfs, &wanted, out, err);
	if (r < 0)
		return r;
	out->stack = want->stack;
	return fold_systems(tfs, &wanted, out, err);
}

static int take_functions(const struct strv *patterns, const struct tfs *tfs, struct strv *out,
			  struct err *err)
{
	for (size_t i = 0; i < patterns->nr; i++) {
		size_t nr;
		int r = tfs_match_functions(tfs, patterns->item[i], &nr, err);

		if (r < 0)
			return r;
		strv_add(out, patterns->item[i]);
	}
	return 0;
}

static int take_options(const struct buffer_args *want, const struct tfs *tfs,
			struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = want->options.nr ? tfs_options(tfs, &names, err) : 0;

	for (size_t i = 0; r == 0 && i < want->options.nr; i++) {
		const char *name = want->options.item[i];

		if (strv_has(&names, name) ||
		    (str_starts(name, "no") && strv_has(&names, name + 2)))
			strv_add(&out->options, name);
		else
			r = name_unknown("trace option", name, &names, "options", err);
	}
	return r;
}

static int take_clock(const struct buffer_args *want, const struct tfs *tfs,
		      struct trace_config *out, struct strv *notes, struct err *err)
{
	cleanup(strv_fini) struct strv clocks = {0};
	cleanup_free char *current = NULL;
	const char *name = want->clock ? want->clock : "mono";
	int r = tfs_clocks(tfs, &clocks, &current, err);

	if (r < 0)
		return r;
	if (strv_has(&clocks, name)) {
		out->clock = xstrdup(name);
		return 0;
	}
	if (want->clock)
		return name_unknown("clock", name, &clocks, "clocks", err);
	strv_add_take(notes, xasprintf("this kernel has no clock mono, it stays at %s",
				       current ? current : "local"));
	return 0;
}

/* The share of each CPU. */
static int take_ring(const struct record_args *args, const struct tfs *tfs, size_t nr_cpus,
		     struct trace_config *out, struct err *err)
{
	uint64_t bytes = args->ring / nr_cpus;

	if (bytes < RING_LEAST_KB * 1024)
		return err_set(
			err, EINVAL,
			"--ring needs %u KiB for each of the %zu CPUs, which are %zuk in all",
			RING_LEAST_KB, nr_cpus, RING_LEAST_KB * nr_cpus);
	out->ring = true;
	out->buffer_kb = bytes / 1024;
	return name_check_buffer(tfs, bytes, err);
}

static int take_buffer(const struct record_args *args, const struct buffer_args *want,
		       const struct tfs *tfs, struct trace_config *out, struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	uint64_t available = name_available_kb();
	uint64_t kb;
	size_t nr;
	int r = tfs_cpus(tfs, &cpus, &nr, err);

	if (r < 0)
		return r;
	if (args->ring)
		return take_ring(args, tfs, nr, out, err);
	if (want->buffer) {
		out->buffer_kb = (want->buffer + 1023) / 1024;
		return name_check_buffer(tfs, want->buffer, err);
	}
	kb = available / BUFFER_SHARE / nr;
	out->buffer_kb = kb < BUFFER_LEAST_KB  ? BUFFER_LEAST_KB
			 : kb > BUFFER_MOST_KB ? BUFFER_MOST_KB
					       : kb;
	return 0;
}

/* The kernel's own limit. */
#define SUBBUF_MOST_PAGES 128

static int take_subbuf(const struct buffer_args *want, const struct tfs *tfs,
		       struct trace_config *out, struct err *err)
{
	uint64_t page = (uint64_t)getpagesize();
	uint64_t size = want->subbuf;

	if (!size)
		return 0;
	if (!tfs_has(tfs, "buffer_subbuf_size_kb"))
		return err_set(err, EOPNOTSUPP,
			       "--subbuf: this kernel has sub-buffers of %" PRIu64
			       " KiB only (6.8 and later have buffer_subbuf_size_kb)",
			       page / 1024);
	if (size < page || size > SUBBUF_MOST_PAGES * page || (size & (size - 1)))
		return err_set(err, EINVAL,
			       "--subbuf takes a power of two from %" PRIu64 "k to %" PRIu64 "k",
			       page / 1024, SUBBUF_MOST_PAGES * page / 1024);
	/* One is always being read, and one is being written. */
	if (size * 3 > out->buffer_kb * 1024)
		return err_set(err, EINVAL,
			       "--subbuf: a buffer of %" PRIu64
			       "k (-b) has no room for three of them",
			       out->buffer_kb);
	out->subbuf_kb = size / 1024;
	return 0;
}

static void take_cmdlines(const struct tfs *tfs, struct trace_config *out)
{
	long size;

	if (tfs_has(tfs, "saved_cmdlines_size") &&
	    tfs_read_number(tfs, "saved_cmdlines_size", &size, NULL) == 0 && size < CMDLINES_LEAST)
		out->cmdlines = CMDLINES_LEAST;
}

bool record_main_is_idle(const struct record_args *args)
{
	const struct buffer_args *main = &args->main;

	return args->more.nr && !main->tracer && !main->events.nr && !main->filters.nr &&
	       !main->functions.nr && !main->notrace.nr && !main->graph.nr && !main->depth;
}

/* The clock and the size that come before the first --instance are meant for all. */
static void take_common(const struct record_args *args, struct buffer_args *want)
{
	if (!want->clock)
		want->clock = args->main.clock;
	if (!want->buffer)
		want->buffer = args->main.buffer;
	if (!want->subbuf)
		want->subbuf = args->main.subbuf;
}

static void warn_of_all_functions(const struct record_args *args, const struct trace_config *config,
				  struct strv *notes)
{
	bool everyone = args->all || (!args->common.words.nr && !args->pids.nr);

	if (everyone && config->tracer &&
	    (!strcmp(config->tracer, "function") || is_graph_tracer(config->tracer)) &&
	    !config->functions.nr && !config->graph.nr)
		strv_add(notes, "every function of the whole system is traced: it gets slow, and "
				"events may be lost; -l names the functions to trace");
}

int record_config_build(const struct record_args *args, const struct buffer_args *wanted,
			const struct tfs *tfs, struct trace_config *out, struct strv *notes,
			struct err *err)
{
	struct buffer_args copy = *wanted;
	const struct buffer_args *want = &copy;
	int r;

	take_common(args, &copy);
	r = take_tracer(want, tfs, out, err);
	if (r == 0)
		r = take_events(args, wanted, tfs, out, notes, err);
	if (r == 0)
		r = take_functions(&want->functions, tfs, &out->functions, err);
	if (r == 0)
		r = take_functions(&want->notrace, tfs, &out->notrace, err);
	if (r == 0)
		r = take_functions(&want->graph, tfs, &out->graph, err);
	if (r == 0)
		r = take_options(want, tfs, out, err);
	if (r == 0)
		r = take_clock(want, tfs, out, notes, err);
	if (r == 0)
		r = take_buffer(args, want, tfs, out, err);
	if (r == 0)
		r = take_subbuf(want, tfs, out, err);
	if (r < 0)
		return r;
	take_cmdlines(tfs, out);
	warn_of_all_functions(args, out, notes);
	return 0;
}

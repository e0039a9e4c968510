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
/* Enough for the tasks of a busy machine; the kernels' default was 128 for a long time. */
#define CMDLINES_LEAST 4096

static int take_tracer(const struct record_args *args, const struct tfs *tfs,
		       struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv tracers = {0};
	const char *name = args->tracer;
	int r;

	/* Function filters mean a function tracer. */
	if (!name && args->graph.nr)
		name = "function_graph";
	else if (!name && (args->functions.nr || args->notrace.nr))
		name = "function";
	if (!name)
		return 0;
	r = tfs_tracers(tfs, &tracers, err);
	if (r < 0)
		return r;
	if (!strv_has(&tracers, name))
		return name_unknown("tracer", name, &tracers, "tracers", err);
	out->tracer = xstrdup(name);
	if (args->graph.nr && !is_graph_tracer(name))
		return err_set(err, EINVAL, "-g needs the function_graph tracer, not %s", name);
	if ((args->functions.nr || args->notrace.nr) && !is_function_tracer(name))
		return err_set(err, EINVAL, "-l and -n need a function tracer, not %s", name);
	return 0;
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

static int take_events(const struct record_args *args, const struct tfs *tfs,
		       struct trace_config *out, struct strv *notes, struct err *err)
{
	cleanup(strv_fini) struct strv wanted = {0};

	for (size_t i = 0; i < args->events.nr; i++) {
		const char *pattern = args->events.item[i];
		int r;

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

static int take_options(const struct record_args *args, const struct tfs *tfs,
			struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = args->options.nr ? tfs_options(tfs, &names, err) : 0;

	for (size_t i = 0; r == 0 && i < args->options.nr; i++) {
		const char *name = args->options.item[i];

		if (strv_has(&names, name) ||
		    (str_starts(name, "no") && strv_has(&names, name + 2)))
			strv_add(&out->options, name);
		else
			r = name_unknown("trace option", name, &names, "options", err);
	}
	return r;
}

static int take_clock(const struct record_args *args, const struct tfs *tfs,
		      struct trace_config *out, struct strv *notes, struct err *err)
{
	cleanup(strv_fini) struct strv clocks = {0};
	cleanup_free char *current = NULL;
	const char *name = args->clock ? args->clock : "mono";
	int r = tfs_clocks(tfs, &clocks, &current, err);

	if (r < 0)
		return r;
	if (strv_has(&clocks, name)) {
		out->clock = xstrdup(name);
		return 0;
	}
	if (args->clock)
		return name_unknown("clock", name, &clocks, "clocks", err);
	strv_add_take(notes, xasprintf("this kernel has no clock mono, it stays at %s",
				       current ? current : "local"));
	return 0;
}

static int take_buffer(const struct record_args *args, const struct tfs *tfs,
		       struct trace_config *out, struct err *err)
{
	cleanup_free unsigned int *cpus = NULL;
	uint64_t available = name_available_kb();
	uint64_t kb;
	size_t nr;
	int r = tfs_cpus(tfs, &cpus, &nr, err);

	if (r < 0)
		return r;
	if (args->buffer) {
		out->buffer_kb = (args->buffer + 1023) / 1024;
		return name_check_buffer(tfs, args->buffer, err);
	}
	kb = available / BUFFER_SHARE / nr;
	out->buffer_kb = kb < BUFFER_LEAST_KB  ? BUFFER_LEAST_KB
			 : kb > BUFFER_MOST_KB ? BUFFER_MOST_KB
					       : kb;
	return 0;
}

/* The kernel's own limit. */
#define SUBBUF_MOST_PAGES 128

static int take_subbuf(const struct record_args *args, const struct tfs *tfs,
		       struct trace_config *out, struct err *err)
{
	uint64_t page = (uint64_t)getpagesize();
	uint64_t size = args->subbuf;

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

int record_config_build(const struct record_args *args, const struct tfs *tfs,
			struct trace_config *out, struct strv *notes, struct err *err)
{
	int r = take_tracer(args, tfs, out, err);

	if (r == 0)
		r = take_events(args, tfs, out, notes, err);
	if (r == 0)
		r = take_functions(&args->functions, tfs, &out->functions, err);
	if (r == 0)
		r = take_functions(&args->notrace, tfs, &out->notrace, err);
	if (r == 0)
		r = take_functions(&args->graph, tfs, &out->graph, err);
	if (r == 0)
		r = take_options(args, tfs, out, err);
	if (r == 0)
		r = take_clock(args, tfs, out, notes, err);
	if (r == 0)
		r = take_buffer(args, tfs, out, err);
	if (r == 0)
		r = take_subbuf(args, tfs, out, err);
	if (r == 0)
		take_cmdlines(tfs, out);
	return r;
}

void record_config_systems(const struct trace_config *config, struct strv *out)
{
	strv_copy(out, &config->systems);
	for (size_t i = 0; i < config->events.nr; i++)
		strv_add_take(out, xstrndup(config->events.item[i],
					    strcspn(config->events.item[i], ":")));
	strv_sort(out);
	strv_uniq(out);
}

/* Somebody else's tracer or events at the top level. */
static int is_top_in_use(const struct tfs *tfs, bool *in_use, struct err *err)
{
	cleanup_free char *tracer = NULL;
	cleanup_free char *events = NULL;
	int r = tfs_read_line(tfs, "current_tracer", &tracer, err);

	if (r == 0)
		r = tfs_read_line(tfs, "set_event", &events, err);
	if (r == 0)
		*in_use = strcmp(tracer, "nop") || events[0];
	return r;
}

/* Synthetic events are written to the top level only. */
static bool needs_top(const struct trace_config *config)
{
	cleanup(strv_fini) struct strv systems = {0};

	record_config_systems(config, &systems);
	return strv_has(&systems, "synthetic");
}

int record_config_place(const struct tfs *tfs, struct trace_config *config, const char **why,
			struct strv *notes, struct err *err)
{
	bool marker_comes = tfs_has(tfs, "options/copy_trace_marker");
	bool plain = !config->tracer || !strcmp(config->tracer, "function") ||
		     !strcmp(config->tracer, "nop");
	bool in_use = false;
	int r = is_top_in_use(tfs, &in_use, err);

	if (r < 0)
		return r;
	*why = "the top-level buffer: this kernel copies no markers into instances";
	if (!tfs_has(tfs, "instances") || needs_top(config)) {
		*why = "the top-level buffer: what is recorded is not to be had in an instance";
		return 0;
	}
	/* function_graph works in instances since before copy_trace_marker came. */
	if (marker_comes && (plain || is_graph_tracer(config->tracer))) {
		*why = "a private instance, programs' markers are copied into it";
	} else if (in_use && plain) {
		*why = "a private instance: somebody else traces at the top level";
		strv_add(notes, "somebody else traces at the top level: this recording has its own "
				"instance, without programs' markers");
	} else {
		return 0;
	}
	config->instance = xasprintf("ft-%d", (int)getpid());
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wanted of the kernel, as plain data. Names in it have been checked already. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/str.h"

struct trace_config {
	char *instance;	    /* name of the instance, NULL for the top level */
	bool is_there;	    /* the instance is not to be made: somebody else has */
	char *tracer;	    /* NULL: none */
	char *clock;	    /* NULL: as it is */
	uint64_t buffer_kb; /* per CPU; 0: as it is */
	uint64_t subbuf_kb; /* of one sub-buffer; 0: as it is */
	uint64_t cmdlines;  /* entries of saved_cmdlines; 0: as it is */
	uint64_t depth;	    /* levels of the function graph; 0: all */
	bool stack;	    /* a stack trace after each event, or each filtered function */
	bool ring;	    /* the newest events replace the oldest */
	bool printk; /* the instance gets the output of trace_printk() while it is recorded */

	struct strv systems;   /* event systems enabled whole */
	struct strv events;    /* "system:name", each enabled by itself */
	struct strv functions; /* patterns for set_ftrace_filter; empty: all */
	struct strv notrace;   /* patterns for set_ftrace_notrace */
	struct strv graph;     /* patterns for set_graph_function; empty: all */
	struct strv options;   /* "name" or "noname" */
	struct strv filters;   /* "system:name FILTER", as the kernel spells it */
	struct strv triggers;  /* "system:name ACTION" */

	struct strv pids;     /* only these, and their children; empty: everyone */
	struct strv own_pids; /* ft's own threads, never traced */
};

void trace_config_fini(struct trace_config *config);

/* True for the tracers that use the function filters: function, function_graph and their kin. */
bool is_function_tracer(const char *tracer);
bool is_graph_tracer(const char *tracer);
/* The tracers that keep the longest time they saw, and the trace of it: wakeup, irqsoff, ... */
bool is_latency_tracer(const char *tracer);

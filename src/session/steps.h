/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is wanted to the ordered list of writes that brings it about. Touches nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "session/config.h"
#include "util/str.h"

enum step_kind {
	STEP_SET,	  /* one value; undone by writing the old one */
	STEP_LIST,	  /* a list of tokens, one a line, in place of the old list */
	STEP_ADD,	  /* tokens, one a line, that the list gets beside those it has */
	STEP_SYSTEM,	  /* enables or disables all events of a system */
	STEP_FILTER,	  /* an event's filter; "0" for none */
	STEP_ACTION,	  /* adds a trigger or function command; "!..." takes one away */
	STEP_PROBE,	  /* a dynamic event's definition; "-" and the definition takes it away */
	STEP_EMPTY,	  /* empties the buffer; cannot be undone */
	STEP_SNAPSHOT,	  /* "1" takes one, "2" empties it, "0" frees its memory */
	STEP_INSTANCE,	  /* makes the instance; undone by removing it. Later steps are in it */
	STEP_ENTER,	  /* later steps are in the instance, which is there; "": at the top */
	STEP_NO_INSTANCE, /* removes it with the events in it; undone by making it again, empty */
	STEP_SYSCTL,	  /* one value in a file named by its full path */
};

struct step {
	enum step_kind kind;
	char *file;    /* relative to the tracing directory in use */
	char *value;   /* without newline; for a list, the tokens with newlines between */
	bool top;      /* the file is the top level's, instance or not */
	bool or_top;   /* the top level's is meant where the instance has no such file */
	bool optional; /* nothing to do where the kernel has no such file */
};

struct steps {
	struct step *step;
	size_t nr;
};

void steps_fini(struct steps *steps);

/* Adds a step at the end, which takes @file and @value. */
struct step *steps_add(struct steps *steps, enum step_kind kind, char *file, char *value);

/* What the builder must know of the kernel. */
struct kernel_facts {
	const struct strv *enabled; /* "system:name" of events that are on where it is recorded */
	const struct strv *options; /* names of the options there are */
	const char *all_cpus;	    /* as tracing_cpumask shows it when no CPU is left out */
};

/* All writes that come before the start, in order. They leave tracing off. */
void steps_build(const struct trace_config *config, const struct kernel_facts *facts,
		 struct steps *out);
#define STEPS_COPY_MARKER "options/copy_trace_marker"
#define STEPS_PRINTK "options/trace_printk_dest"
/* What must wait until all else is done. Triggers act, and their counts run, while the trace is off; and
 * a marker that is to be copied into a buffer whose trace is off fails for whoever writes it. What
 * trace_printk() writes into such a buffer is lost. */
void steps_build_last(const struct trace_config *config, struct steps *out);
/* The writes that start the trace. */
void steps_build_start(const struct trace_config *config, struct steps *out);

/* The steps as shell lines that do the same; @top and @dir are the tracing directories. Optional
 * files that are not there are left out. */
void steps_print(const struct steps *steps, const char *top, const char *dir, struct strbuf *out);

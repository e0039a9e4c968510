/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of ft record share. */
#pragma once

#include "cli/command.h"
#include "dat/compress.h"
#include "session/config.h"
#include "session/steps.h"
#include "tracefs/tracefs.h"

/* What is wanted in one buffer. */
struct buffer_args {
	char *instance; /* NULL: the buffer that ft chooses */
	char *tracer;
	struct strv events;
	struct strv filters;
	struct strv triggers;
	struct strv functions;
	struct strv notrace;
	struct strv graph;
	struct strv options;
	bool stack;
	uint64_t depth;
	uint64_t buffer;
	uint64_t subbuf;
	char *clock;
};

struct record_args {
	struct common_args common;
	struct buffer_args main;
	struct option_parts more; /* struct buffer_args: one for each --instance */
	char *output;
	char *tracefs;
	bool all;
	struct strv pids;
	char *user;
	uint64_t duration;
	uint64_t max_size;
	char *until;
	bool live;
	bool nanoseconds; /* with ->live, as the three below */
	bool latency;
	bool raw;
	bool ts_diff;
	uint64_t ring;	  /* bytes of all CPUs' buffers together; 0: none */
	bool from_kernel; /* what is in the buffers already, and nothing new */
	bool snapshot;	  /* of that, the second buffer */
	bool dry_run;
	unsigned int verbose;
	bool quiet;
	bool fail_on_lost;
	char *ready_fd;
	char *pid_file;
	char *compress;
	enum compress_kind compress_kind; /* from ->compress */
	int compress_level;
	uint64_t file_version;
	int fail_status; /* 126 or 127 when the command cannot be run, else 0 */
};

/* Nothing is wanted of ft's own buffer: all of it is for instances. */
bool record_main_is_idle(const struct record_args *args);

/* Checks every name of @want against the kernel and fills the config: tracer, events, functions,
 * options, sizes. Writes nothing. What the user should know goes to @notes. */
int record_config_build(const struct record_args *args, const struct buffer_args *want,
			const struct tfs *tfs, struct trace_config *out, struct strv *notes,
			struct err *err);

/* The same for the filters and triggers of @want and for --until. Events with a filter are recorded,
 * so this comes before the others are put together: they are added to @events. */
int record_rules_build(const struct buffer_args *want, const char *until, const struct tfs *tfs,
		       struct strv *events, struct trace_config *out, struct err *err);

/* Decides between a private instance and the top level: sets config->instance, and says why in
 * *why (static text). */
int record_config_place(const struct tfs *tfs, struct trace_config *config, const char **why,
			struct strv *notes, struct err *err);
/* Whether the instance that was decided on gets what trace_printk() writes: where -O says so, which
 * fails when another instance has it; else ft's own, when the top level has it and nobody traces
 * there. */
int record_config_printk(const struct tfs *tfs, struct trace_config *config, struct err *err);
/* For an instance that the user names: made, or there already. */
int record_config_instance(const struct tfs *tfs, const struct buffer_args *want,
			   struct trace_config *config, struct err *err);

/* Adds every system that the config has events of, without doubles. */
void record_config_systems(const struct trace_config *config, struct strv *out);

/* A line to stderr, unless --quiet. */
void record_say(const struct record_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of ft record share. */
#pragma once

#include "cli/command.h"
#include "dat/compress.h"
#include "session/config.h"
#include "session/steps.h"
#include "tracefs/tracefs.h"

struct record_args {
	struct common_args common;
	char *tracer;
	struct strv events;
	struct strv functions;
	struct strv notrace;
	struct strv graph;
	struct strv options;
	uint64_t buffer;
	uint64_t subbuf;
	char *clock;
	char *output;
	char *tracefs;
	bool all;
	uint64_t duration;
	bool dry_run;
	unsigned int verbose;
	bool quiet;
	bool fail_on_lost;
	char *ready_fd;
	char *pid_file;
	char *compress;
	enum compress_kind compress_kind; /* from ->compress */
	int compress_level;
	int fail_status; /* 126 or 127 when the command cannot be run, else 0 */
};

/* Checks every name of @args against the kernel and fills the config: tracer, events, functions,
 * options, sizes. Writes nothing. What the user should know goes to @notes. */
int record_config_build(const struct record_args *args, const struct tfs *tfs,
			struct trace_config *out, struct strv *notes, struct err *err);

/* Decides between a private instance and the top level: sets config->instance, and says why in
 * *why (static text). */
int record_config_place(const struct tfs *tfs, struct trace_config *config, const char **why,
			struct strv *notes, struct err *err);

/* Every system that the config has events of, without doubles. */
void record_config_systems(const struct trace_config *config, struct strv *out);

/* A line to stderr, unless --quiet. */
void record_say(const struct record_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

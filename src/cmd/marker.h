/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker: what was asked for, and its parts. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cli/command.h"
#include "cmd/marker_out.h"
#include "cmd/marker_text.h"

struct marker_args {
	struct common_args common;
	char *begin;
	char *end;
	char *async_begin;
	char *async_end;
	char *counter;
	char *instant;
	char *id;
	char *pid;
	char *instance;
	char *allow;
	char *deny;
	char *user_event;
	char *tracefs;
	bool from_stdin;
	bool strict;
	bool check;
	bool keep;
	bool remove;
	int fail_status; /* of a command that cannot be run */
};

/* A line on standard error that is no failure. */
void marker_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The process that markers are written for: --pid, else the parent. */
pid_t marker_pid(const struct marker_args *args);

/* Cuts @line as the kernel would, but between characters, and says so; refuses with --strict. */
int marker_fit(const struct marker_args *args, const struct marker_out *out,
	       struct marker_line *line, struct err *err);

/* Each of these is a way to use the verb: the exit status, or negative with text. */
int marker_stdin(const struct marker_args *args, struct err *err);
int marker_run(struct marker_args *args, struct err *err);
int marker_allow(const struct marker_args *args, struct err *err);
int marker_deny(const struct marker_args *args, struct err *err);
int marker_check(const struct marker_args *args, struct err *err);
/* The part of --user-event that needs no kernel: for wrong usage. */
int marker_event_check(const struct marker_args *args, struct err *err);
int marker_user_event(const struct marker_args *args, struct err *err);

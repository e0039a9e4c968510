/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording tells while it runs: to scripts, that it does; to people, how it goes. */
#pragma once

#include "cmd/record_buffers.h"

struct record_tell;

/* Prepares what @args ask for; a file or descriptor that cannot be had is an error. Call it before
 * the command is started: it must not get the descriptor. */
struct record_tell *record_tell_new(const struct record_args *args, struct err *err);
/* The recording runs: the pid file is written, and a line to the descriptor of --ready-fd. */
int record_tell_ready(struct record_tell *tell, struct err *err);

/* Milliseconds between two calls of record_tell_progress(); 0 when it has nothing to show. */
unsigned int record_tell_interval(const struct record_tell *tell);
void record_tell_progress(struct record_tell *tell, const struct record_buffers *buffers);
/* Takes the line of progress off the terminal, so that something else can be said. */
void record_tell_clear(struct record_tell *tell);
/* Removes the pid file, and frees. Accepts NULL. */
void record_tell_free(struct record_tell *tell);

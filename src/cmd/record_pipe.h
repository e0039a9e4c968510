/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that goes somewhere while it runs: into a pipe, a FIFO, a device, or to the process that
 * prints it. */
#pragma once

#include <sys/types.h>

#include "cmd/record.h"
#include "dat/writer.h"
#include "record/wait.h"

struct record_pipe;

/* Opens what -o names when it is no regular file, or starts the printer of --live: then *out is set,
 * else it stays NULL. With "-" the standard output becomes the recording's, and what the command
 * prints goes to the standard error. */
int record_pipe_open(const struct record_args *args, struct record_pipe **out, struct err *err);
/* In messages. */
const char *record_pipe_name(const struct record_pipe *p);
/* True when the recording is also to be in a regular file. */
bool record_pipe_has_file(const struct record_pipe *p);
/* Starts the thread that sends; @wake is an eventfd to be told when it has failed, or -1. */
int record_pipe_start(struct record_pipe *p, int wake, struct err *err);
/* Adds the ids of its thread and of the printer. */
void record_pipe_tids(const struct record_pipe *p, struct strv *out);
/* Where the spool file, which has no name for long, is made; caller frees. */
char *record_pipe_spool(void);
/* Writes the metadata. The streams' data are read from @from, which the pipe does not own. */
int record_pipe_begin(struct record_pipe *p, const struct dat_meta *meta,
		      const struct dat_buffer_spec *specs, size_t nr_specs,
		      const struct dat_writer *from, struct err *err);
/* Has the thread send what has come; all CPUs have been flushed. @cmdlines may be NULL. */
void record_pipe_send(struct record_pipe *p, const char *cmdlines);
/* True when the thread has begun to send all of that. */
bool record_pipe_is_taken(struct record_pipe *p);
/* Sends the rest and the end, and closes; the first error of all. A signal that tells ft to stop
 * ends the printer at once. */
int record_pipe_finish(struct record_pipe *p, const struct dat_tail *tail, struct waiter *waiter,
		       uint64_t *size, struct err *err);
void record_pipe_free(struct record_pipe *p);

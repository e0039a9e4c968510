/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording into what is no regular file: a pipe, a FIFO, a device. */
#pragma once

#include "cmd/record.h"
#include "dat/writer.h"

struct record_pipe;

/* Opens what -o names when it is no regular file: then *out is set, else it stays NULL. With "-" the
 * standard output becomes the recording's, and what the command prints goes to the standard error. */
int record_pipe_open(const struct record_args *args, struct record_pipe **out, struct err *err);
/* In messages. */
const char *record_pipe_name(const struct record_pipe *p);
/* Where the spool file, which has no name for long, is made; caller frees. */
char *record_pipe_spool(void);
/* Writes the metadata. The streams' data are taken out of @spool, which the pipe does not own. */
int record_pipe_begin(struct record_pipe *p, const struct dat_meta *meta,
		      const struct dat_buffer_spec *spec, struct dat_writer *spool,
		      struct err *err);
/* Sends what has come; @cmdlines may be NULL. Keeps its first error. */
int record_pipe_send(struct record_pipe *p, const char *cmdlines);
/* Sends the rest and the end, and closes; the first error of all. */
int record_pipe_finish(struct record_pipe *p, const struct dat_tail *tail, uint64_t *size,
		       struct err *err);
void record_pipe_free(struct record_pipe *p);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat for a pipe: nothing is written twice, and it can be read while it comes.
 *
 * Version 7 with the events in parts. Each part is an options section that leads to the next one, a
 * section of events, and sometimes the names of tasks. The first part is the top buffer; to trace-cmd
 * the others are instances of the names +2, +3 and so on, so that it reads all of a saved stream.
 * A reader of ft's puts them together again. */
#pragma once

#include "dat/writer.h"

/* What the recorder's version ends with in such a file. */
#define DAT_STREAM_SUFFIX " stream"

struct dat_stream;

/* Writes all metadata to @fd, which is borrowed; @name is for messages. */
struct dat_stream *dat_stream_new(int fd, const char *name, const struct dat_meta *meta,
				  const struct dat_buffer_spec *spec, struct err *err);
/* Writes what has come into the first buffer of @spool since the last part, and gives the disk back
 * what it took there; @cmdlines may be NULL. Nothing when nothing has come. */
int dat_stream_part(struct dat_stream *s, const struct dat_writer *spool, const char *cmdlines,
		    struct err *err);
/* The end, behind the last part. */
int dat_stream_finish(struct dat_stream *s, const struct dat_tail *tail, struct err *err);
/* Bytes that have been written. */
uint64_t dat_stream_bytes(const struct dat_stream *s);
void dat_stream_free(struct dat_stream *s);

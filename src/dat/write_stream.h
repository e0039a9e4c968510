/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat for a pipe: nothing is written twice, and it can be read while it comes.
 *
 * Version 7 with the events in parts. Each part is an options section that leads to the next one, a
 * section of events, and sometimes the names of tasks. The first part has all buffers; to trace-cmd
 * the others are instances of the names +2, +3 and so on, behind the name of the buffer, so that it
 * reads all of a saved stream.
 * A reader of ft's puts them together again. Options that lead on and hold nothing say that nothing had
 * come, so that a reader need not keep back what came before. */
#pragma once

#include "dat/writer.h"

/* What the recorder's version ends with in such a file. */
#define DAT_STREAM_SUFFIX " stream"

struct dat_stream;

/* Is @name that of a later part of the buffer @whole: "+2" and so on behind it? */
bool dat_stream_is_part(const char *name, const char *whole);
/* Writes all metadata to @fd, which is borrowed; @name is for messages. -EINVAL where the name of a buffer
 * is that of a part of another. */
struct dat_stream *dat_stream_new(int fd, const char *name, const struct dat_meta *meta,
				  const struct dat_buffer_spec *specs, size_t nr_specs,
				  struct err *err);
/* The bytes that @from has by now of each CPU of each buffer, one buffer after the other. */
void dat_stream_sizes(const struct dat_writer *from, uint64_t *sizes);
/* Writes what has come since the last part, up to @sizes; with @frees, @from is a
 * spool, and the disk gets back what that took there. @cmdlines may be NULL. 1, 0 and nothing is
 * written when nothing has come, -errno with text. */
int dat_stream_part(struct dat_stream *s, const struct dat_writer *from, const uint64_t *sizes,
		    bool frees, const char *cmdlines, struct err *err);
/* Says that nothing has come. */
int dat_stream_pause(struct dat_stream *s, struct err *err);
/* The end, behind the last part. */
int dat_stream_finish(struct dat_stream *s, const struct dat_tail *tail, struct err *err);
/* Bytes that have been written. */
uint64_t dat_stream_bytes(const struct dat_stream *s);
void dat_stream_free(struct dat_stream *s);

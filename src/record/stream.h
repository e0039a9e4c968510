/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU's bytes on their way from the kernel's buffer into the file, in a thread of their own. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

struct stream;

/* Where the sub-buffers go: to a place in a file, or to threads that compress them. */
struct stream_target {
	int fd; /* not closed */
	uint64_t offset;
	struct packer *packer; /* NULL: none */
	size_t lane;
	uint64_t room; /* bytes that the kernel's buffer can hold, as sub-buffers */
	bool waits;    /* nothing is read but at stream_flush() and at the end */
};

/* Makes the thread, which waits for stream_begin(). Pinned to @cpu and of high priority as far as
 * the system lets it. @wake is an eventfd that gets a 1 when the stream ends by an error. */
struct stream *stream_new(unsigned int cpu, int wake, struct err *err);
/* The thread's id, for set_event_notrace_pid. */
pid_t stream_tid(const struct stream *stream);

/* Starts reading @raw (trace_pipe_raw, non-blocking; the stream closes it) in sub-buffers of
 * @subbuf bytes. */
void stream_begin(struct stream *stream, int raw, size_t subbuf,
		  const struct stream_target *target);
/* Asks it to bring all that has been recorded so far into the file, and whether it has done so, or has
 * failed. */
void stream_flush(struct stream *stream);
bool stream_is_flushed(const struct stream *stream);
/* Asks it to drain what is there and to end. Tracing is off by now. */
void stream_finish(struct stream *stream);
/* Waits for its end. */
void stream_wait(struct stream *stream);
/* Waits for its end and closes its descriptors; its first error if it had one. */
int stream_join(struct stream *stream, struct err *err);

/* Bytes that are in the file, or were handed to the packer; may be asked at any time. */
uint64_t stream_bytes(const struct stream *stream);
unsigned int stream_cpu(const struct stream *stream);
/* Ends the thread if need be, and frees. */
void stream_free(struct stream *stream);

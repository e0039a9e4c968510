/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffers of a recording: ft's own first, then those that the user names. */
#pragma once

#include "cmd/record.h"
#include "dat/writer.h"
#include "record/recorder.h"
#include "session/session.h"

struct record_buffer {
	const struct buffer_args *want;
	struct trace_config config;
	const char *name;	   /* in the file; "" for ft's own */
	const struct tfs *tfs;	   /* once the session is there; borrowed */
	struct recorder *recorder; /* NULL where the kernel's text is recorded */
	struct cpu_count *counts;
	char *text; /* of a latency tracer, once it has been stopped */
};

struct record_buffers {
	struct record_buffer *buffer;
	size_t nr;
	unsigned int *cpus;
	size_t nr_cpus;
	int wake; /* becomes readable when a thread of any of them has failed; from
		     record_buffers_recorders() on */
};

/* What the buffers have in common, as plain data: everything that can fail without touching the
 * kernel. *why says where ft's own is, NULL when there is none. */
int record_buffers_build(const struct record_args *args, const struct tfs *top,
			 struct record_buffers *out, const char **why, struct strv *notes,
			 struct err *err);
void record_buffers_fini(struct record_buffers *buffers);

/* What others may want to use at the same time, so that it wants a lock: "" for the top level, and the
 * instances that the user names. */
void record_buffers_places(const struct record_buffers *buffers, struct strv *out);
/* Makes the threads, all of them still waiting. */
int record_buffers_recorders(struct record_buffers *buffers, const struct record_args *args,
			     struct err *err);
/* These processes are recorded, and those never are; for all buffers. */
void record_buffers_pids(struct record_buffers *buffers, const struct strv *pids,
			 const struct strv *own_pids);
/* Adds those of @pids that are not yet among the recorded ones; after record_buffers_apply(). */
int record_buffers_add_pids(struct record_buffers *buffers, const struct strv *pids,
			    struct err *err);
/* The kernel's state, up to but without the start. */
int record_buffers_apply(struct record_buffers *buffers, const struct tfs *top,
			 struct session *session, struct err *err);
/* The steps as shell lines, the start included. */
int record_buffers_print(struct record_buffers *buffers, const struct tfs *top, struct strbuf *out,
			 struct err *err);
/* All that a file says before the events. */
struct record_contents {
	struct dat_meta meta;
	struct dat_buffer_spec *spec;
	size_t nr;
	struct strv clocks;  /* that the specs name */
	struct strbuf facts; /* lines of dat/facts.h, which the option holds */
	struct dat_meta_option option;
};

int record_buffers_describe(const struct record_buffers *buffers, const struct tfs *top,
			    const struct record_args *args, struct record_contents *out,
			    struct strv *notes, struct err *err);
void record_contents_fini(struct record_contents *contents);
/* Starts the threads that read. */
int record_buffers_begin(struct record_buffers *buffers, struct dat_writer *writer,
			 struct err *err);
/* Sets what acts at once: triggers, and the copying of markers. */
int record_buffers_arm(const struct record_buffers *buffers, struct session *session,
		       struct err *err);
/* The paths of the files that start the trace. */
void record_buffers_switches(const struct record_buffers *buffers, struct strv *out);

uint64_t record_buffers_bytes(const struct record_buffers *buffers);
void record_buffers_note_sizes(const struct record_buffers *buffers);
void record_buffers_flush(const struct record_buffers *buffers);
/* Of all buffers; negative when it cannot be read. */
int record_buffers_totals(const struct record_buffers *buffers, struct recorder_totals *out);
/* True when the kernel, or somebody, has turned a buffer off. */
bool record_buffers_are_off(const struct record_buffers *buffers);
/* Stops the trace, drains the buffers and reads the counters, whose texts go to @cpustat. The first
 * failure is returned. */
int record_buffers_stop(struct record_buffers *buffers, struct strv *cpustat, struct err *err);

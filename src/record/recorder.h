/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of one buffer together: from parked threads to bytes in the file and counts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dat/writer.h"
#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

/* What was lost and what was kept, of one CPU. */
struct cpu_count {
	unsigned int cpu;
	uint64_t events;
	uint64_t lost;
	uint64_t overwritten; /* by newer ones, as a ring is meant to do */
};

struct recorder;

/* Raises ft's own limit of open files, as far as the hard limit lets it, for @buffers recorders with @cpus
 * streams each. A process that was forked before keeps its limit. -EMFILE with text when that is not
 * enough. */
int recorder_reserve(size_t buffers, size_t cpus, struct err *err);
/* Makes a parked stream for each of @cpus, and the threads that compress when it is wanted. With @ring
 * the kernel's buffer keeps the newest events, and is read at recorder_flush() and at the end only. */
struct recorder *recorder_new(const unsigned int *cpus, size_t nr, bool ring,
			      enum compress_kind compress, int level, struct err *err);
/* Adds the ids of its threads. */
void recorder_tids(const struct recorder *rec, struct strv *out);
/* Becomes readable when a stream has failed. */
int recorder_wake_fd(const struct recorder *rec);

/* Opens the raw pipes of @tfs and starts the streams into buffer number @buffer of @writer. */
int recorder_begin(struct recorder *rec, const struct tfs *tfs, struct dat_writer *writer,
		   size_t buffer, struct err *err);
/* Tells the writer how far the streams are. */
void recorder_note_sizes(const struct recorder *rec);
/* Brings all that has been recorded so far into the file, and waits for it for ten seconds at most. */
void recorder_flush(const struct recorder *rec);
/* Drains, ends and closes the streams; tracing is off already. The first failure of a stream is
 * returned, after all have ended. */
int recorder_finish(struct recorder *rec, struct err *err);

/* Reads the counters of each CPU, after recorder_finish(); adds the texts to @cpustat. *counts has
 * an entry a CPU, the caller frees. */
int recorder_count(const struct recorder *rec, const struct tfs *tfs, struct cpu_count **counts,
		   struct strv *cpustat, struct err *err);
/* Of all CPUs, as far as the kernel has counted. */
struct recorder_totals {
	uint64_t events; /* recorded and not lost, read or not */
	uint64_t lost;
	uint64_t overwritten;
};

int recorder_totals(const struct recorder *rec, const struct tfs *tfs, struct recorder_totals *out);
size_t recorder_nr(const struct recorder *rec);
uint64_t recorder_bytes(const struct recorder *rec);

void recorder_free(struct recorder *rec);
void recorder_freep(struct recorder **rec);

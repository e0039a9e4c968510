/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second reader: what trace-cmd's own library makes of a file. It works in a child process,
 * since damaged files make it crash; call it while no other thread runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* The options of trace-cmd report that change its text. All zero is its default. */
struct compat_config {
	const char *path;
	bool nanoseconds;	  /* -t */
	bool latency;		  /* -l */
	bool raw;		  /* -R */
	bool ts_diff;		  /* --ts-diff */
	const unsigned int *cpus; /* --cpu; NULL: all. As there, instances are left out then. */
	size_t nr_cpus;
};

/* Prints to @out_fd what `trace-cmd report` prints, byte for byte; plugins come from the system's
 * folder only. Its warnings go to stderr. 0, or -errno: also for a file that is no trace.dat or is
 * cut off in its metadata. */
int compat_report(const struct compat_config *config, int out_fd, struct err *err);

/* What it reads on one CPU of one buffer. */
struct compat_cpu {
	char buffer[128]; /* name of the instance, cut; "" for the top buffer */
	uint32_t cpu;
	uint64_t events;
	uint64_t times; /* compat_hash() over the times of all events */
};

struct compat_counts {
	struct compat_cpu *cpu; /* those with events, in the order of buffers and CPUs */
	size_t nr;
};

/* Carries on a hash, which begins with 0. */
static inline uint64_t compat_hash(uint64_t hash, uint64_t ts)
{
	hash = (hash ^ ts) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* Reads the whole file without printing. 0, or -errno. */
int compat_count(const char *path, struct compat_counts *out, struct err *err);
void compat_counts_fini(struct compat_counts *counts);

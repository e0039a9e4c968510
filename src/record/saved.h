/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a buffer of the kernel already, brought into a file. */
#pragma once

#include "dat/writer.h"
#include "record/wait.h"
#include "tracefs/tracefs.h"

/* Where it comes from. */
struct saved_from {
	const struct tfs *tfs;
	bool is_snapshot; /* the second buffer, which a snapshot is taken into */
	uint32_t page_size;
	uint32_t page_data; /* where events begin in a sub-buffer */
};

/* One CPU of it. */
struct saved_cpu {
	unsigned int cpu;
	uint64_t entries;     /* events to be read; UINT64_MAX: not known */
	uint64_t events;      /* that have been written */
	uint64_t overwritten; /* older ones */
	uint64_t lost;
	bool is_consumed; /* the buffer does not hold them any more */
	char *stats;	  /* the kernel's text at saved_look(); NULL for a snapshot */
};

/* What each of @cpus holds; *out has an entry for each, which saved_free() frees. */
int saved_look(const struct saved_from *from, const unsigned int *cpus, size_t nr,
	       struct saved_cpu **out, struct err *err);
void saved_free(struct saved_cpu *cpu, size_t nr);

/* Writes what @cpu holds as the data of CPU number @index of the writer's buffer. It stays in the kernel where
 * that lets its buffer be mapped; else reading it takes it out. -EINTR when @waiter was told to stop. What
 * was written by the time of an error is counted. */
int saved_copy(const struct saved_from *from, struct saved_cpu *cpu, struct dat_writer *writer,
	       size_t buffer, size_t index, struct compressor *c, struct waiter *waiter,
	       struct err *err);

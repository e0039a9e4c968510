/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that compress what the streams bring, and write it to the file. */
#pragma once

#include <sys/types.h>

#include "dat/writer.h"
#include "util/err.h"
#include "util/str.h"

struct packer;

/* Bytes of events that make one chunk of the file. */
#define PACKER_CHUNK (256u << 10)

/* Makes the threads, which wait. @lanes is the number of streams; @wake is an eventfd that gets a 1
 * when writing fails. */
struct packer *packer_new(enum compress_kind kind, int level, size_t lanes, int wake,
			  struct err *err);
/* Adds the ids of its threads. */
void packer_tids(const struct packer *p, struct strv *out);
/* Tells it where the chunks go: lane @i to CPU @i of buffer @buffer. */
void packer_begin(struct packer *p, struct dat_writer *writer, size_t buffer);

/* Takes over @data, of malloc, as the next chunk of a lane. Waits while too much is queued. -errno
 * without text once writing has failed; the data are dropped then. */
int packer_put(struct packer *p, size_t lane, void *data, size_t len);
/* Waits until all is in the file that was put until now. */
void packer_flush(struct packer *p);
/* The first failure; to be asked after packer_flush(). */
int packer_error(const struct packer *p, struct err *err);
void packer_free(struct packer *p);

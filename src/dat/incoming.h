/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat that comes through a pipe. What write_stream.h makes is read part by part while it
 * comes; any other file is brought into a spool file first. */
#pragma once

#include <sys/types.h>

#include "dat/reader.h"

struct dat_incoming;

/* Reads from @fd, which is borrowed, until the metadata are complete. NULL with text. */
struct dat_incoming *dat_incoming_new(int fd, const char *name, struct err *err);
/* The reader of the metadata, or of the whole file when it is no stream. The caller's from now on. */
struct dat_reader *dat_incoming_reader(struct dat_incoming *in);
bool dat_incoming_is_stream(const struct dat_incoming *in);

/* Reads the next part, waiting for all of it; one may be without events. 1 when there was one, 0 at the end, -errno with text
 * when the stream is cut off or damaged. */
int dat_incoming_part(struct dat_incoming *in, struct err *err);
/* Takes a sub-buffer of a CPU of the buffer of that name out of what has been read. False when there is
 * none. */
bool dat_incoming_page(struct dat_incoming *in, const char *buffer, uint32_t cpu, uint8_t *page);
/* True when some are left that can be taken, of CPUs that have been asked for. */
bool dat_incoming_has_pages(const struct dat_incoming *in);
/* The names of tasks as the stream has them by now, "" at first. */
const char *dat_incoming_cmdlines(const struct dat_incoming *in);
void dat_incoming_free(struct dat_incoming *in);

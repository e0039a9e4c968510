/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_marker: how much it takes, who receives what is written there, and the writing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tracefs/tracefs.h"

/* The most bytes that one marker has on this kernel; what is longer would be cut, in the middle of
 * a character if need be. */
size_t tfs_marker_limit(const struct tfs *tfs);

/* True when what is written at the top level reaches this instance too. */
bool tfs_copies_markers(const struct tfs *instance);
/* True when tracing_on and the option "markers" are on, or cannot be read. */
bool tfs_takes_markers(const struct tfs *tfs);

/* Opens trace_marker for writing; descriptor or -errno with text. An open one keeps its instance
 * from being removed. */
int tfs_marker_open(const struct tfs *tfs, struct err *err);
/* One write(2). 0; -EMSGSIZE when the kernel took only *took bytes; -errno with text. */
int tfs_marker_write(const struct tfs *tfs, int fd, const void *text, size_t len, size_t *took,
		     struct err *err);

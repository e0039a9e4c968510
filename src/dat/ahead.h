/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that read sub-buffers in advance, for sources where that takes long: compressed ones. */
#pragma once

#include "dat/source.h"

struct ahead;
/* What is read in advance of one walk over one source. */
struct ahead_line;

/* @nr_lines: how many there will be; few are read farther in advance. NULL when not one thread could be started. */
struct ahead *ahead_new(unsigned int nr_threads, size_t nr_lines);
/* All lines must be gone. */
void ahead_free(struct ahead *ahead);

/* @src is borrowed; @room is that of the buffers. */
struct ahead_line *ahead_line_new(struct ahead *ahead, struct page_source *src, size_t room);
void ahead_line_free(struct ahead_line *line);
/* As the read of page_source_ops, from @first on: what was read in advance is there already. *@bytes, a buffer of malloc(),
 * is exchanged for another. *@damaged is the file offset of a chunk that does not decompress, else 0. */
ssize_t ahead_line_read(struct ahead_line *line, uint64_t first, uint8_t **bytes,
			uint64_t *damaged);

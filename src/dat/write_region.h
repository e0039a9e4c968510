/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions of a sparse file: where they can lie, and how they are brought together. Of no use outside
 * of dat/. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Finds the distance between @nr regions that begin at @first: as far apart as the file system's and
 * the user's limits allow, a multiple of @align. The file is left with @first bytes. */
int region_spacing(int fd, const char *path, uint64_t first, size_t nr, uint64_t align,
		   uint64_t *spacing, struct err *err);

/* What regions and their distances have to be multiples of, for sub-buffers of @page_size bytes. */
uint64_t region_align(int fd, uint64_t page_size);

/* Data that lie at ->from and belong at ->to, which is not behind it. */
struct region_piece {
	uint64_t from;
	uint64_t to;
	uint64_t len;
};

/* By how much piece @i is too far from what is before it: the next piece, or the start. */
uint64_t region_hole(const struct region_piece *piece, size_t i);
/* The last piece with a hole before it; @nr when there is none. */
size_t region_last_hole(const struct region_piece *piece, size_t nr);

/* Is told after each step, when ->from is where the data are; an error of its ends the moving. */
struct region_watch {
	int (*moved)(void *arg);
	void *arg;
};

/* Moves the pieces, ascending and without overlap, to where they belong: by taking the holes out of
 * the file where the file system can, else by copying. Needs no space on the disk but for a few
 * MiB; where even that is not to be had, data stay where they are, which is no error. Goes on with a
 * copying that was interrupted. On error (-errno) some data of one piece are lost. */
int region_close_up(int fd, struct region_piece *piece, size_t nr, uint64_t align,
		    const struct region_watch *watch);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the holes out of a sparse file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct extent {
	uint64_t start;
	uint64_t len;
};

/* Moves the data of each extent but the first down to the end of the one before, and cuts the file
 * there. Extents ascend, do not overlap, and begin and end at multiples of 4096. The new starts are
 * stored. Data is moved by taking blocks out of the file where the file system can do it, else by
 * copying inside of the file, so that the disk never holds much more than the data once. */
int closeup_extents(int fd, struct extent *extents, size_t nr, struct err *err);

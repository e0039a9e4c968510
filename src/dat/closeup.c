/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the holes out of a sparse file. */
#include "dat/closeup.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"

/* How much is copied before its source is given back to the file system. */
#define COPY_CHUNK (16u << 20)
#define BUFFER_SIZE (1u << 20)

/* Where extent @i shall begin: right behind the one before, which is still where it was. */
static uint64_t end_of(const struct extent *extent)
{
	return extent->start + extent->len;
}

/* From the last hole to the first: what lies behind a hole moves as a whole each time, and only
 * holes that are behind have been dealt with. False when the file system cannot. */
static bool collapse(int fd, struct extent *extents, size_t nr)
{
	for (size_t i = nr; i-- > 1;) {
		uint64_t hole = end_of(&extents[i - 1]);
		uint64_t len = extents[i].start - hole;

		if (!len)
			continue;
		if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)hole, (off_t)len) < 0)
			return false;
		for (size_t j = i; j < nr; j++)
			extents[j].start -= len;
	}
	return true;
}

static int copy_by_hand(int fd, uint64_t from, uint64_t to, uint64_t len)
{
	cleanup_free char *buffer = xmalloc(BUFFER_SIZE);

	while (len) {
		size_t want = len < BUFFER_SIZE ? (size_t)len : BUFFER_SIZE;
		ssize_t n = io_pread_all(fd, buffer, want, from);
		int r;

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		r = io_pwrite_all(fd, buffer, (size_t)n, to);
		if (r < 0)
			return r;
		from += (uint64_t)n;
		to += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

/* By the kernel where it can, which may share the blocks instead of copying them. */
static int copy_piece(int fd, uint64_t from, uint64_t to, uint64_t len)
{
	while (len) {
		loff_t in = (loff_t)from;
		loff_t out = (loff_t)to;
		ssize_t n = copy_file_range(fd, &in, fd, &out, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return copy_by_hand(fd, from, to, len);
		from += (uint64_t)n;
		to += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int move_extent(int fd, struct extent *extent, uint64_t to)
{
	uint64_t gap = extent->start - to;
	uint64_t done = 0;

	while (done < extent->len) {
		uint64_t piece = extent->len - done;
		int r;

		if (piece > COPY_CHUNK)
			piece = COPY_CHUNK;
		/* Source and target must not overlap in one call. */
		if (piece > gap)
			piece = gap;
		r = copy_piece(fd, extent->start + done, to + done, piece);
		if (r < 0)
			return r;
		/* Gives the source back, so that the data is on the disk once. Refused, it only
		 * takes space until the file is cut. */
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(extent->start + done), (off_t)piece);
		done += piece;
	}
	extent->start = to;
	return 0;
}

int closeup_extents(int fd, struct extent *extents, size_t nr, struct err *err)
{
	if (!nr)
		return 0;
	if (!collapse(fd, extents, nr)) {
		for (size_t i = 1; i < nr; i++) {
			uint64_t to = end_of(&extents[i - 1]);
			int r = extents[i].start > to ? move_extent(fd, &extents[i], to) : 0;

			if (r < 0)
				return err_sys(err, -r, "cannot close up the file");
		}
	}
	if (ftruncate(fd, (off_t)end_of(&extents[nr - 1])) < 0)
		return err_sys(err, errno, "cannot cut the file");
	return 0;
}

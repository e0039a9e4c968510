/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions of a sparse file. */
#include "dat/write_region.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"
#include "util/str.h"

/* More than a recording fills; eight CPUs fit twice into the 16 TiB of ext4. */
#define SPACING_MOST (1ULL << 38)
/* With less, a recording would end before it is worth having. */
#define SPACING_LEAST (4ULL << 20)
/* A file system that fills the space up to here with zeros has no holes. */
#define HOLE_PROBE (4ULL << 20)
/* Below this, copying is faster than the flush that taking out a hole begins with. */
#define SMALL_ENOUGH_TO_COPY (8ULL << 20)
#define COPY_CHUNK (4ULL << 20)
#define COPY_BUFFER (256 * 1024)

static uint64_t align_down(uint64_t value, uint64_t align)
{
	return value / align * align;
}

uint64_t region_align(int fd, uint64_t page_size)
{
	struct statvfs fs;
	uint64_t block = 4096;

	/* Network file systems name their transfer size instead; holes of theirs are not taken out. */
	if (fstatvfs(fd, &fs) == 0 && fs.f_bsize > block && fs.f_bsize <= 65536 &&
	    !(fs.f_bsize & (fs.f_bsize - 1)))
		block = fs.f_bsize;
	return page_size > block ? page_size : block;
}

/* The largest size a file can have: no seek gets beyond what the file system allows. */
static uint64_t largest_file(int fd)
{
	uint64_t low = 0;
	uint64_t high = 1ULL << 62;
	struct rlimit limit;

	while (high - low > 4096) {
		uint64_t mid = low + (high - low) / 2;

		if (lseek(fd, (off_t)mid, SEEK_SET) < 0)
			high = mid;
		else
			low = mid;
	}
	lseek(fd, 0, SEEK_SET);
	/* A write beyond this one would kill with SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < low)
		low = limit.rlim_cur;
	return low;
}

static int write_byte(int fd, uint64_t offset)
{
	return io_pwrite_all(fd, "", 1, offset);
}

/* Grows the file to @offset and tells how many of the bytes before the last block take up space. */
static int probe_hole(int fd, uint64_t first, bool *has_holes)
{
	struct stat before;
	struct stat after;
	int r;

	if (fstat(fd, &before) < 0)
		return -errno;
	r = write_byte(fd, first + HOLE_PROBE);
	if (r < 0)
		return r;
	if (fstat(fd, &after) < 0)
		return -errno;
	*has_holes = (uint64_t)(after.st_blocks - before.st_blocks) * 512 < HOLE_PROBE / 2;
	return 0;
}

/* Some file systems promise sizes that a server or a quota then refuses: a byte at the far end tells. */
static int probe_spacing(int fd, uint64_t first, size_t nr, uint64_t align, uint64_t *spacing)
{
	int r = -EFBIG;

	while (*spacing >= SPACING_LEAST) {
		r = write_byte(fd, first + (nr - 1) * *spacing);
		if (r != -EFBIG && r != -EINVAL && r != -EOVERFLOW)
			return r;
		*spacing = align_down(*spacing / 2, align);
	}
	return r;
}

int region_spacing(int fd, const char *path, uint64_t first, size_t nr, uint64_t align,
		   uint64_t *spacing, struct err *err)
{
	uint64_t limit = largest_file(fd);
	bool has_holes = false;
	char text[32];
	int r;

	*spacing = SPACING_MOST;
	if (limit < first || (limit - first) / nr < *spacing)
		*spacing = limit < first ? 0 : align_down((limit - first) / nr, align);
	if (*spacing < SPACING_LEAST)
		return err_set(
			err, EFBIG,
			"%s: files may have %s at most here (ulimit -f or the file system), too little for %zu CPUs",
			path, format_bytes(limit, text, sizeof(text)), nr);
	r = probe_hole(fd, first, &has_holes);
	if (r < 0)
		return err_sys(err, -r, "cannot write %s", path);
	if (!has_holes)
		return err_set(
			err, EOPNOTSUPP,
			"%s: this file system has no sparse files; choose another one with -o",
			path);
	r = probe_spacing(fd, first, nr, align, spacing);
	if (r < 0)
		return err_sys(err, -r, "cannot write %s", path);
	if (ftruncate(fd, (off_t)first) < 0)
		return err_sys(err, errno, "cannot set the size of %s", path);
	return 0;
}

uint64_t region_hole(const struct region_piece *piece, size_t i)
{
	uint64_t off = piece[i].from - piece[i].to;

	return i ? off - (piece[i - 1].from - piece[i - 1].to) : off;
}

size_t region_last_hole(const struct region_piece *piece, size_t nr)
{
	size_t i = nr;

	while (i > 0 && !region_hole(piece, i - 1))
		i--;
	return i ? i - 1 : nr;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align_down(value + align - 1, align);
}

/* Takes the holes out, from the last to the first: each step moves the fewest data. Stops where the
 * file system refuses; copying does the rest. */
static int collapse_holes(int fd, struct region_piece *piece, size_t nr, uint64_t align,
			  const struct region_watch *watch)
{
	for (size_t i = nr; i-- > 0;) {
		uint64_t hole = region_hole(piece, i);
		/* Right behind what is before, so that the header in front of a piece moves with it. */
		uint64_t at = i ? piece[i - 1].from + align_up(piece[i - 1].len, align)
				: piece[0].to;
		int r;

		if (!hole)
			continue;
		if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)at, (off_t)hole) < 0)
			return 0;
		for (size_t k = i; k < nr; k++)
			piece[k].from -= hole;
		r = watch->moved(watch->arg);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Copies by the kernel, or through memory where it does not: then also when the ranges overlap. */
static int copy_range(int fd, uint64_t from, uint64_t to, uint64_t len)
{
	cleanup_free char *buf = NULL;
	bool in_kernel = from - to >= len;

	while (len) {
		loff_t in = (loff_t)from;
		loff_t out = (loff_t)to;
		size_t want = len < COPY_BUFFER ? (size_t)len : COPY_BUFFER;
		ssize_t n = -1;
		int r;

		if (in_kernel) {
			n = copy_file_range(fd, &in, fd, &out, len, 0);
			in_kernel = n > 0;
		}
		if (n <= 0) {
			if (!buf)
				buf = xmalloc(COPY_BUFFER);
			n = io_pread_all(fd, buf, want, from);
			if (n <= 0)
				return n < 0 ? (int)n : -EIO;
			r = io_pwrite_all(fd, buf, (size_t)n, to);
			if (r < 0)
				return r;
		}
		from += (uint64_t)n;
		to += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static bool free_range(int fd, uint64_t offset, uint64_t len)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			 (off_t)len) == 0;
}

static bool has_space(int fd, uint64_t len)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize > len;
}

/* Copies a piece, chunk by chunk, and gives the disk back what each chunk took, so that the data are
 * there once. *moved tells whether all of it is at its new place; -errno when it lies in both. */
static int copy_piece(int fd, struct region_piece *piece, bool *moved)
{
	bool in_chunks = piece->len > COPY_CHUNK && free_range(fd, piece->from - 64, 1);
	uint64_t gap = piece->from - piece->to;
	uint64_t done = 0;

	*moved = false;
	if (!in_chunks && piece->len > COPY_CHUNK && !has_space(fd, piece->len))
		return 0;
	while (done < piece->len) {
		uint64_t n = piece->len - done < COPY_CHUNK ? piece->len - done : COPY_CHUNK;
		int r = copy_range(fd, piece->from + done, piece->to + done, n);

		/* Nothing was freed and nothing overwritten so far: it stays where it is. */
		if (r < 0 && (!done || !in_chunks) && gap >= piece->len)
			return 0;
		if (r < 0)
			return r;
		if (in_chunks && n <= gap)
			free_range(fd, piece->from + done, n);
		done += n;
	}
	*moved = true;
	piece->from = piece->to;
	return 0;
}

static int copy_pieces(int fd, struct region_piece *piece, size_t nr,
		       const struct region_watch *watch)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t from = piece[i].from;
		bool moved;
		int r;

		if (from == piece[i].to)
			continue;
		r = copy_piece(fd, &piece[i], &moved);
		if (r < 0)
			return r;
		if (!moved)
			return 0;
		r = watch->moved(watch->arg);
		if (r < 0)
			return r;
		/* So that the next one finds the space. */
		if (from - piece[i].to >= piece[i].len)
			free_range(fd, from, piece[i].len);
	}
	return 0;
}

/* A piece whose copying was interrupted has a hole where its beginning was. */
static int resume_copy(int fd, struct region_piece *piece, const struct region_watch *watch)
{
	off_t data = lseek(fd, (off_t)piece->from, SEEK_DATA);
	uint64_t done = piece->len;
	int r;

	if (piece->from == piece->to || data == (off_t)piece->from)
		return 0;
	if (data > 0 && (uint64_t)data < piece->from + piece->len)
		done = (uint64_t)data - piece->from;
	else if (data < 0 && errno != ENXIO)
		return 0;
	r = copy_range(fd, piece->from + done, piece->to + done, piece->len - done);
	if (r < 0)
		return r;
	piece->from = piece->to;
	return watch->moved(watch->arg);
}

int region_close_up(int fd, struct region_piece *piece, size_t nr, uint64_t align,
		    const struct region_watch *watch)
{
	uint64_t len = 0;
	int r;

	for (size_t i = 0; i < nr; i++)
		len += piece[i].len;
	for (size_t i = 0; i < nr; i++) {
		r = resume_copy(fd, &piece[i], watch);
		if (r < 0)
			return r;
	}
	if (len > SMALL_ENOUGH_TO_COPY) {
		r = collapse_holes(fd, piece, nr, align, watch);
		if (r < 0)
			return r;
	}
	return copy_pieces(fd, piece, nr, watch);
}

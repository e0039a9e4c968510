/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_marker: how much it takes, who receives what is written there, and the writing. */
#include "tracefs/marker.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/mem.h"

/* Before 6.8 the kernel copies a marker through a buffer of this size, later through a page, less
 * what its event needs; a larger sub-buffer does not change that. */
#define LIMIT_OLD 1024
#define LIMIT_NEW 4054

size_t tfs_marker_limit(const struct tfs *tfs)
{
	/* Both came with the same rework of the ring buffer. */
	return tfs_has(tfs, "buffer_subbuf_size_kb") ? LIMIT_NEW : LIMIT_OLD;
}

static bool reads(const struct tfs *tfs, const char *file, char wanted, bool otherwise)
{
	cleanup_free char *text = NULL;

	if (tfs_read_line(tfs, file, &text, NULL) < 0)
		return otherwise;
	return text[0] == wanted;
}

bool tfs_copies_markers(const struct tfs *instance)
{
	return reads(instance, "options/copy_trace_marker", '1', false);
}

bool tfs_takes_markers(const struct tfs *tfs)
{
	return reads(tfs, "tracing_on", '1', true) && reads(tfs, "options/markers", '1', true);
}

int tfs_marker_open(const struct tfs *tfs, struct err *err)
{
	return tfs_open_file(tfs, "trace_marker", O_WRONLY, err);
}

/* The kernel's numbers say less than the files do. */
static int explain(const struct tfs *tfs, int code, struct err *err)
{
	const char *dir = tfs_dir(tfs);

	if (code == EBADF && reads(tfs, "tracing_on", '0', false))
		return err_set(err, code,
			       "tracing is off, nothing was written (turn it on: echo 1 > "
			       "%s/tracing_on)",
			       dir);
	if (code == EBADF)
		return err_set(err, code,
			       "tracing is off in %s or in an instance that gets copies of its "
			       "markers",
			       dir);
	if (code == EINVAL && reads(tfs, "options/markers", '0', false))
		return err_set(err, code,
			       "markers are off, nothing was written (turn them on: echo 1 > "
			       "%s/options/markers)",
			       dir);
	if (code == ENODEV)
		return err_set(err, code,
			       "no buffer takes the markers of the top level (echo 1 > "
			       "%s/options/copy_trace_marker)",
			       dir);
	return err_sys(err, code, "cannot write to %s/trace_marker", dir);
}

int tfs_marker_write(const struct tfs *tfs, int fd, const void *text, size_t len, size_t *took,
		     struct err *err)
{
	ssize_t n;

	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return explain(tfs, errno, err);
	*took = (size_t)n;
	return *took < len ? -EMSGSIZE : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a writer writes to, and what was there before. */
#include "dat/write_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"

/* An earlier recording is worth more than the name it has. */
static int keep_earlier(struct output_file *file, struct err *err)
{
	cleanup_free char *old = NULL;
	struct stat st;

	if (stat(file->path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	old = xasprintf("%s.old", file->path);
	if (rename(file->path, old) < 0)
		return err_sys(
			err, errno,
			"%s is there already and cannot be kept as %s; choose another file with -o",
			file->path, old);
	file->old = take_ptr(old);
	return 0;
}

int output_file_open(struct output_file *file, const char *path, struct err *err)
{
	struct stat st;
	int r;

	*file = (struct output_file){.fd = -1, .path = realpath(path, NULL)};
	if (!file->path)
		file->path = xstrdup(path);
	r = keep_earlier(file, err);
	if (r < 0)
		return r;
	file->fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file->fd < 0)
		r = err_sys(err, errno, "cannot create %s", path);
	else if (fstat(file->fd, &st) < 0)
		r = err_sys(err, errno, "cannot look at %s", path);
	else if (!S_ISREG(st.st_mode))
		r = err_set(err, EINVAL, "%s is not a regular file", path);
	if (r < 0 && file->fd >= 0)
		close(take_fd(file->fd));
	if (r < 0 && file->old)
		rename(file->old, file->path);
	return r;
}

void output_file_discard(struct output_file *file)
{
	if (file->fd >= 0)
		unlink(file->path);
	if (file->old)
		rename(file->old, file->path);
	output_file_fini(file);
}

void output_file_fini(struct output_file *file)
{
	free(file->path);
	free(file->old);
	*file = (struct output_file){.fd = -1};
}

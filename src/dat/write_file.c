/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a writer writes to, and what was there before. */
#include "dat/write_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/writer.h"
#include "util/mem.h"

static char *resolve(const char *path)
{
	char *full = realpath(path, NULL);
	cleanup_free char *here = full || path[0] == '/' ? NULL : getcwd(NULL, 0);

	if (full)
		return full;
	return here ? xasprintf("%s/%s", here, path) : xstrdup(path);
}

char *dat_writer_part(const char *path)
{
	cleanup_free char *full = resolve(path);

	return xasprintf("%s.%d.part", full, (int)getpid());
}

static int check_path(const struct output_file *file, const char *path, struct err *err)
{
	struct stat st;

	if (stat(file->path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s is not a regular file", path);
	return 0;
}

int output_file_open(struct output_file *file, const char *path, struct err *err)
{
	int r;

	*file = (struct output_file){.fd = -1, .path = resolve(path)};
	r = check_path(file, path, err);
	if (r < 0)
		return r;
	file->part = dat_writer_part(path);
	file->fd = open(file->part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	/* Who reads it meanwhile can tell a recording that runs from one that ended badly. */
	if (file->fd >= 0) {
		flock(file->fd, LOCK_EX | LOCK_NB);
		return 0;
	}
	r = errno;
	free(take_ptr(file->part));
	return err_sys(err, r, "cannot create %s", path);
}

/* An earlier recording is worth more than the name it has. With a second name first, there is a file
 * of that name at every moment. */
static int keep_earlier(struct output_file *file, struct err *err)
{
	cleanup_free char *old = NULL;
	struct stat st;

	if (stat(file->path, &st) < 0 || !st.st_size)
		return 0;
	old = xasprintf("%s.old", file->path);
	unlink(old);
	if (link(file->path, old) < 0 && rename(file->path, old) < 0)
		return err_sys(
			err, errno,
			"%s is there already and cannot be kept as %s; choose another file with -o",
			file->path, old);
	file->old = take_ptr(old);
	return 0;
}

int output_file_publish(struct output_file *file, struct err *err)
{
	int r = keep_earlier(file, err);

	if (r < 0)
		return r;
	if (rename(file->part, file->path) < 0)
		return err_sys(err, errno, "cannot create %s", file->path);
	free(take_ptr(file->part));
	return 0;
}

void output_file_discard(struct output_file *file)
{
	if (file->part)
		unlink(file->part);
	else if (file->fd >= 0 && !file->old)
		unlink(file->path);
	if (file->old)
		rename(file->old, file->path);
	output_file_fini(file);
}

void output_file_fini(struct output_file *file)
{
	free(file->path);
	free(file->part);
	free(file->old);
	*file = (struct output_file){.fd = -1};
}

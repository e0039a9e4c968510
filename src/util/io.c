/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and whole writes. */
#include "util/io.h"

#include <fcntl.h>
#include <unistd.h>

#include "util/mem.h"

int io_read_fd(int fd, struct strbuf *out)
{
	char chunk[65536];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		strbuf_add_mem(out, chunk, (size_t)n);
		if (n == 0)
			return 0;
	}
}

int io_read_file(const char *path, struct strbuf *out, struct err *err)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	r = io_read_fd(fd, out);
	if (r < 0)
		return err_sys(err, -r, "cannot read %s", path);
	return 0;
}

int io_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_pwrite_all(int fd, const void *data, size_t len, uint64_t offset)
{
	const char *at = data;

	while (len) {
		ssize_t n = pwrite(fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

ssize_t io_pread_all(int fd, void *data, size_t len, uint64_t offset)
{
	char *at = data;
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, at + got, len - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole reads and whole writes. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"
#include "util/str.h"

/* Reads to the end, short reads and EINTR included. 0, or -errno without text. */
int io_read_fd(int fd, struct strbuf *out);
/* The same for a path; the error names the path. @out is NUL-terminated. */
int io_read_file(const char *path, struct strbuf *out, struct err *err);
/* Writes all of it. 0, or -errno. */
int io_write_all(int fd, const void *data, size_t len);
int io_pwrite_all(int fd, const void *data, size_t len, uint64_t offset);
/* Reads up to @len bytes at @offset; fewer only at the end of the file. Bytes read, or -errno. */
ssize_t io_pread_all(int fd, void *data, size_t len, uint64_t offset);

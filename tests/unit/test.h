/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cmocka wants before it is included, once. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A new empty file, for the test to remove; caller frees the path. */
static inline char *test_file(void)
{
	char *path = strdup("/tmp/ft-unit-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

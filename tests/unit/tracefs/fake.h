/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that looks like tracefs: made for a group of tests, removed after it. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "tracefs/tracefs.h"
#include "util/mem.h"

struct fake {
	char dir[64];
	struct tfs *tfs;
};

/* Writes @file below the directory, with the directories on the way. */
static inline void fake_write(const struct fake *fake, const char *file, const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", fake->dir, file);
	FILE *f;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline int fake_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void fake_open(struct fake *fake)
{
	struct err err = {0};

	strcpy(fake->dir, "/tmp/ft-fake.XXXXXX");
	assert_non_null(mkdtemp(fake->dir));
	fake_write(fake, "current_tracer", "nop\n");
	fake->tfs = tfs_open(fake->dir, &err);
	if (!fake->tfs)
		fail_msg("%s", err.text);
}

static inline void fake_close(struct fake *fake)
{
	tfs_free(fake->tfs);
	nftw(fake->dir, fake_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

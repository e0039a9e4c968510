/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this module share and nobody else sees. */
#pragma once

#include "tracefs/tracefs.h"

struct tracefs_instance;

struct tfs {
	char *top;  /* the tracing directory */
	char *dir;  /* the same, or the instance's directory in it */
	char *name; /* the instance's name, NULL for the top level */
	struct tracefs_instance *handle;
};

/* Where tracefs is mounted according to the text of /proc/self/mountinfo: at /sys/kernel/tracing,
 * else anywhere, else as "tracing" in debugfs. NULL when it is not; caller frees. */
char *mounts_find_tracing(const char *mountinfo);

/* Path of @file below the directory; caller frees. */
char *tfs_path(const struct tfs *tfs, const char *file);
/* The same tracing directory without the instance; for files that only the top level has. Nothing
 * to free: it borrows from @tfs. */
struct tfs tfs_as_top(const struct tfs *tfs);

/* Adds the name of each entry of the directory at @path, without "." and "..", unsorted. */
int tfs_add_entries(const char *path, bool dirs_only, struct strv *out, struct err *err);

/* Says 0 for names that can be an instance's: not empty, no '/', not too long. */
int tfs_check_instance_name(const char *name, struct err *err);

/* Calls @visit for each line of @file as it comes, without its newline, until it returns true. */
typedef bool (*tfs_line_fn)(char *line, void *ctx);
int tfs_each_line(const struct tfs *tfs, const char *file, tfs_line_fn visit, void *ctx,
		  struct err *err);

/* The list of functions as it was read before, if it still holds. */
bool fncache_load(const struct tfs *tfs, struct strv *out);
/* Keeps @names for the next time; nothing happens where that is not possible. */
void fncache_save(const struct tfs *tfs, const struct strv *names);

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

/* One line of the kernel's list of functions. */
struct function {
	char *line;    /* "name" or "name [module]", in the table's text */
	size_t number; /* of the line, from 1 */
};

/* The list, ordered by lines and then by numbers, without those that are none. */
struct function_table {
	char *text;
	struct function *function;
	size_t nr;
};

/* Freed init code leaves "__ftrace_invalid_address___1234" behind, which is no function. */
bool is_function_line(const char *line);
/* Says what it means that there is no such list; other errors stay as they are. */
int explain_no_functions(const struct tfs *tfs, int r, struct err *err);

void function_table_fini(struct function_table *table);
/* Reads it, from the copy if that still holds; with @keep a copy is made for the next time. */
int function_table_read(const struct tfs *tfs, bool keep, struct function_table *out,
			struct err *err);
/* Only the copy: false where there is none that holds, or this process might not read the list itself. */
bool function_table_copy(const struct tfs *tfs, struct function_table *out);

/* The list of functions as it was read before, if it still holds. */
bool fncache_load(const struct tfs *tfs, struct function_table *out);
/* Keeps @table for the next time; nothing happens where that is not possible. */
void fncache_save(const struct tfs *tfs, const struct function_table *table);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracing files: where they are, what is in them, what went wrong with them. The only
 * user of libtracefs and of paths below the tracing directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/str.h"

/* The tracing directory, or one instance in it. Files are named relative to it:
 * "current_tracer", "events/sched/sched_switch/enable". */
struct tfs;

/* Finds the mounted tracefs (never mounts it): @dir if not NULL (--tracefs), else $FT_TRACEFS, else
 * /proc/self/mountinfo, the one at /sys/kernel/tracing first. The error says how to mount it, names
 * lockdown or the missing right where that is the cause. */
struct tfs *tfs_open(const char *dir, struct err *err);
/* The same files of instance @name, which must exist. NULL for an invalid or missing name. */
struct tfs *tfs_open_instance(const struct tfs *top, const char *name, struct err *err);
void tfs_free(struct tfs *tfs);
void tfs_freep(struct tfs **tfs);

const char *tfs_dir(const struct tfs *tfs);
/* The instance's name, NULL for the top level. */
const char *tfs_instance_name(const struct tfs *tfs);

/* True when the file is there, readable or not. */
bool tfs_has(const struct tfs *tfs, const char *file);
/* True when the file is there and one of its write bits is set. */
bool tfs_is_writable(const struct tfs *tfs, const char *file);

/* The whole file, short reads included; *text is the caller's to free. EPERM and EACCES say why
 * (not root, tracefs mode, lockdown). */
int tfs_read(const struct tfs *tfs, const char *file, char **text, struct err *err);
/* The same without trailing white space. */
int tfs_read_line(const struct tfs *tfs, const char *file, char **text, struct err *err);
int tfs_read_number(const struct tfs *tfs, const char *file, long *out, struct err *err);

enum tfs_write_flags {
	TFS_TRUNCATE = 1, /* open with O_TRUNC: empties set_* files first */
};
/* Writes @value: one write(2), and the rest after a short count, which files that take a word a
 * call give. set_ftrace_* lose a last word without blank or newline. On failure the text holds the
 * file, the value, the reason, and the kernel's error_log lines with their caret where there are
 * new ones. */
int tfs_write(const struct tfs *tfs, const char *file, const char *value, unsigned int flags,
	      struct err *err);
/* Opens @file below the directory, close-on-exec; descriptor or -errno with text. */
int tfs_open_file(const struct tfs *tfs, const char *file, int flags, struct err *err);

/* Makes instance @name (0700 umask rules of tracefs); EEXIST when it is there already. */
int tfs_instance_create(const struct tfs *top, const char *name, struct err *err);
int tfs_instance_remove(const struct tfs *top, const char *name, struct err *err);

/* CPUs that have a per_cpu directory, ascending; hotplugged ones included. Caller frees *cpus. */
int tfs_cpus(const struct tfs *tfs, unsigned int **cpus, size_t *nr, struct err *err);

/* Counters of per_cpu/cpuN/stats. */
struct tfs_cpu_stats {
	uint64_t entries;
	uint64_t overrun;
	uint64_t commit_overrun;
	uint64_t bytes;
	uint64_t dropped_events;
	uint64_t read_events;
};
int tfs_cpu_stats(const struct tfs *tfs, unsigned int cpu, struct tfs_cpu_stats *out,
		  struct err *err);
/* The text of that file, for the CPUSTAT option; caller frees. */
int tfs_cpu_stats_text(const struct tfs *tfs, unsigned int cpu, char **text, struct err *err);

/* Names. Lists are sorted and without doubles. */
int tfs_tracers(const struct tfs *tfs, struct strv *out, struct err *err);
int tfs_clocks(const struct tfs *tfs, struct strv *out, char **current, struct err *err);
int tfs_options(const struct tfs *tfs, struct strv *out, struct err *err);
int tfs_instances(const struct tfs *tfs, struct strv *out, struct err *err);
int tfs_systems(const struct tfs *tfs, struct strv *out, struct err *err);
/* "system:name" of every event. */
int tfs_events(const struct tfs *tfs, struct strv *out, struct err *err);
/* Traceable functions, module suffix kept as "name [module]"; EPERM where the kernel refuses. */
int tfs_functions(const struct tfs *tfs, struct strv *out, struct err *err);
/* The same without keeping a copy for the next time. */
int tfs_peek_functions(const struct tfs *tfs, struct strv *out, struct err *err);

/* How many of @names, as tfs_functions() gives them, are called @name. */
size_t tfs_count_name(const struct strv *names, const char *name);

/* What the user named by -e: "sys:name", "sys", "name", globs in either part. Adds every
 * "system:name" it stands for. -ENOENT with near names when it stands for none. */
int tfs_match_events(const struct tfs *tfs, const char *pattern, struct strv *out, struct err *err);
/* How many functions a name, glob or ":mod:name" stands for, counted from the kernel's list; stops
 * counting early at the first match for a literal name. -ENOENT with near names when it is none. */
int tfs_match_functions(const struct tfs *tfs, const char *pattern, size_t *nr, struct err *err);

/* The same for many at once: counts[i] belongs to patterns->item[i]. */
int tfs_count_functions(const struct tfs *tfs, const struct strv *patterns, size_t *counts,
			struct err *err);
/* True when a list of functions or processes names one; commands and remarks are none. It reads no
 * further than that: the whole of a long list takes the kernel seconds. */
bool tfs_list_holds(const struct tfs *tfs, const char *file);

/* Functions by the numbers of their lines in the kernel's list; set_ftrace_filter and
 * set_ftrace_notrace take those since 5.1, and find them much faster than names when there are many. */
struct tfs_numbered {
	struct strv tokens; /* the numbers, then what has none and stays as it is */
	struct strv lines;  /* what belongs to each number: "name" or "name [module]" */
};
void tfs_numbered_fini(struct tfs_numbered *numbered);
/* From names, and names with ":mod:module", of the tracing directory @dir. With @exact a token stands for
 * one line, and a name without module for a function of the kernel itself, as in what these files
 * show; without it for all that are called so. False where the list cannot be read. */
bool tfs_number_functions(const char *dir, const struct strv *tokens, bool exact,
			  struct tfs_numbered *out);

/* Lockdown mode in force: "none", "integrity", "confidentiality", or "unknown"; caller frees. */
char *tfs_lockdown(void);
/* The sentence that explains EPERM/EACCES on @path for this process: which right is missing or
 * which mode forbids it, and the remedy; caller frees. */
char *tfs_explain_denied(const char *path, int code);

/* One CPU's ring buffer in memory, by sub-buffers. It stays mapped without its file; while it is, the kernel refuses to
 * resize the buffer, and until the descriptor is closed another tracer, too. */
struct tfs_mapping {
	uint8_t *data; /* not to be written to */
	uint32_t page_size;
	uint32_t nr_pages;
	uint32_t reader;	/* the sub-buffer that is out of the ring */
	uint32_t reader_events; /* bytes of its events that are consumed */
	uint64_t overrun;	/* events that were overwritten so far */
	void *meta;
	size_t meta_size;
};

/* -EOPNOTSUPP where the kernel does not let it be mapped: older than 6.10, or its snapshot is in use. */
int tfs_mapping_open(const struct tfs *tfs, unsigned int cpu, struct tfs_mapping *out,
		     struct err *err);
void tfs_mapping_close(struct tfs_mapping *map);

/* The system and the text of the format of the event with this id, read from the events' files one by one; caller frees
 * both. -ENOENT without text when there is none. */
int tfs_format_of(const struct tfs *tfs, int id, char **system, char **format);

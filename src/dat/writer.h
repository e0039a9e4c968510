/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat version 7 while the events arrive: all metadata first, then each CPU's sub-buffers
 * in a region of its own of the one sparse file, closed up at the end. The file is readable at every
 * moment. Knows nothing of tracefs: who records brings the texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Borrowed bytes; need not end in NUL. {NULL, 0} where there are none. */
struct dat_blob {
	const void *data;
	size_t len;
};

/* The formats of one system's events; "ftrace" is no such system, it has a list of its own. */
struct dat_meta_system {
	const char *name;
	const struct dat_blob *format;
	size_t nr_formats;
};

/* An option as it goes into the file; see the manual page trace-cmd.dat.v7(5) for the ids. */
struct dat_meta_option {
	uint16_t id;
	struct dat_blob data;
};

/* One ring buffer: the first is the top one, with an empty name. The name is what a report shows
 * in front of each line; a private instance that stands for the top buffer has none. */
struct dat_meta_buffer {
	const char *name;
	const char *clock;	 /* one word, as "mono" */
	uint32_t page_size;	 /* of a sub-buffer, header included */
	const unsigned int *cpu; /* the CPUs that may have data, ascending */
	size_t nr_cpus;
};

/* What is known when a recording begins. Everything is borrowed and may be freed once
 * dat_writer_new() has returned. Texts that are not there are {NULL, 0} or NULL. */
struct dat_meta {
	bool big_endian;	/* byte order of the machine that records */
	unsigned int long_size; /* of its user space: 4 or 8 */
	unsigned int cpu_count; /* CPUs that there are, with or without data */
	struct dat_blob header_page;
	struct dat_blob header_event;
	const struct dat_blob *ftrace_format;
	size_t nr_ftrace_formats;
	const struct dat_meta_system *system;
	size_t nr_systems;
	struct dat_blob kallsyms;
	struct dat_blob printk_formats;
	const char *trace_clock;	      /* all clocks, the current one in brackets */
	const char *uname;		      /* "Linux HOST RELEASE MACHINE" */
	const char *version;		      /* of the program that records */
	uint64_t trace_id;		      /* 0: none */
	const struct dat_meta_option *option; /* further ones */
	size_t nr_options;
	const struct dat_meta_buffer *buffer;
	size_t nr_buffers;
	/* Bytes of saved_cmdlines to expect at the end, 0 for the usual number. With room for them
	 * at the front, ending a recording needs no further space on the disk. */
	size_t cmdlines_most;
};

/* What is known when a recording ends. */
struct dat_final {
	struct dat_blob cmdlines; /* lines of "PID COMM" */
	/* stats[b][i] is the text of per_cpu/cpuN/stats of buffer b and its i-th CPU; stats and
	 * stats[b] may be NULL. */
	const struct dat_blob *const *stats;
	const struct dat_meta_option *option;
	size_t nr_options;
};

/* What has become of it. */
struct dat_result {
	uint64_t file_size;
	uint64_t data; /* bytes of sub-buffers in it */
	bool sparse;   /* holes are left: the file system could not close them */
};

struct dat_writer;

/* Writes the file header and all metadata into the empty regular file @fd and finds out where the
 * regions can lie. @path is for messages. On success the writer owns @fd; else the caller does. */
struct dat_writer *dat_writer_new(int fd, const char *path, const struct dat_meta *meta,
				  struct err *err);

/* Where the sub-buffers of the @i-th CPU of buffer @b go: whole ones, one after the other from
 * *offset of *fd on (borrowed), *room bytes at most. */
void dat_writer_region(const struct dat_writer *w, size_t b, size_t i, int *fd, uint64_t *offset,
		       uint64_t *room);
/* Says that the region holds @bytes in all. One thread for each region; no lock is taken. */
void dat_writer_set_size(struct dat_writer *w, size_t b, size_t i, uint64_t bytes);
/* Adds sub-buffers behind what the region holds. On error the size stays as it was. */
int dat_writer_append(struct dat_writer *w, size_t b, size_t i, const void *data, size_t len,
		      struct err *err);
/* Puts the sizes as they are now into the file, so that every reader sees the events up to here.
 * Not at the same time as dat_writer_finish(). */
int dat_writer_checkpoint(struct dat_writer *w, struct err *err);

/* Completes the file once nothing is written into the regions any more. @result may be NULL; it is
 * filled on error, too: the file stays readable with what it holds then. */
int dat_writer_finish(struct dat_writer *w, const struct dat_final *final,
		      struct dat_result *result, struct err *err);
/* Closes the file and frees; an error of close() is one of writing. */
int dat_writer_close(struct dat_writer *w, struct err *err);
/* Frees without a word, for the ways out of an error; accepts NULL. */
void dat_writer_free(struct dat_writer *w);
/* For the cleanup attribute. */
void dat_writer_freep(struct dat_writer **w);

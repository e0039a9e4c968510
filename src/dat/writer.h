/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat, version 7 or 6, so that the file can be read at every moment: all metadata first, then
 * a region of one sparse file for each CPU, closed up at the end. Knows nothing of tracefs: who
 * records brings the texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dat/compress.h"
#include "util/err.h"
#include "util/str.h"

/* One event system with the texts of its format files. */
struct dat_meta_system {
	char *name;
	struct strv formats;
};

/* An option that goes into the file as it is; trace-cmd.dat.v7(5) tells the ids. Borrowed. */
struct dat_meta_option {
	uint16_t id;
	const void *data;
	size_t len;
};

/* All that the file says beside the events. Texts are owned. */
struct dat_meta {
	unsigned int file_version; /* 6; 7 for all else */
	bool big_endian;
	unsigned int long_size; /* of user space: 4 or 8 */
	uint32_t page_size;	/* bytes of a sub-buffer of the top buffer */
	uint32_t cpu_count;	/* the highest CPU number and one */
	uint64_t trace_id;
	char *header_page;
	char *header_event;
	struct strv ftrace_formats;
	struct dat_meta_system *system;
	size_t nr_systems;
	char *kallsyms; /* may be NULL, like the rest */
	char *printk_formats;
	char *trace_clock; /* text of the trace_clock file, the current one in brackets */
	char *uname;	   /* "sys node release machine" */
	char *version;	   /* of the recorder */
	const struct dat_meta_option *option; /* further ones; borrowed */
	size_t nr_options;
	/* Bytes of saved_cmdlines to expect at the end, 0 for the usual number. With room for them
	 * at the front, ending a recording needs no further space on the disk; version 6 has no other
	 * place for them. */
	size_t cmdlines_most;
	enum compress_kind
		compress; /* of texts and of events; the latter come by dat_writer_append() */
	int level;
};

void dat_meta_fini(struct dat_meta *meta);
struct dat_meta_system *dat_meta_add_system(struct dat_meta *meta, const char *name);

/* One ring buffer that will be in the file. The name is what a report shows in front of each line;
 * a private instance that stands for the top buffer has none. */
struct dat_buffer_spec {
	const char *name;  /* "" for the top buffer */
	const char *clock; /* "mono" */
	uint32_t page_size;
	const unsigned int *cpu; /* ascending */
	size_t nr_cpus;
	bool is_text; /* of a latency tracer: comes as a text at the end, and has no CPUs */
};

struct dat_writer;

/* Writes all metadata to @path and a table of the buffers, still without data. A file with contents
 * that is there already is kept as PATH.old. All is as before when that fails. @meta is borrowed for
 * this call only. */
struct dat_writer *dat_writer_create(const char *path, const struct dat_meta *meta,
				     const struct dat_buffer_spec *buffers, size_t nr_buffers,
				     struct err *err);

/* The same in two steps: until dat_writer_publish() the file has the name of dat_writer_part(), which
 * the caller frees. */
struct dat_writer *dat_writer_begin(const char *path, const struct dat_meta *meta,
				    const struct dat_buffer_spec *buffers, size_t nr_buffers,
				    struct err *err);
int dat_writer_publish(struct dat_writer *w, struct err *err);
char *dat_writer_part(const char *path);
/* Where the file that was there before is now; NULL when there was none. */
const char *dat_writer_old(const struct dat_writer *w);

/* Where CPU number @index of the buffer's list puts its sub-buffers; the region goes on for
 * dat_writer_region_size() bytes. */
uint64_t dat_writer_region(const struct dat_writer *w, size_t buffer, size_t index);
uint64_t dat_writer_region_size(const struct dat_writer *w);
int dat_writer_fd(const struct dat_writer *w);

/* Says how many bytes are in a region by now. One thread for each region; no lock is taken. */
void dat_writer_set_size(struct dat_writer *w, size_t buffer, size_t index, uint64_t bytes);
/* Adds whole sub-buffers behind what a region holds: in a compressed file as one chunk, made with @c,
 * which is NULL else. One thread at a time for each region. */
int dat_writer_append(struct dat_writer *w, size_t buffer, size_t index, const void *data,
		      size_t len, struct compressor *c, struct err *err);
/* Bytes of events in the file by now. */
uint64_t dat_writer_bytes(const struct dat_writer *w);
/* Brings the table in the file up to date, in place: what has been told can be read from now on,
 * whatever happens to this process. Not at the same time as dat_writer_finish(). */
int dat_writer_checkpoint(struct dat_writer *w, struct err *err);

/* What is only known at the end. Texts are borrowed. */
struct dat_tail {
	const char *cmdlines;	    /* text of saved_cmdlines; may be NULL */
	const struct strv *cpustat; /* "CPU: N" and the counters, one text a CPU; may be NULL */
	const char *text;	    /* of the buffer that is_text; NULL is an empty one */
	const struct dat_meta_option *option;
	size_t nr_options;
};

/* Closes the regions up, writes the tail and the final table. What the file takes is in *size. Where the
 * file system cannot take holes out and has no room for a copy, they stay, and do not count. On failure
 * the text says how much is in the file, which stays readable. */
int dat_writer_finish(struct dat_writer *w, const struct dat_tail *tail, uint64_t *size,
		      struct err *err);

/* Closes the file; a failure of close(2) is told. @w is freed in any case. */
int dat_writer_close(struct dat_writer *w, struct err *err);
/* Removes the file, and puts back what was there before: nothing was recorded. @w is freed. */
void dat_writer_discard(struct dat_writer *w);
void dat_writer_freep(struct dat_writer **w);

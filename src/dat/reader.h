/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads trace.dat, versions 6 and 7: everything but the events, which dat/page.h walks. Trusts no byte: what is
 * damaged is left out and named in the findings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dat/compress.h"
#include "dat/cursor.h"
#include "util/err.h"
#include "util/str.h"

/* Borrowed from the reader; need not end in NUL. */
struct dat_text {
	const char *text;
	size_t len;
};

struct dat_format {
	const char *system;
	struct dat_text text;
};

struct dat_extent {
	uint64_t offset;
	uint64_t size;
};

/* Where the sub-buffers of one CPU lie. */
struct dat_cpu {
	uint32_t cpu;
	uint64_t offset;
	uint64_t size; /* bytes in the file, cut to what is there */
	/* The pieces of them where they do not lie together, as in a saved stream; else NULL. */
	struct dat_extent *extent;
	size_t nr_extents;
};

/* One ring buffer of the recording: the top one has an empty name. */
struct dat_buffer {
	char *name;
	char *clock;
	uint32_t page_size;
	uint32_t cpu_count; /* as trace-cmd prints it: CPUs, with or without data */
	bool compressed;
	uint64_t data_at;     /* where version 7 has its section's body; 0: not known */
	uint64_t data_end;    /* where version 7 says that its section ends; 0: not known */
	bool is_cut;	      /* the file ends before the data of some CPU do */
	bool is_text;	      /* latency tracers: the text of the trace file instead of events */
	struct dat_text text; /* only when is_text */
	struct dat_cpu *cpu;
	size_t nr_cpus;
};

struct dat_cpustat {
	struct dat_text text;
};

/* A piece of the file that is read when it is needed. */
struct dat_lazy {
	uint64_t offset;
	uint64_t size;
	bool compressed;
	bool present;
};

struct dat_reader {
	char *path;
	int fd;
	uint64_t size; /* of the file when it was opened */
	int version;
	bool big_endian;
	unsigned int long_size; /* of the kernel that recorded */
	uint32_t page_size;	/* of the top buffer */
	uint32_t page_data;	/* where the events begin in a sub-buffer: 16 or 12 */
	enum compress_kind compress;
	const char *compress_name;
	uint64_t body; /* offset behind the file header */

	struct dat_text header_page;
	struct dat_text header_event;
	struct dat_format *format;
	size_t nr_formats;
	size_t room_formats;
	struct dat_lazy kallsyms;
	struct dat_text printk;
	struct dat_text cmdlines;

	uint32_t cpu_count;
	const char *uname;
	const char *recorder; /* version text of the program that recorded */
	const char *trace_clock;
	struct dat_text *cpustat;
	size_t nr_cpustats;
	struct dat_text *hook;
	size_t nr_hooks;
	struct strv facts; /* lines of facts.h */
	struct dat_text procmaps;
	struct dat_text btf; /* enum names and such, as ft keeps them */
	int64_t date_offset_us;
	int64_t offset;
	bool is_unfinished; /* no one has ended the recording: it runs, or ended badly */
	bool is_running;    /* its file is still being written */
	bool has_date;
	bool has_tsc2nsec;
	uint32_t tsc_mult;
	uint32_t tsc_shift;
	uint64_t tsc_offset;
	uint64_t trace_id;

	struct dat_buffer *buffer; /* the top buffer first, where there is one */
	size_t nr_buffers;
	struct dat_arena arena;
	struct strv findings; /* what is damaged or missing, a line each */
};

/* Opens @path and reads all metadata. NULL when it is no trace.dat, or so damaged that no event can be decoded. */
struct dat_reader *dat_reader_open(const char *path, struct err *err);
/* The same of a file that its users know as @name. */
struct dat_reader *dat_reader_open_as(const char *path, const char *name, struct err *err);
void dat_reader_close(struct dat_reader *r);
/* For the cleanup attribute. */
void dat_reader_closep(struct dat_reader **r);

/* The symbols; loaded at each call, so call it once. The text is the caller's to change and lives as long as the reader.
 * NULL and *len 0 when there are none. */
char *dat_reader_kallsyms(struct dat_reader *r, size_t *len);

/* True when times are no nanoseconds (counter and the like). */
bool dat_clock_is_raw(const struct dat_reader *r, const struct dat_buffer *buffer);

/* Walks over all sections of a version 7 file; what does not fit goes to the findings. */
void dat_check_sections(struct dat_reader *r);

/* Adds a line to the findings. Not for several threads at once. */
void dat_finding(struct dat_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

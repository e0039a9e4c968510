/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of recordings: what is wanted, as plain data, and the functions that make it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dat/reader.h"
#include "dat/source.h"
#include "decode/decode.h"
#include "out/sink.h"
#include "util/err.h"
#include "util/str.h"

/* An end of a time window. */
enum report_time_kind {
	REPORT_TIME_NONE,
	REPORT_TIME_ABSOLUTE,	/* in the times that the report prints */
	REPORT_TIME_FROM_START, /* behind the first event */
	REPORT_TIME_FROM_END,	/* before the last event */
};

struct report_time {
	enum report_time_kind kind;
	uint64_t ns;
	bool is_printed; /* stands for all times that are printed alike */
	bool is_whole; /* a number without point and unit: so many ticks where the clock is a counter */
	uint64_t ticks;
};

/* What a filter may look at. */
struct report_view {
	struct decode *dec;
	const struct event *event; /* NULL when the file has no format for it */
	const struct raw_event *raw;
	const struct decode_common *common;
	const char *comm;
	const char *instance; /* "" for the top buffer */
	const char *file;
	bool raw_clock; /* times are ticks of a counter */
};

/* The function of -F. Called by several threads at once. */
typedef bool report_match(void *ctx, const struct report_view *view);
/* Prepares -F for a file before its events are read: the formats are known now. 0 or -errno. */
typedef int report_bind(void *ctx, struct decode *dec, struct err *err);

/* How a wait for events has ended. */
enum report_wait {
	REPORT_WAIT_END,     /* the report shall end with what is there */
	REPORT_WAIT_NOTHING, /* a part of a stream is not there yet */
	REPORT_WAIT_LOOK,    /* there may be something to read */
};

/* A running kernel, or a pipe, in the place of files. Called by one thread at a time, where it says nothing else. */
struct report_live {
	void *ctx;
	const char *name; /* in messages */
	/* The texts; handed out once. NULL with text. */
	struct dat_reader *(*open)(void *ctx, struct err *err);
	/* Symbols and late formats: decode.h. By any thread. NULL: the reader has them. */
	struct decode_buffer (*load_kallsyms)(void *ctx);
	bool (*load_format)(void *ctx, int id, struct decode_format *format);
	/* Adds "system:name" of all events that there are beyond those of the reader. NULL: none. */
	void (*list_events)(void *ctx, struct strv *names);

	/* What is in the buffer of a CPU now; the report frees it. Not asked for where there is read();
	 * without both the reader has all events. */
	struct page_source *(*source)(void *ctx, uint32_t cpu);

	/* To consume what comes: fills @page, a whole sub-buffer of the buffer of that name. 1, 0 when there is nothing now, -errno. */
	int (*read)(void *ctx, const char *buffer, uint32_t cpu, uint8_t *page, struct err *err);
	/* Waits for events up to @timeout_ms. */
	enum report_wait (*wait)(void *ctx, int out_fd, int timeout_ms);
	/* What read() gives between two waits for parts was taken out of the buffers in one go; a part
	 * without events says that there were none. */
	bool in_parts;
	/* Waits until something can be written to @out_fd. False when the report shall end. */
	bool (*wait_room)(void *ctx, int out_fd);
	/* The names of tasks as of now; caller frees. */
	char *(*cmdlines)(void *ctx);
	/* Says why nothing comes into the buffer, if so; where a look found it empty. May be NULL. */
	void (*tell_idle)(void *ctx);
};

struct input;

struct report_config {
	struct strv files; /* at least one, or none with ->live */
	const struct report_live *live;
	const struct sink_ops *sink; /* NULL: text */
	struct sink_style style;

	const unsigned int *cpus; /* NULL: all */
	size_t nr_cpus;
	const int *pids; /* NULL: all */
	size_t nr_pids;
	struct strv comms;     /* globs; empty: all */
	struct strv events;    /* NAME, SYSTEM or SYSTEM:NAME, globs; empty: all */
	struct strv instances; /* names; "top" or "" for the top buffer; empty: all */
	report_bind *bind;     /* may be NULL */
	report_match *match;   /* may be NULL; false leaves the event out */
	void *match_ctx;
	struct report_time since;
	struct report_time until;

	/* Called when the files are open, before their events are read; may walk them. May be NULL. */
	int (*prepare)(void *ctx, struct input *in, struct err *err);
	void *prepare_ctx;

	/* For a sink without share(): what its make() gets. */
	struct sink_shared *sink_shared;

	bool raw_time;	  /* neither offsets nor TSC conversion */
	bool no_date;	  /* leaves the offset of --date out */
	bool file_names;  /* names of comms only as trace-cmd would know them */
	int threads;	  /* at most; 0: as many as pay */
	bool slice_small; /* several threads even where one is quicker; for tests */

	/* What the user should read on stderr, a line each. May be NULL. */
	void (*message)(void *ctx, const char *text);
	void *message_ctx;
};

/* The report itself. 0 when all of the files was read, 1 when something was missing or damaged and said so through
 * message(), -errno when nothing could be done. A closed pipe ends it quietly. */
int report_run(const struct report_config *config, int out_fd, struct err *err);

/* The same answers as report_run(), for single questions. */
int report_stat(const struct report_config *config, int out_fd, struct err *err);
int report_uname(const struct report_config *config, int out_fd, struct err *err);
int report_version(const struct report_config *config, int out_fd, struct err *err);
int report_events(const struct report_config *config, int out_fd, struct err *err);
/* First and last event of each CPU. */
int report_first_last(const struct report_config *config, bool first, bool last, int out_fd,
		      struct err *err);
/* How the print formats of the events were taken, a line for each type that occurs. */
int report_plans(const struct report_config *config, int out_fd, struct err *err);

/* Reads the whole file and prints a line for each thing that is not sound. 0 sound, 1 not. */
int report_check(const struct report_config *config, int out_fd, struct err *err);

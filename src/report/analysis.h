/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports that put out numbers about all events instead of each event. */
#pragma once

#include "out/table.h"
#include "report/report.h"
#include "report/stats.h"

struct input;
struct analysis;

struct analysis_ops {
	/* Before the first event: the files are open. May be NULL. */
	int (*open)(struct analysis *a, const struct input *in, struct err *err);
	void (*event)(struct analysis *a, const struct sink_event *event);
	/* Behind the last event. 0, 1 when it has nothing to say and said so, -errno. */
	int (*end)(struct analysis *a, struct table_out *out, struct err *err);
	void (*free)(struct analysis *a);
};

/* The first member of each of them. */
struct analysis {
	const struct analysis_ops *ops;
	const struct report_config *config;
	const struct input *in;
	const struct sink_source *source;
	size_t nr_sources;
	struct gaps *gaps;  /* by source */
	uint64_t last_time; /* of all events that were read */
};

void analysis_freep(struct analysis **a);
/* A line for the user, if anybody listens. */
void analysis_tell(const struct analysis *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The column that says which buffer of several a row is about; empty in a report of one. */
#define ANALYSIS_BUFFER                             \
	{                                           \
		"buffer", "BUFFER", CELL_TEXT, true \
	}
void analysis_put_buffer(const struct analysis *a, unsigned int source, struct table_cell *cell);

/* Hands every wanted event of the open files to @a, and ends it. 0, 1 or -errno. */
int analysis_walk(struct analysis *a, const struct report_config *config, struct input *in,
		  struct table_out *out, struct err *err);
/* Opens the files, walks, writes, and frees @a. As report_run(). */
int analysis_run(struct analysis *a, const struct report_config *config, enum table_format format,
		 int out_fd, struct err *err);

/* --sections */
struct analysis *sections_new(void);

/* --syscalls */
struct analysis *syscalls_new(void);

/* --profile */
struct analysis *profile_new(void);

/* --between */
struct between_config {
	const char *from; /* event, event[filter], or a marker's text; globs */
	const char *to;
	const char *by; /* NULL: the thread; "cpu", "any", FIELD, or FIELD=FIELD */
	size_t nr_worst;
};

/* NULL with text when one of them is wrong. Borrows the texts. */
struct analysis *between_new(const struct between_config *config, struct err *err);

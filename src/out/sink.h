/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a form of output implements. A report makes one sink for each of its threads. */
#pragma once

#include "decode/decode.h"
#include "out/graph.h"
#include "util/outbuf.h"

/* One ring buffer whose events a sink gets: what it says about all of them. */
struct sink_source {
	struct decode *dec;
	const char *prefix; /* "" or what each line begins with when there are several */
	const char *name;   /* of the instance, "" for the top buffer */
	const char *file;
	unsigned int nr_cpus; /* as recorded */
	bool raw_clock;	      /* times are no nanoseconds */
	bool big_endian;
	unsigned int long_size;
};

/* How lines look, whatever the form. */
struct sink_style {
	bool latency;	  /* -l: flags, short names */
	bool raw;	  /* -R: field=value */
	bool nanoseconds; /* -t */
	bool ts_diff;
};

/* One event, ready to be put out. */
struct sink_event {
	const struct event *event; /* NULL when the file has no format for its id */
	const struct raw_event *raw;
	/* Of a graph entry: the return that follows it and belongs to it; NULL for all else. */
	const struct raw_event *leaf;
	/* Where the fields of graph events are; kind is GRAPH_NONE for other events. */
	const struct graph_fields *graph;
	const struct graph_fields *leaf_graph;
	struct decode_common common;
	unsigned int source;
	const char *comm;
	/* Where the sink may keep what it knows of this event type, the same for all events of one type and file. It is NULL
	 * at first, and the sink's to free. */
	void **notes;
};

struct sink;
/* What all sinks of one report share. */
struct sink_shared;

struct sink_ops {
	const char *name;
	/* True when a line depends on the one before it, so that slices cannot be made side by side. */
	bool (*is_serial)(const struct sink_style *style);
	struct sink_shared *(*share)(void); /* may be NULL, with unshare */
	void (*unshare)(struct sink_shared *shared);
	struct sink *(*make)(const struct sink_source *source, size_t nr_sources,
			     const struct sink_style *style, struct sink_shared *shared);
	void (*free)(struct sink *sink);
	/* Once, by one sink, before and after all events. May be NULL. */
	void (*begin)(struct sink *sink, struct outbuf *out);
	void (*end)(struct sink *sink, struct outbuf *out);
	void (*event)(struct sink *sink, const struct sink_event *event, struct outbuf *out);
	/* Events were lost where no event says so: in front of one that is not wanted, or at the end of a CPU, then @where
	 * has only its cpu, its missed and the time of the last one. May be NULL. */
	void (*lost)(struct sink *sink, const struct raw_event *where, unsigned int source,
		     struct outbuf *out);
	/* Every event that is read, before event() and whether it is wanted or not: for what is lost. May be NULL. */
	void (*see)(struct sink *sink, const struct raw_event *raw, unsigned int source);
	/* For events whose output depends on earlier ones: when slices are made side by side, all events of a slice
	 * that need it pass through one sink first, slice after slice in order, and event() of another uses what was
	 * found. Those of a CPU come in their order. scan_rewind() comes before the first of a slice, with @forget, and
	 * before a slice's event()s are called again. scan_swap() exchanges what one sink found, in *@found, for what
	 * another has left, NULL for nothing; the last is freed by scan_free(). All may be NULL. */
	bool (*needs_scan)(const struct sink *sink, const struct event *event);
	void (*scan)(struct sink *sink, const struct sink_event *event);
	void (*scan_rewind)(struct sink *sink, bool forget);
	void (*scan_swap)(struct sink *sink, void **found);
	void (*scan_free)(void *found);
};

struct sink {
	const struct sink_ops *ops;
};

extern const struct sink_ops text_sink;

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way of events through a report: merged, chosen, joined, and handed to a sink. One for each thread. */
#pragma once

#include "out/graph.h"
#include "report/merge.h"

/* What is known about an event type, found at its first event. */
struct walk_event {
	const struct event *event; /* NULL: the file has no format for this id */
	struct graph_fields graph;
	bool wanted;
	bool needs_scan;
	uint64_t count;
	void *notes; /* of the sink */
};

/* A file's event types by id. */
struct walk_types {
	struct walk_event **event;
	size_t nr;
	bool plain_common; /* little endian in the usual places: id 0-1, flags 2, preempt count 3, pid 4-7 */
};

struct walk_comm {
	const char *comm;
	struct input_file *file;
	int pid;
};

struct walk {
	const struct report_config *config;
	struct input *in;
	struct merge merge;
	struct sink *sink;
	struct outbuf out;
	struct walk_types *types;
	struct walk_comm *comm; /* a cache */
	/* Where names of tasks come from when they may change; NULL when unknown. May be NULL. */
	const char *(*find_comm)(void *ctx, int pid);
	void *find_comm_ctx;
	uint64_t until; /* events behind it are left out */
	uint64_t nr_events;
	bool all_wanted;	 /* of the types that are wanted */
	bool lane_per_cpu;	 /* no CPU has events in two buffers */
	bool stop_scan;		 /* an event that needs scan() ends the walk */
	bool met_scan;		 /* and it did */
} __attribute__((aligned(128))); /* each thread has its own: see xzalloc_apart() */

void walk_init(struct walk *w, const struct report_config *config, struct input *in,
	       struct sink_shared *shared);
void walk_fini(struct walk *w);
/* Puts out events until @out holds about @room bytes or none is left before @end. False when none is left. */
bool walk_some(struct walk *w, size_t room, uint64_t end);
/* Gives the events before @end to scan() of the sink. Each lane stands at its first event from @end on, the merge has to
 * be started anew. */
void walk_scan(struct walk *w, uint64_t end);
/* Puts out what was lost or unreadable behind the last event of each CPU. */
void walk_tail(struct walk *w);
/* Adds the names of the events that were printed as name=value, for want of a print format that can be followed. */
void walk_list_fields(const struct walk *w, struct strv *names);
/* Brings a lane to its first event from @ts on, for a walk that begins where another ended: a return that the other has
 * joined to its entry is passed over. */
void walk_seek(struct walk *w, struct lane *lane, uint64_t ts);
/* True when a sub-buffer holds an event that needs scan(). The lane stands anywhere afterwards. */
bool walk_page_needs_scan(struct walk *w, struct lane *lane, uint64_t page);
/* Empties the cache of names, so that find_comm() is asked again. */
void walk_forget_comms(struct walk *w);
/* Says which events had no format. */
void walk_tell_unknown(struct walk *w);

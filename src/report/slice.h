/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report's time line in slices that several threads make and one writes in order. */
#pragma once

#include "report/walk.h"

/* Events with since <= ts < end. */
struct report_window {
	uint64_t since;
	uint64_t end;
};

void report_window_find(const struct report_config *config, const struct input *in,
			struct report_window *window);
/* Says so when a window was wanted that lies wholly before or behind all events. */
bool report_window_is_beside(const struct report_config *config, const struct input *in,
			     const struct report_window *window);
/* Brings all streams to their first event from @since on and starts the merge. */
void report_window_enter(struct walk *w, uint64_t since);

/* How many threads should make slices: 1 when more do not pay or the sink needs the events one after the other. */
unsigned int slice_threads(const struct report_config *config, const struct input *in);
/* True when events need scan(): all of the file is walked twice then. */
bool slice_needs_scan(struct walk *walk);
/* The whole window by @nr threads. The first of @walk is used by the caller's thread, and there is one more than threads, for
 * scan(); @preface is written first.
 * 0 or -errno of the write. */
int slice_run(struct walk *walk, unsigned int nr, const struct report_window *window, int out_fd,
	      struct outbuf *preface);

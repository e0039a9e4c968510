/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --inside and --around: only what happened in parts of the time. */
#pragma once

#include "report/report.h"

struct windows_config {
	const char *inside; /* a glob over names of sections; NULL without */
	const char
		*around; /* as a selector: event, EVENT[FILTER], or a marker's text; NULL without */
	uint64_t before; /* of --around */
	uint64_t after;
};

struct windows;

/* One of the two texts must be there; both are borrowed. NULL with text. */
struct windows *windows_new(const struct windows_config *config, struct err *err);
void windows_freep(struct windows **w);
/* Makes a report leave out all else: takes over its prepare and match. @config must stay. */
void windows_apply(struct windows *w, struct report_config *config);
/* True when a thread was inside at a time, in any file. */
bool windows_hold(const struct windows *w, int tid, uint64_t ts);

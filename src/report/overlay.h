/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text report with samples of perf between its lines. */
#pragma once

#include "report/perf_script.h"
#include "report/report.h"
#include "report/windows.h"

extern const struct sink_ops overlay_sink;

/* What the sink is told through the config's sink_shared. The caller fills the first two, and ->windows. */
struct overlay {
	const struct perf_script *script;
	const char *name; /* of the script */
	const struct report_config *config;
	const struct windows *windows; /* NULL without --inside and --around */
	uint64_t since;
	uint64_t end; /* behind the last time that is wanted */
	size_t next;  /* the first sample that is not put out yet */
	/* What the report had before. */
	int (*prepare)(void *ctx, struct input *in, struct err *err);
	void *prepare_ctx;
};

/* Makes the report put the samples in. @config must stay. */
void overlay_apply(struct overlay *overlay, struct report_config *config);

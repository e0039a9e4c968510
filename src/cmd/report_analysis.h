/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of ft report that ask for numbers instead of events. */
#pragma once

#include "report/report.h"

struct analysis_args {
	bool sections;
	struct strv between; /* pairs */
	char *by;
	uint64_t worst;
	bool json;
	bool tsv;
};

/* Their rows, for struct report_args with a member "analysis" of the type above. */
#define ANALYSIS_OPTIONS                                                                                 \
	OPT_GROUP("Numbers about the events"),                                                           \
		OPT_FLAG(0, "sections", struct report_args, analysis.sections,                           \
			 "how often and how long: what markers begin and end"),                          \
		{                                                                                        \
			.name = "between",                                                               \
			.kind = OPT_KIND_LIST,                                                           \
			.metavar = "A B",                                                                \
			.offset = OPT_FIELD(struct report_args, analysis.between, struct strv),          \
			.hint = HINT_EVENT,                                                              \
			.takes_two = true,                                                               \
			.help = "the time from each A to the next B: events, EVENT[FILTER], or markers", \
		},                                                                                       \
		OPT_STRING(0, "by", struct report_args, analysis.by, "FIELD", HINT_NONE,                 \
			   "A and B belong together by this: cpu, any, FIELD or FIELD=FIELD"),           \
		OPT_NUMBER(0, "worst", struct report_args, analysis.worst, "N",                          \
			   "show the N longest; 5 by default"),                                          \
		OPT_FLAG(0, "json", struct report_args, analysis.json, "numbers as JSON"),               \
		OPT_FLAG(0, "tsv", struct report_args, analysis.tsv,                                     \
			 "numbers as lines of values with a TAB between them")

/* True when numbers are asked for. */
bool analysis_args_any(const struct analysis_args *args);
/* Looks at the arguments alone. */
int analysis_args_check(const struct analysis_args *args, struct err *err);
/* As report_run(). */
int analysis_args_run(const struct analysis_args *args, const struct report_config *config,
		      int out_fd, struct err *err);

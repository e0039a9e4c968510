/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of ft report that ask for numbers instead of events. */
#pragma once

#include "report/overlay.h"
#include "report/report.h"

struct analysis_args {
	bool sections;
	bool syscalls;
	bool profile;
	char *inside;
	char *around;
	uint64_t before;
	uint64_t after;
	char *merge;
	struct strv between; /* pairs */
	char *by;
	uint64_t worst;
	bool json;
	bool tsv;
};

/* Their rows, for struct report_args with a member "analysis" of the type above. */
#define ANALYSIS_OPTIONS                                                                                 \
	OPT_GROUP("Parts of the time, and other tools"),                                                 \
		OPT_STRING(0, "inside", struct report_args, analysis.inside, "SECTION", HINT_NONE,       \
			   "only what happened in this section, by the name its markers give"),          \
		OPT_STRING(0, "around", struct report_args, analysis.around, "MARKER", HINT_EVENT,       \
			   "only what happened around this marker, event or EVENT[FILTER]"),             \
		OPT_DURATION(0, "before", struct report_args, analysis.before, "TIME",                   \
			     "with --around: from so long before it; 1ms by default"),                   \
		OPT_DURATION(0, "after", struct report_args, analysis.after, "TIME",                     \
			     "with --around: to so long behind it; 1ms by default"),                     \
		OPT_STRING(0, "merge", struct report_args, analysis.merge, "SCRIPT", HINT_FILE,          \
			   "put in what perf script -F comm,tid,cpu,time,event,ip,sym printed"),         \
		OPT_GROUP("Numbers about the events"),                                                   \
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
		OPT_FLAG(0, "syscalls", struct report_args, analysis.syscalls,                           \
			 "system calls by name: how often, how long, with which errors"),                \
		OPT_FLAG(0, "profile", struct report_args, analysis.profile,                             \
			 "the sums of functions, system calls and events"),                              \
		OPT_STRING(0, "by", struct report_args, analysis.by, "FIELD", HINT_NONE,                 \
			   "A and B belong together by this: cpu, any, FIELD or FIELD=FIELD"),           \
		OPT_NUMBER(0, "worst", struct report_args, analysis.worst, "N",                          \
			   "show the N longest; 5 by default"),                                          \
		OPT_FLAG(0, "json", struct report_args, analysis.json, "numbers as JSON"),               \
		OPT_FLAG(0, "tsv", struct report_args, analysis.tsv,                                     \
			 "numbers as lines of values with a TAB between them")

/* What --inside, --around and --merge hold while a report is made. */
struct analysis_parts {
	struct windows *windows;
	struct perf_script script;
	struct overlay overlay;
};

/* Makes @config leave out and put in what these options say. Reads the script of --merge. */
int analysis_args_apply(const struct analysis_args *args, struct analysis_parts *parts,
			struct report_config *config, struct err *err);
void analysis_parts_fini(struct analysis_parts *parts);

/* True when one of these options is given. */
bool analysis_args_choose(const struct analysis_args *args);
/* True when numbers are asked for. */
bool analysis_args_any(const struct analysis_args *args);
/* Looks at the arguments alone. */
int analysis_args_check(const struct analysis_args *args, bool has_input, struct err *err);
/* As report_run(). */
int analysis_args_run(const struct analysis_args *args, const struct report_config *config,
		      int out_fd, struct err *err);

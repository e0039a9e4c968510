/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of perf script -F comm,tid,cpu,time,event,ip,sym. */
#pragma once

#include "util/err.h"
#include "util/str.h"

struct perf_sample {
	uint64_t ts;
	int tid;
	uint32_t cpu;
	const char *comm; /* texts lie in ->text of the script */
	const char *event;
	const char *
		symbol; /* where it was, "" when the script has no ip; then its callers, nr_frames in all */
	size_t nr_frames;
};

struct perf_script {
	struct strbuf text;
	struct perf_sample *sample; /* by time; equal ones as in the script */
	size_t nr;
	size_t room;
	size_t nr_unknown; /* lines that are none of all this */
	bool is_micro;	   /* no time had more than six digits: perf script --ns has nine */
};

/* Takes the text apart; it is changed. -EINVAL when there is no sample in it. @name is for errors. */
int perf_script_parse(struct perf_script *script, const char *name, struct err *err);
/* Reads the file, or standard input for "-". */
int perf_script_read(struct perf_script *script, const char *path, struct err *err);
void perf_script_fini(struct perf_script *script);
/* The frame behind @symbol. */
const char *perf_next_frame(const char *symbol);

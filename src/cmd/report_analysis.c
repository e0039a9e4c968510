/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which analysis the options of ft report ask for. */
#include "cmd/report_analysis.h"

#include <unistd.h>

#include "report/analysis.h"
#include "util/mem.h"

bool analysis_args_any(const struct analysis_args *args)
{
	return args->sections || args->between.nr || args->syscalls || args->profile;
}

static int check_one(const struct analysis_args *args, struct err *err)
{
	int nr = args->sections + (args->between.nr > 0) + args->syscalls + args->profile;

	if (nr > 1)
		return err_set(
			err, EINVAL,
			"--sections, --between, --syscalls and --profile are a report each: give one");
	if (args->between.nr > 2)
		return err_set(err, EINVAL, "--between can be given once");
	if ((args->by || args->worst) && !args->between.nr)
		return err_set(err, EINVAL, "--%s is for --between", args->by ? "by" : "worst");
	if (args->json && args->tsv)
		return err_set(err, EINVAL, "--json and --tsv exclude each other");
	if ((args->json || args->tsv) && !nr)
		return err_set(err, EINVAL,
			       "--%s is for --sections, --between, --syscalls and --profile",
			       args->json ? "json" : "tsv");
	return 0;
}

static int check_parts(const struct analysis_args *args, struct err *err)
{
	if (args->inside && args->around)
		return err_set(err, EINVAL, "--inside and --around exclude each other");
	if ((args->before || args->after) && !args->around)
		return err_set(err, EINVAL, "--%s is for --around",
			       args->before ? "before" : "after");
	if (args->merge && analysis_args_any(args))
		return err_set(err, EINVAL, "--merge is for events, not for numbers about them");
	return 0;
}

/* 1 ms on both sides where nothing is said; nothing on the side that is not named. */
static struct windows *make_windows(const struct analysis_args *args, struct err *err)
{
	bool is_bare = !args->before && !args->after;
	struct windows_config config = {
		.inside = args->inside,
		.around = args->around,
		.before = is_bare ? 1000000 : args->before,
		.after = is_bare ? 1000000 : args->after,
	};

	return windows_new(&config, err);
}

bool analysis_args_choose(const struct analysis_args *args)
{
	return args->inside || args->around || args->merge;
}

int analysis_args_apply(const struct analysis_args *args, struct analysis_parts *parts,
			struct report_config *config, struct err *err)
{
	if (args->inside || args->around) {
		parts->windows = make_windows(args, err);
		if (!parts->windows)
			return -err->code;
		windows_apply(parts->windows, config);
	}
	if (!args->merge)
		return 0;
	parts->overlay = (struct overlay){
		.script = &parts->script, .name = args->merge, .windows = parts->windows};
	overlay_apply(&parts->overlay, config);
	return perf_script_read(&parts->script, args->merge, err);
}

void analysis_parts_fini(struct analysis_parts *parts)
{
	windows_freep(&parts->windows);
	perf_script_fini(&parts->script);
}

static struct analysis *make(const struct analysis_args *args, struct err *err)
{
	struct between_config between = {
		.by = args->by,
		.nr_worst = args->worst ? args->worst : 5,
	};

	if (args->sections)
		return sections_new();
	if (args->syscalls)
		return syscalls_new();
	if (args->profile)
		return profile_new();
	between.from = args->between.item[0];
	between.to = args->between.item[1];
	return between_new(&between, err);
}

/* `--between A trace.dat`: the file went for B. */
static int check_words(const struct analysis_args *args, bool has_input, struct err *err)
{
	const char *last = args->between.nr ? args->between.item[1] : NULL;

	if (!last || has_input || access(last, F_OK) < 0)
		return 0;
	return err_set(
		err, EINVAL,
		"--between takes A and B, and '%s' is a file: give the second event before it",
		last);
}

int analysis_args_check(const struct analysis_args *args, bool has_input, struct err *err)
{
	cleanup(analysis_freep) struct analysis *a = NULL;
	cleanup(windows_freep) struct windows *windows = NULL;
	int r = check_one(args, err);

	if (r == 0)
		r = check_words(args, has_input, err);
	if (r == 0)
		r = check_parts(args, err);
	if (r == 0 && (args->inside || args->around)) {
		windows = make_windows(args, err);
		r = windows ? 0 : -err->code;
	}

	if (r < 0 || !analysis_args_any(args))
		return r;
	a = make(args, err);
	return a ? 0 : -err->code;
}

int analysis_args_run(const struct analysis_args *args, const struct report_config *config,
		      int out_fd, struct err *err)
{
	enum table_format format = args->json ? TABLE_JSON : args->tsv ? TABLE_TSV : TABLE_TEXT;
	struct analysis *a = make(args, err);

	return a ? analysis_run(a, config, format, out_fd, err) : -err->code;
}

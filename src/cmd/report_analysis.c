/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which analysis the options of ft report ask for. */
#include "cmd/report_analysis.h"

#include "report/analysis.h"
#include "util/mem.h"

bool analysis_args_any(const struct analysis_args *args)
{
	return args->sections || args->between.nr;
}

static int check_one(const struct analysis_args *args, struct err *err)
{
	int nr = args->sections + (args->between.nr > 0);

	if (nr > 1)
		return err_set(err, EINVAL, "--sections and --between are a report each: give one");
	if (args->between.nr > 2)
		return err_set(err, EINVAL, "--between can be given once");
	if ((args->by || args->worst) && !args->between.nr)
		return err_set(err, EINVAL, "--%s is for --between", args->by ? "by" : "worst");
	if (args->json && args->tsv)
		return err_set(err, EINVAL, "--json and --tsv exclude each other");
	if ((args->json || args->tsv) && !nr)
		return err_set(err, EINVAL, "--%s is for --sections and --between",
			       args->json ? "json" : "tsv");
	return 0;
}

static struct analysis *make(const struct analysis_args *args, struct err *err)
{
	struct between_config between = {
		.by = args->by,
		.nr_worst = args->worst ? args->worst : 5,
	};

	if (args->sections)
		return sections_new();
	between.from = args->between.item[0];
	between.to = args->between.item[1];
	return between_new(&between, err);
}

int analysis_args_check(const struct analysis_args *args, struct err *err)
{
	cleanup(analysis_freep) struct analysis *a = NULL;
	int r = check_one(args, err);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracers of functions that nothing holds back. */
#include "cmd/whole.h"

#include <string.h>

#include "util/mem.h"

/* What narrows each tracer down. Lists of what is kept out leave too much. */
static const struct {
	const char *tracer;
	const char *file;
} lists[] = {
	{"function", "set_ftrace_filter"},	  {"function", "set_ftrace_pid"},
	{"function_graph", "set_ftrace_filter"},  {"function_graph", "set_ftrace_pid"},
	{"function_graph", "set_graph_function"},
};

/* Whether the list names anything when the steps are done. */
static bool will_hold(const struct tfs *tfs, const char *file, const struct steps *steps)
{
	for (size_t i = steps ? steps->nr : 0; i-- > 0;) {
		const struct step *step = &steps->step[i];

		if ((step->kind == STEP_LIST || step->kind == STEP_ADD) &&
		    !strcmp(step->file, file))
			return step->value[0];
	}
	return tfs_list_holds(tfs, file);
}

bool whole_is_traced(const struct tfs *tfs, const char *tracer, const struct steps *steps)
{
	bool is_function_tracer = false;

	for (size_t i = 0; i < array_size(lists); i++) {
		if (strcmp(lists[i].tracer, tracer))
			continue;
		is_function_tracer = true;
		if (will_hold(tfs, lists[i].file, steps))
			return false;
	}
	return is_function_tracer;
}

bool whole_is_traced_now(const struct tfs *tfs, char **tracer)
{
	return tfs_read_line(tfs, "current_tracer", tracer, NULL) == 0 &&
	       whole_is_traced(tfs, *tracer, NULL);
}

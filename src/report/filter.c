/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of filters: parsed once, bound to each file, asked for each event. */
#include "report/filter.h"

#include <stdlib.h>

#include "report/filter_match.h"
#include "util/mem.h"

/* The set in one file. */
struct bound {
	const struct decode *dec;
	struct filter_binding *binding;
	size_t nr;
	struct filter_program program;
};

struct filter_set {
	struct filter **filter;
	size_t nr;
	struct bound *bound;
	size_t nr_bound;
};

struct filter_set *filter_set_new(void)
{
	return xzalloc(sizeof(struct filter_set));
}

static void bound_fini(struct bound *bound)
{
	filter_program_fini(&bound->program);
	filter_bindings_free(bound->binding, bound->nr);
}

void filter_set_free(struct filter_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->nr_bound; i++)
		bound_fini(&set->bound[i]);
	for (size_t i = 0; i < set->nr; i++)
		filter_free(set->filter[i]);
	free(set->bound);
	free(set->filter);
	free(set);
}

bool filter_set_is_empty(const struct filter_set *set)
{
	return !set->nr;
}

int filter_set_add(struct filter_set *set, const char *text, bool exclude, struct err *err)
{
	struct filter *filter = filter_parse(text, exclude, err);

	if (!filter)
		return -EINVAL;
	set->filter = xrealloc(set->filter, (set->nr + 1) * sizeof(struct filter *));
	set->filter[set->nr++] = filter;
	return 0;
}

static struct bound *find_bound(struct filter_set *set, const struct decode *dec)
{
	for (size_t i = 0; i < set->nr_bound; i++)
		if (set->bound[i].dec == dec)
			return &set->bound[i];
	return NULL;
}

int filter_set_bind(void *ctx, struct decode *dec, struct err *err)
{
	struct filter_set *set = ctx;
	struct bound *bound = find_bound(set, dec);

	/* A file may be opened where an earlier one was in memory. */
	if (bound) {
		bound_fini(bound);
	} else {
		set->bound = xrealloc(set->bound, (set->nr_bound + 1) * sizeof(*set->bound));
		bound = &set->bound[set->nr_bound++];
	}
	*bound = (struct bound){.dec = dec, .nr = set->nr};
	return filter_bind(set->filter, set->nr, dec, &bound->binding, &bound->program, err);
}

bool filter_set_match(void *ctx, const struct report_view *view)
{
	const struct filter_set *set = ctx;
	const struct bound *bound = set->bound;
	const struct filter_program *program;
	int32_t at;

	while (bound < set->bound + set->nr_bound && bound->dec != view->dec)
		bound++;
	if (bound == set->bound + set->nr_bound)
		return false;
	program = &bound->program;
	at = program->other;
	if (view->event && (size_t)view->event->id < program->nr_entries)
		at = program->entry[view->event->id];
	return at >= 0 ? filter_run(program->test, at, view) : at == FILTER_KEEP;
}

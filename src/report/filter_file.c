/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What filters ask a decoder for: events by a word of their format, functions by name. */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "report/filter.h"
#include "report/filter_bind.h"
#include "util/mem.h"

static void add_range(struct filter_ranges *ranges, uint64_t start, uint64_t end)
{
	struct filter_range *last = ranges->nr ? &ranges->range[ranges->nr - 1] : NULL;

	if (last && start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return;
	}
	/* Room doubles whenever the number is a power of two. */
	if (!(ranges->nr & (ranges->nr - 1)))
		ranges->range = xrealloc(ranges->range, (ranges->nr ? ranges->nr * 2 : 1) *
								sizeof(*ranges->range));
	ranges->range[ranges->nr++] = (struct filter_range){start, end};
}

/* What is looked for among the functions, and what was found. */
struct search {
	enum filter_op op;
	struct filter_value pattern;
	const regex_t *regex;
	struct filter_ranges *out;
	struct strv *names; /* of all functions, when not NULL */
};

static void visit_function(void *ctx, const struct decode_function *function)
{
	struct search *search = ctx;

	if (search->names && function->is_text)
		strv_add(search->names, function->name);
	if (!search->names && filter_text_matches(search->op, &search->pattern, search->regex,
						  function->name, strlen(function->name)))
		add_range(search->out, function->start, function->end);
}

int filter_find_functions(struct decode *dec, enum filter_op op, const struct filter_word *word,
			  const regex_t *regex, struct filter_ranges *out, char **near)
{
	cleanup(strv_fini) struct strv names = {0};
	struct search search = {
		.op = op,
		.pattern = {.text = word->text, .len = strlen(word->text)},
		.regex = regex,
		.out = out,
	};

	if (op == FILTER_NE)
		search.op = FILTER_EQ;
	if (op == FILTER_NOT_REGEX)
		search.op = FILTER_REGEX;
	decode_visit_symbols(dec, visit_function, &search);
	if (out->nr)
		return 0;
	search.names = &names;
	if (search.op == FILTER_EQ)
		decode_visit_symbols(dec, visit_function, &search);
	*near = near_names(word->text, &names);
	return -ENOENT;
}

static void add_fields(struct strv *out, const struct event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		strv_add(out, event->field[i].name);
}

void filter_names(struct decode *dec, const char *system, const char *event, struct strv *out)
{
	size_t nr = dec ? decode_find(dec, system, event, NULL, 0) : 0;
	cleanup_free const struct event **found = xcalloc(nr + 1, sizeof(struct event *));

	for (int i = 0; i < FILTER_NO_SPECIAL; i++)
		strv_add(out, filter_special_name((enum filter_special)i));
	if (nr)
		decode_find(dec, system, event, found, nr);
	for (size_t i = 0; i < nr; i++)
		add_fields(out, found[i]);
	strv_sort(out);
	strv_uniq(out);
}

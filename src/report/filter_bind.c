/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters meet a file: which events they are about, which fields their names are, and the program for each event. */
#include "report/filter_bind.h"

#include <stdlib.h>
#include <string.h>

#include "report/filter.h"
#include "util/mem.h"
#include "util/str.h"

static void add_event(void *ctx, const struct event *event)
{
	struct filter_binding *b = ctx;

	if (event->id < 0 || event->id >= FILTER_IDS || filter_has_id(b, event->id))
		return;
	b->has[event->id / 8] |= (uint8_t)(1 << event->id % 8);
	b->event = xrealloc(b->event, (b->nr_events + 1) * sizeof(struct event *));
	b->event[b->nr_events++] = event;
}

static size_t add_matching(struct filter_binding *b, const char *system, const char *name)
{
	size_t nr = decode_find(b->dec, system, name, NULL, 0);
	cleanup_free const struct event **found = xcalloc(nr + 1, sizeof(struct event *));

	if (nr)
		decode_find(b->dec, system, name, found, nr);
	for (size_t i = 0; i < nr; i++)
		add_event(b, found[i]);
	return nr;
}

/* All that EVENTS may name: as SYSTEM:NAME when the wrong one has a system, else names and systems. */
static char *near_events(struct decode *dec, const struct filter_event *wrong)
{
	size_t nr = decode_find(dec, "*", "*", NULL, 0);
	cleanup_free const struct event **event = xcalloc(nr + 1, sizeof(struct event *));
	cleanup_free char *text = NULL;
	cleanup(strv_fini) struct strv names = {0};

	if (nr)
		decode_find(dec, "*", "*", event, nr);
	for (size_t i = 0; i < nr; i++) {
		if (wrong->system) {
			strv_add_take(&names, xasprintf("%s:%s", event[i]->system, event[i]->name));
			continue;
		}
		strv_add(&names, event[i]->name);
		strv_add(&names, event[i]->system);
	}
	strv_sort(&names);
	strv_uniq(&names);
	if (wrong->system)
		text = xasprintf("%s:%s", wrong->system, wrong->name);
	return near_names(text ? text : wrong->name, &names);
}

/* What is read as SYSTEM:EVENT and was meant as EVENT: FIELD. */
static int missing_comparison(const struct filter *filter, const struct filter_event *event,
			      struct err *err)
{
	size_t at = event->at + strlen(event->text);

	/* Nothing stands behind the colon. */
	if (event->text[strlen(event->text) - 1] == ':')
		return filter_error(err, filter->text, at,
				    "an expression is missing behind the ':'; all events of "
				    "that name are chosen without it");
	return filter_error(err, filter->text, at,
			    "after '%.60s' a comparison is missing: == != < <= > >= & ~ =~ !~",
			    event->name);
}

static int find_named(struct filter_binding *b, struct err *err)
{
	const struct filter *filter = b->filter;

	for (size_t i = 0; i < filter->nr_events; i++) {
		const struct filter_event *event = &filter->event[i];
		cleanup_free char *near = NULL;
		size_t nr = add_matching(b, event->system ? event->system : "*", event->name);

		if (!event->system)
			nr += add_matching(b, event->name, "*");
		if (nr)
			continue;
		if (event->system && decode_find(b->dec, "*", event->system, NULL, 0))
			return missing_comparison(filter, event, err);
		near = near_events(b->dec, event);
		return filter_error(err, filter->text, event->at, "no event %.100s in the file%s",
				    event->text, near);
	}
	return 0;
}

static void add_word_events(struct filter_binding *b, const struct filter_word *word)
{
	if (word->name && !word->quote && !filter_is_special(b->filter, word))
		decode_visit_events(b->dec, word->name, add_event, b);
}

/* Without EVENTS: those that may have one of the fields. */
static void find_by_fields(struct filter_binding *b, const struct filter_node *node)
{
	for (size_t i = 0; i < node->nr; i++)
		find_by_fields(b, node->child[i]);
	if (node->kind != FILTER_NODE_COMPARE)
		return;
	add_word_events(b, &node->left);
	if (node->op < FILTER_GLOB)
		add_word_events(b, &node->right);
}

static int unknown_field(const struct filter_binding *b, const struct filter_word *word,
			 struct err *err)
{
	const struct filter *filter = b->filter;
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;

	if (!filter->nr_events)
		filter_names(b->dec, "*", "*", &names);
	else
		filter_names(NULL, NULL, NULL, &names);
	for (size_t i = 0; filter->nr_events && i < b->nr_events; i++)
		for (size_t j = 0; j < b->event[i]->nr_fields; j++)
			strv_add(&names, b->event[i]->field[j].name);
	near = near_names(word->name, &names);
	if (filter->nr_events && b->nr_events == 1)
		return filter_error(err, filter->text, word->at, "event %s has no field %.60s%s",
				    b->event[0]->name, word->name, near);
	return filter_error(err, filter->text, word->at, "no event %s a field %.60s%s",
			    filter->nr_events ? "of these has" : "of the file has", word->name,
			    near);
}

/* Whether any event has the left side, and whether the right side is a name beside it. */
static int check_names(struct filter_binding *b, const struct filter_node *node, struct err *err)
{
	struct filter_compare *compare;
	bool may_be_name = node->right.name && !node->right.quote && node->op < FILTER_GLOB;
	bool known = false;
	int ret = 0;

	for (size_t i = 0; i < node->nr && !ret; i++)
		ret = check_names(b, node->child[i], err);
	if (node->kind != FILTER_NODE_COMPARE)
		return ret;
	compare = &b->compare[node->number];
	for (size_t i = 0; i <= b->nr_events; i++) {
		const struct event *event = i < b->nr_events ? b->event[i] : NULL;
		struct filter_side left;
		struct filter_side right;

		/* Without EVENTS a filter also is for what has no format. */
		if (!event && b->filter->nr_events)
			continue;
		left = filter_resolve(b, &node->left, event);
		known |= left.class != FILTER_CLASS_MISSING;
		if (!may_be_name)
			continue;
		right = filter_resolve(b, &node->right, event);
		compare->right_is_name |= filter_same_class(&left, &right);
	}
	return known ? 0 : unknown_field(b, &node->left, err);
}

static int binding_init(struct filter_binding *b, const struct filter *filter, struct decode *dec,
			struct err *err)
{
	*b = (struct filter_binding){.filter = filter, .dec = dec};
	b->has = xzalloc(FILTER_IDS / 8);
	b->compare = xcalloc(filter->nr_compares + 1, sizeof(*b->compare));
	if (find_named(b, err) < 0)
		return -EINVAL;
	if (!filter->nr_events)
		find_by_fields(b, filter->root);
	return filter->root ? check_names(b, filter->root, err) : 0;
}

void filter_bindings_free(struct filter_binding *binding, size_t nr)
{
	for (size_t i = 0; binding && i < nr; i++) {
		struct filter_binding *b = &binding[i];

		for (size_t c = 0; b->compare && c < b->filter->nr_compares; c++) {
			free(b->compare[c].error);
			free(b->compare[c].ranges.range);
		}
		free(b->compare);
		free(b->has);
		free(b->event);
	}
	free(binding);
}

/* Where tests go on, seen from inside of so many !. */
struct ways {
	int32_t on_true;
	int32_t on_false;
	bool negated;
};

struct maker {
	struct filter_program *program;
	struct filter_binding *b;
	const struct event *event;
};

static int32_t add_test(struct filter_program *program, const struct filter_test *test)
{
	if (program->nr == program->room) {
		program->room = program->room ? program->room * 2 : 64;
		program->test = xrealloc(program->test, program->room * sizeof(*program->test));
	}
	program->test[program->nr] = *test;
	return (int32_t)program->nr++;
}

/* A comparison without its field is not true, and neither is its opposite. */
static int32_t make_compare(struct maker *m, const struct filter_node *node, struct ways ways)
{
	int32_t on_missing = ways.negated ? ways.on_true : ways.on_false;
	struct filter_test test;

	switch (filter_compile(m->b, node, m->event, &test)) {
	case FILTER_OUTCOME_TRUE:
		return ways.on_true;
	case FILTER_OUTCOME_FALSE:
		return ways.on_false;
	case FILTER_OUTCOME_MISSING:
		return on_missing;
	default:
		break;
	}
	test.on_true = ways.on_true;
	test.on_false = ways.on_false;
	test.on_missing = on_missing;
	return add_test(m->program, &test);
}

/* Makes the tests of @node from the last to the first, so that each knows where it goes on; returns the first. */
static int32_t make(struct maker *m, const struct filter_node *node, struct ways ways)
{
	struct ways turned = {ways.on_false, ways.on_true, !ways.negated};
	struct ways part = ways;
	int32_t at;

	switch (node->kind) {
	case FILTER_NODE_COMPARE:
		return make_compare(m, node, ways);
	case FILTER_NODE_NOT:
		return make(m, node->child[0], turned);
	case FILTER_NODE_ALL:
		at = ways.on_true;
		for (size_t i = node->nr; i-- > 0;) {
			part.on_true = at;
			at = make(m, node->child[i], part);
		}
		return at;
	default:
		at = ways.on_false;
		for (size_t i = node->nr; i-- > 0;) {
			part.on_false = at;
			at = make(m, node->child[i], part);
		}
		return at;
	}
}

static bool has_includes(struct filter **filter, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!filter[i]->exclude)
			return true;
	return false;
}

/* Adds the filters of one kind in front of @next, which is where an event goes that none of them matches. */
static int32_t make_filters(struct filter_program *program, struct filter_binding *binding,
			    size_t nr, const struct event *event, bool exclude, int32_t next)
{
	int32_t end = exclude ? FILTER_DROP : FILTER_KEEP;

	for (size_t i = nr; i-- > 0;) {
		const struct filter *filter = binding[i].filter;
		struct maker m = {program, &binding[i], event};

		if (filter->exclude != exclude)
			continue;
		if (filter->nr_events && !(event && filter_has_id(&binding[i], event->id)))
			continue;
		next = filter->root ? make(&m, filter->root, (struct ways){end, next, false}) : end;
	}
	return next;
}

static int32_t make_program(struct filter_program *program, struct filter **filter,
			    struct filter_binding *binding, size_t nr, const struct event *event)
{
	int32_t at = has_includes(filter, nr) ? FILTER_DROP : FILTER_KEEP;

	at = make_filters(program, binding, nr, event, false, at);
	return make_filters(program, binding, nr, event, true, at);
}

static void make_programs(struct filter_program *program, struct filter **filter,
			  struct filter_binding *binding, size_t nr)
{
	cleanup_free uint8_t *done = xzalloc(FILTER_IDS / 8);

	for (size_t i = 0; i < nr; i++)
		for (size_t e = 0; e < binding[i].nr_events; e++)
			if ((size_t)binding[i].event[e]->id >= program->nr_entries)
				program->nr_entries = (size_t)binding[i].event[e]->id + 1;
	program->entry = xcalloc(program->nr_entries + 1, sizeof(*program->entry));
	program->other = make_program(program, filter, binding, nr, NULL);
	for (size_t id = 0; id < program->nr_entries; id++)
		program->entry[id] = program->other;
	for (size_t i = 0; i < nr; i++) {
		for (size_t e = 0; e < binding[i].nr_events; e++) {
			const struct event *event = binding[i].event[e];

			if (done[event->id / 8] >> event->id % 8 & 1)
				continue;
			done[event->id / 8] |= (uint8_t)(1 << event->id % 8);
			program->entry[event->id] =
				make_program(program, filter, binding, nr, event);
		}
	}
}

/* A comparison that no event can do would never be true, in silence. */
static int check_usable(const struct filter_binding *b, struct err *err)
{
	for (size_t i = 0; i < b->filter->nr_compares; i++) {
		const struct filter_compare *compare = &b->compare[i];

		if (compare->usable || !compare->error)
			continue;
		if (err)
			*err = *compare->error;
		return -EINVAL;
	}
	return 0;
}

int filter_bind(struct filter **filter, size_t nr, struct decode *dec, struct filter_binding **out,
		struct filter_program *program, struct err *err)
{
	struct filter_binding *binding = xcalloc(nr + 1, sizeof(*binding));
	int ret = 0;

	*program = (struct filter_program){0};
	*out = binding;
	for (size_t i = 0; i < nr; i++)
		binding[i].filter = filter[i];
	for (size_t i = 0; i < nr && !ret; i++)
		ret = binding_init(&binding[i], filter[i], dec, err);
	if (ret < 0)
		return ret;
	make_programs(program, filter, binding, nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = check_usable(&binding[i], err);
	return ret;
}

void filter_program_fini(struct filter_program *program)
{
	free(program->test);
	free(program->entry);
	*program = (struct filter_program){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One comparison of a filter for one event type: what its sides are, and whether they can be compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter_bind.h"
#include "util/mem.h"
#include "util/str.h"

static const struct filter_side special_sides[] = {
	[FILTER_COMM] = {FILTER_CLASS_TEXT, {.from = FILTER_FROM_COMM}, .type = "a text"},
	[FILTER_PID] = {FILTER_CLASS_NUMBER,
			{.from = FILTER_FROM_PID, .is_signed = true},
			.size = 4,
			.type = "int"},
	[FILTER_CPU] = {FILTER_CLASS_NUMBER,
			{.from = FILTER_FROM_CPU},
			.size = 4,
			.type = "unsigned int"},
	[FILTER_TIME] = {FILTER_CLASS_NUMBER,
			 {.from = FILTER_FROM_TIME},
			 .size = 8,
			 .is_time = true,
			 .type = "a time"},
};

static bool is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct filter_side element_side(const struct filter_word *word,
				       const struct decode_field *field)
{
	bool is_fixed = !field->is_dynamic && !field->is_relative && field->size;
	struct filter_side side = {.class = FILTER_CLASS_ARRAY, .type = field->type};

	if (field->nr_texts) {
		if ((uint64_t)word->index < field->nr_texts)
			side.class = FILTER_CLASS_TEXT;
		side.value = (struct filter_value){
			.from = FILTER_FROM_TEXT, .index = (uint32_t)word->index, .field = field};
		return side;
	}
	if (!is_integer_size(field->elem_size) ||
	    (is_fixed && (uint64_t)word->index >= field->size / field->elem_size))
		return side;
	side.class = FILTER_CLASS_NUMBER;
	side.size = field->elem_size;
	side.value = (struct filter_value){.from = FILTER_FROM_ELEMENT,
					   .is_signed = field->is_signed,
					   .index = (uint32_t)word->index,
					   .field = field};
	return side;
}

static struct filter_side field_side(const struct decode_field *field)
{
	struct filter_side side = {.class = FILTER_CLASS_ARRAY,
				   .value = {.from = FILTER_FROM_FIELD, .field = field},
				   .size = field->size,
				   .type = field->type};
	bool is_array = field->is_array || field->is_dynamic || field->is_relative;

	if (field->is_string || (is_array && field->elem_size == 1)) {
		side.class = FILTER_CLASS_TEXT;
		return side;
	}
	if (is_array || !is_integer_size(field->size))
		return side;
	side.class = FILTER_CLASS_NUMBER;
	side.value.is_signed = field->is_signed && !field->is_pointer;
	side.is_char_pointer = field->is_pointer && strstr(field->type, "char");
	side.is_address = !side.value.is_signed &&
			  (field->size == 8 || (field->size == 4 && (field->is_pointer ||
								     strstr(field->type, "long"))));
	return side;
}

bool filter_is_special(const struct filter *filter, const struct filter_word *word)
{
	bool always;

	return word->index < 0 && filter_find_special(word->name, &always) != FILTER_NO_SPECIAL &&
	       (always || !filter->nr_events);
}

/* Small letters are the field's where EVENTS are named and have such a field, as the kernel has it. */
struct filter_side filter_resolve(const struct filter_binding *b, const struct filter_word *word,
				  const struct event *event)
{
	const struct decode_field *field = NULL;
	enum filter_special special;
	bool always;

	if (event && !filter_is_special(b->filter, word))
		field = event_field(event, word->name);
	if (field && word->index >= 0)
		return element_side(word, field);
	if (field)
		return field_side(field);
	special = filter_find_special(word->name, &always);
	if (special == FILTER_NO_SPECIAL || word->index >= 0)
		return (struct filter_side){.class = FILTER_CLASS_MISSING};
	return special_sides[special];
}

bool filter_same_class(const struct filter_side *a, const struct filter_side *b)
{
	return a->class == b->class &&
	       (a->class == FILTER_CLASS_NUMBER || a->class == FILTER_CLASS_TEXT);
}

/* One comparison while it is compiled for one event. */
struct job {
	struct filter_binding *b;
	const struct filter_node *node;
	const struct event *event;
	struct filter_compare *compare;
	struct filter_test *test;
	struct filter_side left;
};

/* Keeps the first reason; the filter is in error when no event can be compared. */
#define refuse(job, at, ...)                                                                    \
	({                                                                                      \
		struct filter_compare *compare_ = (job)->compare;                               \
		if (!compare_->error) {                                                         \
			compare_->error = xzalloc(sizeof(struct err));                          \
			filter_error(compare_->error, (job)->b->filter->text, at, __VA_ARGS__); \
		}                                                                               \
		FILTER_OUTCOME_MISSING;                                                         \
	})

static enum filter_outcome use(struct job *job, enum filter_outcome outcome)
{
	job->compare->usable++;
	return outcome;
}

/* The value that no number of the field's type has, on the side where it lies. */
static enum filter_outcome beyond(enum filter_op op, bool is_below)
{
	switch (op) {
	case FILTER_NE:
		return FILTER_OUTCOME_TRUE;
	case FILTER_LT:
	case FILTER_LE:
		return is_below ? FILTER_OUTCOME_FALSE : FILTER_OUTCOME_TRUE;
	case FILTER_GT:
	case FILTER_GE:
		return is_below ? FILTER_OUTCOME_TRUE : FILTER_OUTCOME_FALSE;
	default:
		return FILTER_OUTCOME_FALSE;
	}
}

static uint64_t ones(uint32_t size)
{
	return size >= 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

/* Fits @number into the type; false when it has no such value. */
static bool fit(const struct filter_number *number, uint32_t size, bool is_signed, bool is_mask,
		uint64_t *out)
{
	uint64_t all = ones(size);
	uint64_t most = is_signed ? all >> 1 : all;

	*out = number->is_negative ? -number->magnitude : number->magnitude;
	if (number->is_negative)
		return is_signed && number->magnitude <= most + 1;
	if (number->magnitude <= most)
		return true;
	/* 0xffffffff is a way to write an int's -1. */
	if (number->magnitude > all || !(number->is_bits || is_mask))
		return false;
	if (!is_mask)
		*out |= ~all;
	return true;
}

static enum filter_outcome compile_number(struct job *job, const struct filter_number *number)
{
	struct filter_value *right = &job->test->right;
	bool is_signed = job->left.value.is_signed && !job->test->is_masked;
	enum filter_op op = job->node->op;

	*right = (struct filter_value){.from = FILTER_FROM_LITERAL, .is_signed = is_signed};
	if (fit(number, job->left.size, is_signed, op == FILTER_BITS, &right->number))
		return use(job, FILTER_OUTCOME_TEST);
	refuse(job, job->node->right.at, "%s (%s) is never %.60s", job->node->left.text,
	       job->left.type, job->node->right.text);
	return beyond(op, number->is_negative);
}

static enum filter_outcome compile_time(struct job *job)
{
	struct filter_time *time = &job->test->time;
	const char *text = job->node->right.text;

	job->test->kind = FILTER_TEST_TIME;
	time->is_printed = is_printed_time(text);
	time->is_whole = parse_u64(text, &time->ticks);
	if (filter_parse_time(&job->node->right, &time->ns))
		return use(job, FILTER_OUTCOME_TEST);
	return refuse(job, job->node->right.at,
		      "'%.60s' is not a time (like 5.25, 100ms, 2500us: seconds without a unit)",
		      job->node->right.text);
}

static enum filter_outcome compile_function(struct job *job)
{
	const struct filter_node *node = job->node;
	struct filter_compare *compare = job->compare;
	cleanup_free char *near = NULL;

	if (!compare->has_ranges)
		filter_find_functions(job->b->dec, node->op, &node->right, node->regex,
				      &compare->ranges, &near);
	compare->has_ranges = true;
	if (!compare->ranges.nr)
		return refuse(job, node->right.at,
			      "%s (%s) is a number, and the file has no function %.60s%s",
			      node->left.text, job->left.type, node->right.text, near ? near : "");
	job->test->kind = FILTER_TEST_ADDRESS;
	job->test->ranges = &compare->ranges;
	return use(job, FILTER_OUTCOME_TEST);
}

static enum filter_outcome compile_text(struct job *job)
{
	const struct filter_node *node = job->node;

	job->test->kind = FILTER_TEST_TEXT;
	job->test->regex = node->regex;
	if (!job->compare->right_is_name)
		job->test->right = (struct filter_value){.from = FILTER_FROM_LITERAL,
							 .text = node->right.text,
							 .len = strlen(node->right.text)};
	if (node->op != FILTER_EQ && node->op != FILTER_NE && node->op < FILTER_GLOB)
		return refuse(job, node->op_at,
			      "%s is a text: only == != ~ =~ !~ compare it, not %s",
			      node->left.text, filter_op_name(node->op));
	if (node->mask.text)
		return refuse(job, node->mask.at, "%s is a text and has no bits", node->left.text);
	return use(job, FILTER_OUTCOME_TEST);
}

/* A text beside a number: the name of a function, what a char pointer points to, or an error. */
static enum filter_outcome compile_mixed(struct job *job)
{
	const struct filter_node *node = job->node;
	bool is_text_op = node->op == FILTER_EQ || node->op == FILTER_NE || node->op >= FILTER_GLOB;
	struct filter_number number;

	if (is_text_op && !node->mask.text && job->left.is_char_pointer) {
		job->test->left.from = FILTER_FROM_PRINTK;
		return compile_text(job);
	}
	if (is_text_op && !node->mask.text && job->left.is_address)
		return compile_function(job);
	if (node->op >= FILTER_GLOB)
		return refuse(job, node->op_at, "%s (%s) is a number: %s compares texts",
			      node->left.text, job->left.type, filter_op_name(node->op));
	if (strchr("0123456789+-", node->right.text[0]) && !node->right.quote &&
	    !filter_parse_number(&node->right, &number))
		return refuse(job, node->right.at, "'%.60s' is not a number", node->right.text);
	return refuse(job, node->right.at, "'%.60s' is a text, but %s (%s) is a number",
		      node->right.text, node->left.text, job->left.type);
}

static enum filter_outcome compile_literal(struct job *job)
{
	const struct filter_node *node = job->node;
	struct filter_number number;

	if (job->left.class == FILTER_CLASS_TEXT)
		return compile_text(job);
	if (node->op >= FILTER_GLOB)
		return compile_mixed(job);
	if (job->left.is_time && !job->test->is_masked)
		return compile_time(job);
	if (filter_parse_number(&node->right, &number))
		return compile_number(job, &number);
	return compile_mixed(job);
}

static enum filter_outcome compile_names(struct job *job)
{
	const struct filter_node *node = job->node;
	struct filter_side right = filter_resolve(job->b, &node->right, job->event);

	if (right.class == FILTER_CLASS_MISSING)
		return FILTER_OUTCOME_MISSING;
	if (!filter_same_class(&job->left, &right))
		return refuse(job, node->op_at, "%s (%s) and %s (%s) cannot be compared",
			      node->left.text, job->left.type, node->right.text, right.type);
	job->test->right = right.value;
	if (job->left.class == FILTER_CLASS_TEXT)
		return compile_text(job);
	return use(job, FILTER_OUTCOME_TEST);
}

enum filter_outcome filter_compile(struct filter_binding *b, const struct filter_node *node,
				   const struct event *event, struct filter_test *test)
{
	struct job job = {b, node, event, &b->compare[node->number], test, {0}};
	struct filter_number mask;

	job.left = filter_resolve(b, &node->left, event);
	if (job.left.class == FILTER_CLASS_MISSING)
		return FILTER_OUTCOME_MISSING;
	*test = (struct filter_test){
		.kind = FILTER_TEST_NUMBER, .op = node->op, .left = job.left.value};
	if (job.left.class == FILTER_CLASS_ARRAY && node->left.index >= 0)
		return refuse(&job, node->left.at, "%s (%s) has no such element", node->left.text,
			      job.left.type);
	if (job.left.class == FILTER_CLASS_ARRAY)
		return refuse(&job, node->left.at,
			      "%s (%s) is no single value: name an element, like %s[0]",
			      node->left.text, job.left.type, node->left.text);
	if (node->mask.text && job.left.class == FILTER_CLASS_NUMBER) {
		if (!filter_parse_number(&node->mask, &mask))
			return refuse(&job, node->mask.at, "'%.60s' is not a number",
				      node->mask.text);
		test->is_masked = true;
		test->mask = mask.is_negative ? -mask.magnitude : mask.magnitude;
		test->mask &= ones(job.left.size);
	}
	if (b->compare[node->number].right_is_name)
		return compile_names(&job);
	return compile_literal(&job);
}

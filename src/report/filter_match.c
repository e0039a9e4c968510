/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching of an event with compiled filters. Several threads do it at once. */
#include "report/filter_match.h"

#include <string.h>

#include "util/str.h"

/* Numbers of either sign; the bits alone do not tell. */
struct number {
	uint64_t bits;
	bool is_negative;
};

static struct number make_number(uint64_t bits, bool is_signed)
{
	return (struct number){bits, is_signed && (int64_t)bits < 0};
}

static bool get_element(const struct filter_value *value, const struct report_view *view,
			uint64_t *out)
{
	struct decode_field one = *value->field;
	const uint8_t *start;
	size_t len;

	start = field_bytes(view->dec, value->field, view->raw, &len);
	if (!start || value->index >= len / one.elem_size)
		return false;
	one.offset = (uint32_t)(start - view->raw->data) + value->index * one.elem_size;
	one.size = one.elem_size;
	*out = (uint64_t)field_number(view->dec, &one, view->raw);
	return true;
}

static bool get_number(const struct filter_value *value, const struct report_view *view,
		       struct number *out)
{
	uint64_t bits;

	switch (value->from) {
	case FILTER_FROM_LITERAL:
		bits = value->number;
		break;
	case FILTER_FROM_FIELD:
		if ((uint64_t)value->field->offset + value->field->size > view->raw->size)
			return false;
		bits = (uint64_t)field_number(view->dec, value->field, view->raw);
		break;
	case FILTER_FROM_ELEMENT:
		if (!get_element(value, view, &bits))
			return false;
		break;
	case FILTER_FROM_PID:
		bits = (uint64_t)(int64_t)view->common->pid;
		break;
	case FILTER_FROM_CPU:
		bits = view->raw->cpu;
		break;
	case FILTER_FROM_TIME:
		bits = view->raw->ts;
		break;
	default:
		return false;
	}
	*out = make_number(bits, value->is_signed);
	return true;
}

/* Markers end in a newline that nobody sees. */
static size_t visible_length(const char *text, size_t len)
{
	len = strnlen(text, len);
	return len && text[len - 1] == '\n' ? len - 1 : len;
}

/* A whole array of texts has several. */
static uint32_t count_texts(const struct filter_value *value)
{
	return value->from == FILTER_FROM_FIELD && value->field->nr_texts ? value->field->nr_texts
									  : 1;
}

static const char *get_bytes(const struct filter_value *value, const struct report_view *view,
			     uint32_t index, size_t *len)
{
	const struct decode_field *field = value->field;

	if (value->from == FILTER_FROM_TEXT)
		index = value->index;
	if (field->nr_texts)
		return (const char *)field_text(view->dec, field, view->raw, index, len);
	return (const char *)field_bytes(view->dec, field, view->raw, len);
}

static bool get_text(const struct filter_value *value, const struct report_view *view,
		     uint32_t index, const char **text, size_t *len)
{
	struct filter_value pointer = *value;
	struct number address;

	switch (value->from) {
	case FILTER_FROM_LITERAL:
		*text = value->text;
		*len = value->len;
		return true;
	case FILTER_FROM_COMM:
		*text = view->comm;
		break;
	case FILTER_FROM_PRINTK:
		pointer.from = FILTER_FROM_FIELD;
		if (!get_number(&pointer, view, &address))
			return false;
		*text = decode_printk(view->dec, address.bits);
		break;
	default:
		*text = get_bytes(value, view, index, len);
		if (*text)
			*len = visible_length(*text, *len);
		return *text != NULL;
	}
	if (*text)
		*len = strlen(*text);
	return *text != NULL;
}

static int order_of(struct number a, struct number b)
{
	if (a.is_negative != b.is_negative)
		return a.is_negative ? -1 : 1;
	return a.bits < b.bits ? -1 : a.bits > b.bits;
}

static bool number_matches(const struct filter_test *test, struct number a, struct number b)
{
	if (test->is_masked)
		a = make_number(a.bits & test->mask, false);
	switch (test->op) {
	case FILTER_EQ:
		return order_of(a, b) == 0;
	case FILTER_NE:
		return order_of(a, b) != 0;
	case FILTER_LT:
		return order_of(a, b) < 0;
	case FILTER_LE:
		return order_of(a, b) <= 0;
	case FILTER_GT:
		return order_of(a, b) > 0;
	case FILTER_GE:
		return order_of(a, b) >= 0;
	case FILTER_BITS:
		return (a.bits & b.bits) != 0;
	default:
		return false;
	}
}

static bool time_matches(const struct filter_test *test, const struct report_view *view)
{
	const struct filter_time *time = &test->time;
	uint64_t ts = view->raw->ts;
	uint64_t wanted = time->ns;

	if (view->raw_clock && time->is_whole)
		wanted = time->ticks;
	else if (time->is_printed && !view->raw_clock)
		ts = (ts + PRINTED_BELOW) / 1000 * 1000;
	return number_matches(test, make_number(ts, false), make_number(wanted, false));
}

static bool regex_matches(const regex_t *regex, const char *text, size_t len)
{
	regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)len};

	return regexec(regex, text, 0, &part, REG_STARTEND) == 0;
}

bool filter_text_matches(enum filter_op op, const struct filter_value *word, const regex_t *regex,
			 const char *text, size_t len)
{
	bool equal = len == word->len && !memcmp(text, word->text, len);

	switch (op) {
	case FILTER_EQ:
		return equal;
	case FILTER_NE:
		return !equal;
	case FILTER_GLOB:
		return filter_glob(word->text, text, len);
	case FILTER_REGEX:
		return regex_matches(regex, text, len);
	case FILTER_NOT_REGEX:
		return !regex_matches(regex, text, len);
	default:
		return false;
	}
}

static bool in_ranges(const struct filter_ranges *ranges, uint64_t address)
{
	size_t low = 0;
	size_t high = ranges->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address < ranges->range[middle].start)
			high = middle;
		else if (address >= ranges->range[middle].end)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/* Of an array of texts one has to match, and none may where a match is what is not wanted. */
static int32_t run_text(const struct filter_test *test, const struct report_view *view)
{
	bool unwanted = test->op == FILTER_NE || test->op == FILTER_NOT_REGEX;
	uint32_t left = count_texts(&test->left);
	uint32_t right = count_texts(&test->right);
	struct filter_value word = test->right;
	bool any = false;
	const char *text;
	size_t len;

	for (uint32_t i = 0; i < left * right; i++) {
		bool hit;

		if (!get_text(&test->left, view, i / right, &text, &len) ||
		    !get_text(&test->right, view, i % right, &word.text, &word.len))
			continue;
		any = true;
		hit = filter_text_matches(test->op, &word, test->regex, text, len);
		if (hit != unwanted)
			return hit ? test->on_true : test->on_false;
	}
	if (!any)
		return test->on_missing;
	return unwanted ? test->on_true : test->on_false;
}

static int32_t run_one(const struct filter_test *test, const struct report_view *view)
{
	struct number a;
	struct number b;
	bool hit;

	if (test->kind == FILTER_TEST_TEXT)
		return run_text(test, view);
	if (test->kind == FILTER_TEST_TIME)
		return time_matches(test, view) ? test->on_true : test->on_false;
	if (!get_number(&test->left, view, &a))
		return test->on_missing;
	if (test->kind == FILTER_TEST_ADDRESS) {
		bool inside = in_ranges(test->ranges, a.bits);

		hit = inside != (test->op == FILTER_NE || test->op == FILTER_NOT_REGEX);
		return hit ? test->on_true : test->on_false;
	}
	if (!get_number(&test->right, view, &b))
		return test->on_missing;
	return number_matches(test, a, b) ? test->on_true : test->on_false;
}

bool filter_run(const struct filter_test *test, int32_t at, const struct report_view *view)
{
	while (at >= 0)
		at = run_one(&test[at], view);
	return at == FILTER_KEEP;
}

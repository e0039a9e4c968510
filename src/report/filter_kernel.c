/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters for the kernel: the same language where the kernel has it too, spelt as the kernel wants it. */
#include <string.h>

#include "report/filter.h"
#include "report/filter_tree.h"
#include "util/mem.h"

/* What every event has, whether the list of fields says so or not. */
static const char *const common_fields[] = {
	"common_type",
	"common_flags",
	"common_preempt_count",
	"common_pid",
};

struct check {
	const struct filter *filter;
	const char *event;
	const struct strv *fields;
	struct strbuf *out;
	struct err *err;
};

#define complain(c, at, ...) filter_error((c)->err, (c)->filter->text, at, __VA_ARGS__)

static bool is_common(const char *name)
{
	for (size_t i = 0; i < array_size(common_fields); i++)
		if (!strcmp(common_fields[i], name))
			return true;
	return false;
}

static int unknown_field(struct check *c, const struct filter_word *word)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;

	strv_copy(&names, c->fields);
	for (size_t i = 0; i < array_size(common_fields); i++)
		strv_add(&names, common_fields[i]);
	strv_add(&names, "comm");
	strv_add(&names, "cpu");
	near = near_names(word->name, &names);
	return complain(c, word->at, "event %.100s has no field %.60s%s", c->event, word->name,
			near);
}

/* Writes the left side as the kernel names it; *is_comm when it surely is a text. */
static int put_field(struct check *c, const struct filter_word *word, bool *is_comm)
{
	enum filter_special special;
	bool always;

	*is_comm = false;
	if (word->index >= 0)
		return complain(c, word->at, "the kernel's filters know no elements of arrays");
	if (strv_has(c->fields, word->name) || is_common(word->name)) {
		strbuf_add(c->out, word->text);
		return 0;
	}
	special = filter_find_special(word->name, &always);
	if (special == FILTER_NO_SPECIAL)
		return unknown_field(c, word);
	if (special == FILTER_TIME)
		return complain(c, word->at,
				"the kernel's filters know no times: ft report -F does");
	if (word->is_function)
		return complain(c, word->at, "%s is not the address of a function", word->name);
	*is_comm = special == FILTER_COMM;
	strbuf_add(c->out, special == FILTER_PID ? "common_pid" : word->name);
	return 0;
}

/* The kernel knows no backslash: a text goes into the quotes that it does not hold. */
static int put_text(struct check *c, const struct filter_word *word)
{
	char quote = strchr(word->text, '"') ? '\'' : '"';

	if (strchr(word->text, quote))
		return complain(c, word->at, "the kernel takes no text with both kinds of quotes");
	strbuf_addf(c->out, "%c%s%c", quote, word->text, quote);
	return 0;
}

static int put_value(struct check *c, const struct filter_node *node, bool is_comm)
{
	const struct filter_word *word = &node->right;
	struct filter_number number;
	bool is_cpus = !word->quote && str_starts(word->text, "CPUS{");

	/* An element in quotes is a text for the kernel, whether or not it could be a character. */
	if (word->quote || is_comm || node->op == FILTER_GLOB)
		return put_text(c, word);
	if (is_cpus || node->left.is_function || filter_parse_number(word, &number)) {
		strbuf_add(c->out, word->text[0] == '+' ? word->text + 1 : word->text);
		return 0;
	}
	if (word->name && strv_has(c->fields, word->name))
		return complain(
			c, word->at,
			"the kernel compares a field with constants, not with the field %s: put a text in quotes",
			word->name);
	if (strchr("0123456789+-", word->text[0]) && node->op != FILTER_EQ && node->op != FILTER_NE)
		return complain(c, word->at, "'%.60s' is not a number", word->text);
	return put_text(c, word);
}

static int put_compare(struct check *c, const struct filter_node *node)
{
	bool is_comm;
	int ret;

	if (node->op == FILTER_REGEX || node->op == FILTER_NOT_REGEX)
		return complain(
			c, node->op_at,
			"the kernel's filters know no regular expressions: use ~ and a glob");
	if (node->mask.text)
		return complain(c, node->op_at, "the kernel compares no bits: only FIELD & MASK");
	ret = put_field(c, &node->left, &is_comm);
	if (ret < 0)
		return ret;
	if (is_comm && node->op != FILTER_EQ && node->op != FILTER_NE && node->op != FILTER_GLOB)
		return complain(c, node->op_at, "%s is a text: only == != ~ compare it, not %s",
				node->left.text, filter_op_name(node->op));
	strbuf_addf(c->out, " %s ", filter_op_name(node->op));
	return put_value(c, node, is_comm);
}

static int put_node(struct check *c, const struct filter_node *node)
{
	const char *between = node->kind == FILTER_NODE_ALL ? " && " : " || ";
	int ret = 0;

	if (node->kind == FILTER_NODE_COMPARE)
		return put_compare(c, node);
	if (node->kind == FILTER_NODE_NOT)
		strbuf_add(c->out, "!(");
	for (size_t i = 0; i < node->nr && !ret; i++) {
		bool is_group = node->child[i]->kind == FILTER_NODE_ANY &&
				node->kind == FILTER_NODE_ALL;

		if (i)
			strbuf_add(c->out, between);
		if (is_group)
			strbuf_add(c->out, "(");
		ret = put_node(c, node->child[i]);
		if (is_group)
			strbuf_add(c->out, ")");
	}
	if (node->kind == FILTER_NODE_NOT)
		strbuf_add(c->out, ")");
	return ret;
}

int filter_check_fields(const char *text, const char *event, const struct strv *fields,
			struct strbuf *kernel, struct err *err)
{
	cleanup(filter_freep) struct filter *filter = filter_parse(text, false, err);
	cleanup(strbuf_fini) struct strbuf out = {0};
	struct check check = {filter, event, fields, &out, err};
	int ret;

	if (!filter)
		return -EINVAL;
	if (!filter->root)
		return filter_error(err, text, strlen(text),
				    "a comparison is missing: == != < <= > >= & ~");
	if (filter->nr_events)
		return filter_error(err, text, filter->event[0].at,
				    "the event is named already: %.100s", event);
	ret = put_node(&check, filter->root);
	if (ret == 0 && kernel)
		strbuf_add(kernel, strbuf_str(&out));
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the text of a filter to its tree. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter_tree.h"
#include "util/mem.h"
#include "util/str.h"

/* Parentheses and ! within each other. */
#define DEPTH_MAX 64

struct parser {
	const char *text;
	size_t at;
	struct filter_token token; /* the next one */
	int depth;
	size_t nr_compares;
	struct err *err;
};

static void node_free(struct filter_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->nr; i++)
		node_free(node->child[i]);
	free(node->child);
	filter_word_fini(&node->left);
	filter_word_fini(&node->right);
	filter_word_fini(&node->mask);
	if (node->regex)
		regfree(node->regex);
	free(node->regex);
	free(node);
}

static void node_freep(struct filter_node **node)
{
	node_free(*node);
}

static struct filter_node *node_new(enum filter_node_kind kind)
{
	struct filter_node *node = xzalloc(sizeof(*node));

	node->kind = kind;
	return node;
}

static void add_child(struct filter_node *node, struct filter_node *child)
{
	node->child = xrealloc(node->child, (node->nr + 1) * sizeof(struct filter_node *));
	node->child[node->nr++] = child;
}

static bool advance(struct parser *p)
{
	return filter_next(p->text, &p->at, &p->token, p->err) == 0;
}

#define complain(p, at, ...) ((void)filter_error((p)->err, (p)->text, at, __VA_ARGS__))

/* Takes the next word; what else is there is an error. */
static bool take_word(struct parser *p, const char *wanted, struct filter_word *out)
{
	if (p->token.kind != FILTER_WORD) {
		complain(p, p->token.at,
			 p->token.kind == FILTER_END ? "%s is missing at the end"
						     : "%s is missing here",
			 wanted);
		return false;
	}
	filter_word_init(out, p->text, &p->token);
	return advance(p);
}

static enum filter_op mirrored(enum filter_op op)
{
	switch (op) {
	case FILTER_LT:
		return FILTER_GT;
	case FILTER_LE:
		return FILTER_GE;
	case FILTER_GT:
		return FILTER_LT;
	case FILTER_GE:
		return FILTER_LE;
	default:
		return op;
	}
}

/* A constant may stand on the left: 100 > prio. */
static bool sort_sides(struct parser *p, struct filter_node *node)
{
	struct filter_word left = node->left;

	if (left.name)
		return true;
	if (!node->right.name || node->op >= FILTER_GLOB) {
		complain(p, left.at, "'%.60s' is not a field: nothing of the event is compared",
			 left.text);
		return false;
	}
	node->left = node->right;
	node->right = left;
	node->op = mirrored(node->op);
	return true;
}

static bool check_compare(struct parser *p, struct filter_node *node)
{
	struct err *err = p->err;

	if (!sort_sides(p, node))
		return false;
	if (node->op != FILTER_REGEX && node->op != FILTER_NOT_REGEX)
		return true;
	return filter_regex(p->text, node, err) == 0;
}

/* FIELD OP VALUE */
static struct filter_node *parse_compare(struct parser *p)
{
	cleanup(node_freep) struct filter_node *node = node_new(FILTER_NODE_COMPARE);

	if (!take_word(p, "a field", &node->left))
		return NULL;
	if (p->token.kind != FILTER_OP) {
		complain(p, p->token.at,
			 "after '%.60s' a comparison is missing: == != < <= > >= & ~ =~ !~",
			 node->left.text);
		return NULL;
	}
	node->op = p->token.op;
	node->op_at = p->token.at;
	if (!advance(p) || !take_word(p, "a value", &node->right) || !check_compare(p, node))
		return NULL;
	if (p->token.kind == FILTER_OP) {
		if (node->op == FILTER_BITS)
			complain(p, p->token.at, "parentheses are missing: (%.60s & %.60s) %s ...",
				 node->left.text, node->right.text, filter_op_name(p->token.op));
		else
			complain(p, p->token.at, "one comparison follows another: join them by &&");
		return NULL;
	}
	if (p->nr_compares == FILTER_COMPARE_MAX) {
		complain(p, node->left.at, "a filter has at most %d comparisons",
			 FILTER_COMPARE_MAX);
		return NULL;
	}
	node->number = p->nr_compares++;
	return take_ptr(node);
}

/* Turns what was read as (FIELD & MASK) into the left side of a comparison. */
static bool parse_masked(struct parser *p, struct filter_node *node)
{
	if (node->kind != FILTER_NODE_COMPARE || node->op != FILTER_BITS || node->mask.text ||
	    p->token.op >= FILTER_BITS) {
		complain(p, p->token.at, "only (FIELD & MASK) may stand left of %s",
			 filter_op_name(p->token.op));
		return false;
	}
	node->mask = node->right;
	node->right = (struct filter_word){0};
	node->op = p->token.op;
	node->op_at = p->token.at;
	return advance(p) && take_word(p, "a value", &node->right);
}

static struct filter_node *parse_any(struct parser *p);

static struct filter_node *parse_group(struct parser *p)
{
	cleanup(node_freep) struct filter_node *node = NULL;
	size_t open = p->token.at;

	if (!advance(p))
		return NULL;
	node = parse_any(p);
	if (!node)
		return NULL;
	if (p->token.kind != FILTER_CLOSE) {
		if (p->token.kind == FILTER_END)
			complain(p, open, "this parenthesis is not closed");
		else
			complain(p, p->token.at, "&& or || or ) is missing here");
		return NULL;
	}
	if (!advance(p) || (p->token.kind == FILTER_OP && !parse_masked(p, node)))
		return NULL;
	return take_ptr(node);
}

static struct filter_node *parse_one(struct parser *p)
{
	struct filter_node *node = NULL;

	if (p->token.kind != FILTER_NOT && p->token.kind != FILTER_OPEN)
		return parse_compare(p);
	if (p->depth == DEPTH_MAX) {
		complain(p, p->token.at, "more than %d levels within each other", DEPTH_MAX);
		return NULL;
	}
	p->depth++;
	if (p->token.kind == FILTER_OPEN) {
		node = parse_group(p);
	} else if (advance(p)) {
		struct filter_node *child = parse_one(p);

		if (child) {
			node = node_new(FILTER_NODE_NOT);
			add_child(node, child);
		}
	}
	p->depth--;
	return node;
}

/* Parts with @between them; one alone needs no node of its own. */
static struct filter_node *parse_list(struct parser *p, enum filter_token_kind between,
				      enum filter_node_kind kind,
				      struct filter_node *(*part)(struct parser *))
{
	cleanup(node_freep) struct filter_node *list = NULL;
	struct filter_node *node = part(p);

	while (node && p->token.kind == between) {
		if (!list)
			list = node_new(kind);
		add_child(list, node);
		node = advance(p) ? part(p) : NULL;
	}
	if (!node || !list)
		return node;
	add_child(list, node);
	return take_ptr(list);
}

static struct filter_node *parse_all(struct parser *p)
{
	return parse_list(p, FILTER_AND, FILTER_NODE_ALL, parse_one);
}

static struct filter_node *parse_any(struct parser *p)
{
	return parse_list(p, FILTER_OR, FILTER_NODE_ANY, parse_all);
}

static bool parse_expression(struct parser *p, struct filter *filter)
{
	if (!advance(p))
		return false;
	filter->root = parse_any(p);
	filter->nr_compares = p->nr_compares;
	if (!filter->root)
		return false;
	if (p->token.kind == FILTER_END)
		return true;
	if (p->token.kind == FILTER_CLOSE)
		complain(p, p->token.at, "this parenthesis was not opened");
	else
		complain(p, p->token.at, "&& or || is missing here");
	return false;
}

/* Events are written with these; the last ':' among them ends EVENTS. */
static size_t event_chars(const char *text)
{
	size_t n = 0;

	while (text[n] && (isalnum((unsigned char)text[n]) || strchr("_*?[]-.:/, \t\n", text[n])))
		n++;
	return n;
}

/* Regular expressions of trace-cmd's users: ".*" is what a glob calls "*". */
static char *as_glob(const char *text)
{
	struct strbuf out = {0};

	for (; *text; text++)
		if (!str_starts(text, ".*"))
			strbuf_add_mem(&out, text, 1);
	return strbuf_take(&out);
}

static void add_event(struct filter *filter, char *text, size_t at)
{
	cleanup_free char *system = NULL;
	struct filter_event *event;
	char *name;

	filter->event = xrealloc(filter->event, (filter->nr_events + 1) * sizeof(*filter->event));
	event = &filter->event[filter->nr_events++];
	*event = (struct filter_event){.text = xstrdup(text), .at = at};
	name = strpbrk(text, ":/");
	if (!name) {
		event->name = as_glob(text);
		return;
	}
	*name++ = '\0';
	system = as_glob(str_trim(text));
	event->system = *system ? take_ptr(system) : xstrdup("*");
	event->name = as_glob(str_trim(name));
	if (!*event->name) {
		free(event->name);
		event->name = xstrdup("*");
	}
}

/* The first @len bytes are a list of events. */
static int parse_events(struct filter *filter, size_t len, struct err *err)
{
	size_t at = 0;

	while (at <= len) {
		size_t end = at + strcspn(filter->text + at, ",");
		cleanup_free char *item = NULL;
		char *name;

		if (end > len)
			end = len;
		item = xstrndup(filter->text + at, end - at);
		name = str_trim(item);
		if (!name[strspn(name, ":/ \t\n")])
			return filter_error(err, filter->text, at, "an event is missing here");
		add_event(filter, name, at + (size_t)(name - item));
		at = end + 1;
	}
	return 0;
}

static int parse(struct filter *filter, struct err *err)
{
	struct parser p = {.text = filter->text, .err = err};
	size_t len = strlen(filter->text);
	size_t head = event_chars(filter->text);

	if (len > FILTER_TEXT_MAX)
		return err_set(err, EINVAL, "a filter has at most %d bytes, this one %zu",
			       FILTER_TEXT_MAX, len);
	if (filter->text[strspn(filter->text, " \t\n")] == '\0')
		return err_set(err, EINVAL, "the filter is empty");
	if (!filter->text[head])
		return parse_events(filter, head, err);
	while (head && filter->text[head - 1] != ':')
		head--;
	if (head && parse_events(filter, head - 1, err) < 0)
		return -EINVAL;
	p.at = head;
	return parse_expression(&p, filter) ? 0 : -EINVAL;
}

struct filter *filter_parse(const char *text, bool exclude, struct err *err)
{
	cleanup(filter_freep) struct filter *filter = xzalloc(sizeof(*filter));

	filter->text = xstrdup(text);
	filter->exclude = exclude;
	if (parse(filter, err) < 0)
		return NULL;
	return take_ptr(filter);
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->nr_events; i++) {
		free(filter->event[i].text);
		free(filter->event[i].system);
		free(filter->event[i].name);
	}
	free(filter->event);
	node_free(filter->root);
	free(filter->text);
	free(filter);
}

void filter_freep(struct filter **filter)
{
	filter_free(*filter);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parsed filter, and what the files of the filter language know of each other. */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define FILTER_TEXT_MAX 8192
#define FILTER_COMPARE_MAX 256

enum filter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,
	FILTER_BITS,	  /* & */
	FILTER_GLOB,	  /* ~ */
	FILTER_REGEX,	  /* =~ */
	FILTER_NOT_REGEX, /* !~ */
};

enum filter_token_kind {
	FILTER_END,
	FILTER_WORD,
	FILTER_OP,
	FILTER_AND,
	FILTER_OR,
	FILTER_NOT,
	FILTER_OPEN,
	FILTER_CLOSE,
};

struct filter_token {
	enum filter_token_kind kind;
	enum filter_op op;
	char quote; /* of a word: 0 for a bare one */
	size_t at;  /* place in the filter's text */
	size_t len; /* with its quotes */
};

/* A value as it is written: a literal, or the name of a field. */
struct filter_word {
	char *text; /* without quotes */
	size_t at;
	char quote;
	char *name;	  /* what it would name; NULL when it cannot be a name */
	int64_t index;	  /* NAME[INDEX], else -1 */
	bool is_function; /* NAME.function */
};

enum filter_node_kind {
	FILTER_NODE_ALL, /* all children */
	FILTER_NODE_ANY, /* one of the children */
	FILTER_NODE_NOT,
	FILTER_NODE_COMPARE,
};

struct filter_node {
	enum filter_node_kind kind;
	struct filter_node **child;
	size_t nr;
	/* A comparison: */
	enum filter_op op;
	size_t op_at;
	size_t number; /* the n-th of its filter, from 0 */
	struct filter_word left;
	struct filter_word right;
	struct filter_word mask; /* (left & mask) op right; text NULL without one */
	regex_t *regex;
};

/* One of EVENTS. */
struct filter_event {
	char *text;
	char *system; /* a glob, NULL when none is named */
	char *name;   /* a glob; without a system it may name one */
	size_t at;
};

struct filter {
	char *text;
	bool exclude;
	struct filter_event *event;
	size_t nr_events;	  /* 0: all */
	struct filter_node *root; /* NULL: every such event */
	size_t nr_compares;
};

struct filter *filter_parse(const char *text, bool exclude, struct err *err);
void filter_free(struct filter *filter);
void filter_freep(struct filter **filter);

/* The token from *at on, which moves behind it. */
int filter_next(const char *text, size_t *at, struct filter_token *token, struct err *err);
/* The word of a token, without quotes; the name that it would be. */
void filter_word_init(struct filter_word *word, const char *text, const struct filter_token *token);
void filter_word_fini(struct filter_word *word);
const char *filter_op_name(enum filter_op op);
/* Compiles the pattern of =~ and !~, within bounds on what it may cost. */
int filter_regex(const char *text, struct filter_node *node, struct err *err);

/* A number as it is written: decimal, hex, octal, or one character in ''. */
struct filter_number {
	uint64_t magnitude;
	bool is_negative;
	bool is_bits; /* hex or octal: may stand for the bits of a negative number */
};

bool filter_parse_number(const struct filter_word *word, struct filter_number *out);
/* Nanoseconds: 1.5, 1.5s, 200ms; seconds without a unit. */
bool filter_parse_time(const struct filter_word *word, uint64_t *ns);

/* What an event has beside its fields. */
enum filter_special {
	FILTER_COMM,
	FILTER_PID,
	FILTER_CPU,
	FILTER_TIME,
	FILTER_NO_SPECIAL,
};

/* By name; *always when it is in capitals, which no field hides. */
enum filter_special filter_find_special(const char *name, bool *always);
const char *filter_special_name(enum filter_special special);

/* A sentence, the filter's text, and a caret under the byte @at of it. Returns -EINVAL. */
int filter_error(struct err *err, const char *text, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

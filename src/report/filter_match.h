/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters compiled for the events of one file: tests with two ways on, no recursion, no memory of their own. */
#pragma once

#include "report/filter_tree.h"
#include "report/report.h"

/* Ways on that are ends. */
#define FILTER_DROP (-2)
#define FILTER_KEEP (-1)

enum filter_from {
	FILTER_FROM_LITERAL,
	FILTER_FROM_FIELD,
	FILTER_FROM_ELEMENT, /* of an array */
	FILTER_FROM_TEXT,    /* one of an array of texts */
	FILTER_FROM_PRINTK,  /* the text that a char pointer points to */
	FILTER_FROM_COMM,
	FILTER_FROM_PID,
	FILTER_FROM_CPU,
	FILTER_FROM_TIME,
};

struct filter_value {
	enum filter_from from;
	bool is_signed;
	uint32_t index;
	const struct decode_field *field; /* of the decoder */
	uint64_t number;		  /* of a literal */
	const char *text;		  /* of a literal; in the tree */
	size_t len;
};

/* Addresses of functions: start <= address < end, ascending. */
struct filter_range {
	uint64_t start;
	uint64_t end;
};

struct filter_ranges {
	struct filter_range *range;
	size_t nr;
};

enum filter_test_kind {
	FILTER_TEST_NUMBER,
	FILTER_TEST_TEXT,
	FILTER_TEST_ADDRESS, /* is it in one of the ranges? */
	FILTER_TEST_TIME,    /* with a literal */
};

/* A time in a filter, as it was written. */
struct filter_time {
	uint64_t ns;
	uint64_t ticks;	 /* of a counter */
	bool is_printed; /* stands for all times that are printed alike */
	bool is_whole;	 /* has ->ticks */
};

struct filter_test {
	enum filter_test_kind kind;
	enum filter_op op;
	bool is_masked;
	int32_t on_true;
	int32_t on_false;
	int32_t on_missing; /* the record does not hold the value */
	uint64_t mask;
	struct filter_value left;
	struct filter_value right;
	const regex_t *regex;
	const struct filter_ranges *ranges;
	struct filter_time time;
};

/* Runs the tests from @at on to an end. */
bool filter_run(const struct filter_test *test, int32_t at, const struct report_view *view);
/* Whether @text stands in @op to the text @word; @regex for the operators that need one. */
bool filter_text_matches(enum filter_op op, const struct filter_value *word, const regex_t *regex,
			 const char *text, size_t len);
/* A glob over the whole of @text: * ? [a-z] [!a] and \ in front of one of them. */
bool filter_glob(const char *glob, const char *text, size_t len);

/* The filters of a set for one file. */
struct filter_program {
	struct filter_test *test;
	size_t nr;
	size_t room;
	int32_t *entry; /* by event id: where its tests begin, or an end */
	size_t nr_entries;
	int32_t other; /* for all other ids */
};

struct filter_binding;

/* Everything that the program points to lives in @binding, one for each filter. */
int filter_bind(struct filter **filter, size_t nr, struct decode *dec,
		struct filter_binding **binding, struct filter_program *program, struct err *err);
void filter_program_fini(struct filter_program *program);
void filter_bindings_free(struct filter_binding *binding, size_t nr);

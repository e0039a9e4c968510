/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter beside the events and fields of one file. */
#pragma once

#include "report/filter_match.h"

#define FILTER_IDS 65536 /* common_type has 16 bits */

/* What is known about a comparison, over all events. */
struct filter_compare {
	bool right_is_name; /* of a field, not a literal */
	size_t usable;	    /* events that it can be done with */
	struct err *error;  /* why it cannot be done with one; NULL while it can */
	bool has_ranges;
	struct filter_ranges ranges;
};

struct filter_binding {
	const struct filter *filter;
	struct decode *dec;
	const struct event *
		*event; /* those it may be about; without EVENTS those with its fields */
	size_t nr_events;
	uint8_t *has; /* a bit for each id of them */
	struct filter_compare *compare;
};

static inline bool filter_has_id(const struct filter_binding *b, int id)
{
	return b->has[id / 8] >> id % 8 & 1;
}

/* Which way a comparison goes for one event type. */
enum filter_outcome {
	FILTER_OUTCOME_TEST,
	FILTER_OUTCOME_TRUE,
	FILTER_OUTCOME_FALSE,
	FILTER_OUTCOME_MISSING, /* the event has no such field, or it cannot be compared so */
};

/* Compiles @node for @event (NULL: one without a format) into @test. */
enum filter_outcome filter_compile(struct filter_binding *b, const struct filter_node *node,
				   const struct event *event, struct filter_test *test);

enum filter_class {
	FILTER_CLASS_MISSING,
	FILTER_CLASS_NUMBER,
	FILTER_CLASS_TEXT,
	FILTER_CLASS_ARRAY, /* as a whole comparable with nothing */
};

/* What a name stands for in an event. */
struct filter_side {
	enum filter_class class;
	struct filter_value value;
	uint32_t size; /* bytes of a number */
	bool is_time;
	bool is_address;      /* may be the address of a function */
	bool is_char_pointer; /* may point to a text of the file's printk formats */
	const char *type;
};

struct filter_side filter_resolve(const struct filter_binding *b, const struct filter_word *word,
				  const struct event *event);
bool filter_same_class(const struct filter_side *a, const struct filter_side *b);
/* True when @word stands for comm, pid, cpu or time whatever fields there are. */
bool filter_is_special(const struct filter *filter, const struct filter_word *word);

/* The functions that @op and @word choose. -ENOENT when the file's symbols have none; @near gets names like it. */
int filter_find_functions(struct decode *dec, enum filter_op op, const struct filter_word *word,
			  const regex_t *regex, struct filter_ranges *out, char **near);

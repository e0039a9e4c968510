/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates expressions over one record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/expr.h"
#include "util/outbuf.h"

enum problem {
	PROBLEM_NONE,
	PROBLEM_PAST_END, /* a dynamic field points outside of the record */
	PROBLEM_UNKNOWN,  /* a kernel symbol that the recording does not have */
};

/* One record while it is printed. */
struct eval {
	struct decode_thread *thread; /* NULL while constants are folded */
	const uint8_t *data;
	uint32_t size;
	bool swap; /* recorded in the other byte order */
	uint8_t long_size;
	uint8_t problem;
	bool lacks_symbol; /* some value was unknown for want of one */
};

struct memory {
	const uint8_t *at; /* never NULL */
	uint32_t len;
};

/* The caller makes sure that the record reaches to node->end. */
uint64_t eval_number(struct eval *ev, const struct node *node);
/* Whether it counts as true; memory and texts do. */
bool eval_truth(struct eval *ev, const struct node *node);
struct memory eval_memory(struct eval *ev, const struct node *node);
/* Appends what "%s" would print, whatever the kind of @node. */
void eval_text(struct eval *ev, const struct node *node, struct outbuf *out);

/* One operator on two operands that already have the common type. */
uint64_t eval_operator(const struct node *node, uint64_t left, uint64_t right);

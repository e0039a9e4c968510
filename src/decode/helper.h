/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function or macro of the kernel that print formats call. */
#pragma once

#include "decode/expr.h"

struct helper {
	const char *name;
	/* Parses the arguments behind '(' and leaves the parser at ')'. */
	struct node *(*build)(struct parser *parser, const struct helper *helper);
	const char *yes; /* of functions that choose between two words */
	const char *no;
	uint8_t size; /* of the integer taken or given back */
	uint8_t op;   /* the node made of the arguments */
	bool flag;    /* what it means is up to ->build */
};

/* Up to @most expressions separated by commas; how many, or -1. */
int helper_arguments(struct parser *parser, struct node **arg, int most);

/* Those that pick bits, and those of the compiler; the last one has no name. */
extern const struct helper bit_helpers[];

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printers of particular events, and what they share. Each may count on a record that is not
 * shorter than its event's min_size. */
#pragma once

#include "decode/load.h"
#include "decode/plan.h"
#include "util/outbuf.h"

/* Sets where the text ends after writing into what outbuf_reserve() gave. */
void native_add(struct outbuf *out, char *end);
/* The number of the plan's @i-th field. */
static inline uint64_t native_number(const struct eval *ev, const struct plan *plan, unsigned int i)
{
	return load_number(plan->load[i], ev->data + plan->field[i]->offset);
}

/* A fixed text field up to its NUL; room for field->size is needed. */
char *native_put_comm(char *at, const struct eval *ev, const struct decode_field *field);
/* The function's name, or the address. */
void native_add_symbol(struct eval *ev, uint64_t addr, struct outbuf *out);

plan_print_fn native_hrtimer_start;
plan_print_fn native_hrtimer_expire;
plan_print_fn native_tlb_flush;
plan_print_fn native_futex;
plan_print_fn native_function;
plan_print_fn native_stack;
plan_print_fn native_raw_data;
plan_print_fn native_repeats;
plan_print_fn bprint_print;

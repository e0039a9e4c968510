/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to print one event type: worked out once, then run for each record. */
#pragma once

#include <stdatomic.h>

#include "decode/decode.h"
#include "decode/eval.h"
#include "decode/expr.h"
#include "decode/spec.h"

enum op_kind {
	OP_END,	   /* only the literal in front */
	OP_SIGNED, /* plain %d, %u and %x of a field that needs no conversion */
	OP_UNSIGNED,
	OP_HEXADECIMAL,
	OP_BITS, /* plain %d, %u and %x of some bits of a field, as of a device's number */
	OP_BITS_HEX,
	OP_ADDRESS, /* %p of a field, without letters that mean something else */
	OP_DECIMAL, /* plain %d and %u */
	OP_HEX,	    /* plain %x */
	OP_NUMBER,  /* with width, flags or precision */
	OP_CHAR,
	OP_TEXT,       /* plain %s */
	OP_FIXED_TEXT, /* the same of a char array at a fixed place */
	OP_TEXT_PADDED,
	OP_POINTER,
	OP_SYMBOL,  /* %ps, and %pS when ->with_offset */
	OP_UNKNOWN, /* has no argument, or one that cannot be evaluated */
	OP_FIELDS,  /* name=value of the fields that unknown arguments read */
};

/* A literal and the conversion behind it. */
struct op {
	uint8_t kind;
	uint8_t load; /* of a field taken as it is; LOAD_NONE: evaluate ->expr */
	bool with_offset;
	bool is_padded; /* of OP_SYMBOL: has a width or precision */
	uint8_t shift; /* of OP_BITS: the field goes to the right by this and loses what is not in ->mask */
	uint32_t len; /* of the literal */
	uint32_t offset;
	uint32_t end; /* the record must reach this far */
	uint64_t mask;
	const char *text; /* with PUT_PADDING bytes behind it */
	const struct node *expr;
	const struct node *width;
	const struct node *precision;
	struct spec spec;
};

#define NATIVE_FIELDS 8

struct plan;

/* What prints a record. */
typedef void plan_print_fn(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
			   struct outbuf *out);

struct plan {
	enum plan_kind kind;
	plan_print_fn *print;
	const struct event *event;
	bool needs_cleaning;	   /* may hold bytes that no text line should */
	bool keeps_lines;	   /* stacks: one frame a line */
	atomic_bool *lacks_values; /* something of it has no value and is shown as its fields */
	struct op *op;
	size_t nr_ops;
	uint32_t end; /* the record must reach this far for all of ->op */
	size_t room;  /* for all literals and plain numbers of ->op */
	const struct decode_field *const *extra;    /* for OP_FIELDS, NULL at the end */
	const struct decode_field *const *symbolic; /* the same when a symbol is not known */
	/* For the events that have their own printer: the fields it asked for, NULL if missing. */
	const struct decode_field *field[NATIVE_FIELDS];
	uint8_t load[NATIVE_FIELDS]; /* how to read them as numbers */
	plan_print_fn *before;	     /* prints something in front of the ordinary text */
	void *tep_event;	     /* of PLAN_FALLBACK */
};

struct event_full;
struct fallback;

/* Fills @full->plan. */
void plan_build(struct decode *dec, struct event_full *full);
/* The ordinary printer: runs ->op. */
plan_print_fn plan_run;
/* name=value of all fields. */
plan_print_fn plan_run_fields;
/* Compiles the print format into ->op. False when nothing of it can be used; *plugin_can is set
 * when libtraceevent's plugins could. */
bool plan_compile(struct decode *dec, struct event_full *full, bool *plugin_can);

/* The printers of particular events (native.c); false when @full has none. */
bool native_find(const struct decode *dec, struct event_full *full);

/* Gives what @out holds from @start on the width and precision of @spec. */
void text_pad(struct outbuf *out, size_t start, const struct spec *spec);
void pointer_print(struct eval *ev, const struct op *op, const struct spec *spec,
		   struct outbuf *out);
/* Whether %p with these letters takes bytes of the record and not a number. */
bool pointer_takes_memory(const struct spec *spec);
/* Whether it prints what lies behind a pointer, which no record has. */
bool pointer_needs_kernel(const struct spec *spec);

/* Whether one of libtraceevent's plugins prints this event in its own way. */
bool fallback_knows(const struct event *event);
/* Whether libtraceevent can print this event; sets ->tep_event. */
bool fallback_prepare(struct decode *dec, struct event_full *full);
plan_print_fn fallback_print;
void fallback_free(struct fallback *fallback);

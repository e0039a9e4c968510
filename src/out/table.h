/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of numbers, for people and for programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/str.h"

enum table_format {
	TABLE_TEXT, /* columns below each other; times in microseconds */
	TABLE_TSV,  /* a line of names, then the rows; times in nanoseconds */
	TABLE_JSON, /* a list of objects as a member of one object; times in nanoseconds */
};

enum cell_kind {
	CELL_TEXT,
	CELL_COUNT,
	CELL_PID,   /* as a count, but with its sign and never left out */
	CELL_TIME,  /* a duration */
	CELL_MEAN,  /* a duration with a fraction */
	CELL_STAMP, /* a point in time: seconds with nine digits in text */
	CELL_TALLY, /* "NAME=COUNT NAME=COUNT", an object in JSON */
	CELL_BAR,   /* a count as a bar, in text only */
};

struct table_column {
	const char *key;  /* without a unit: one is added for times */
	const char *head; /* in text */
	enum cell_kind kind;
	bool hide_zero; /* left out of the text when all its cells are zero, empty or none */
};

struct table_cell {
	char *text;	 /* owned by the table */
	uint64_t number; /* of a CELL_PID its bits */
	double real;	 /* of a CELL_MEAN */
	bool is_none;	 /* there is no value: "-", empty, null */
};

struct table {
	const char *name; /* the member in JSON */
	const struct table_column *column;
	size_t nr_columns;
	struct table_cell *cell;
	size_t nr_rows;
	size_t room;
};

/* A row of zeroed cells at the end, valid until the next one. */
struct table_cell *table_add_row(struct table *table);
void table_fini(struct table *table);

/* Where tables are put one after the other. */
struct table_out {
	enum table_format format;
	bool ticks; /* times are ticks of a counter */
	struct strbuf text;
	bool is_open; /* something stands in it already */
};

void table_put(struct table_out *out, const struct table *table);
/* A number beside the tables: a line "HEAD: N" in text (none for 0), a member in JSON; nothing in TSV. */
void table_put_count(struct table_out *out, const char *key, const char *head, uint64_t number);
/* A line for people only. */
void table_put_title(struct table_out *out, const char *title);
/* Behind the last table. */
void table_end(struct table_out *out);

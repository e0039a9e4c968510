/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One set of cells, three ways to write it down. */
#include "out/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/mem.h"

#define BAR_WIDTH 40
/* A longer text moves its own row to the right, not all others. */
#define TEXT_WIDTH 60

struct table_cell *table_add_row(struct table *table)
{
	struct table_cell *row;

	if (table->nr_rows == table->room) {
		table->room = table->room ? table->room * 2 : 16;
		table->cell = xrealloc(table->cell,
				       table->room * table->nr_columns * sizeof(*table->cell));
	}
	row = &table->cell[table->nr_rows++ * table->nr_columns];
	memset(row, 0, table->nr_columns * sizeof(*row));
	return row;
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->nr_rows * table->nr_columns; i++)
		free(table->cell[i].text);
	free(table->cell);
	table->cell = NULL;
	table->nr_rows = 0;
	table->room = 0;
}

static bool is_time(enum cell_kind kind)
{
	return kind == CELL_TIME || kind == CELL_MEAN || kind == CELL_STAMP;
}

static bool is_empty(const struct table_column *column, const struct table_cell *cell)
{
	if (cell->is_none)
		return true;
	if (column->kind == CELL_TEXT || column->kind == CELL_TALLY)
		return !cell->text || !*cell->text;
	return column->kind == CELL_MEAN ? cell->real == 0 : cell->number == 0;
}

static bool is_hidden(const struct table *table, size_t column)
{
	if (!table->column[column].hide_zero)
		return false;
	for (size_t row = 0; row < table->nr_rows; row++)
		if (!is_empty(&table->column[column],
			      &table->cell[row * table->nr_columns + column]))
			return false;
	return true;
}

/* What breaks lines, steers a terminal, or is no UTF-8; the same escapes as in events. */
static void add_clean(struct strbuf *sb, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		unsigned char c = (unsigned char)*text;
		size_t len = str_utf8_length(text, left);
		bool is_bad = !len || str_is_high_control(text, len);

		if (c == '\n' || c == '\t' || c == '\r')
			strbuf_addf(sb, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
		else if (is_bad || c < 0x20 || c == 0x7f)
			strbuf_addf(sb, "\\x%02x", c);
		else
			strbuf_add_mem(sb, text, len);
		len = is_bad ? 1 : len;
		text += len;
		left -= len;
	}
}

static uint64_t largest(const struct table *table, size_t column)
{
	uint64_t most = 0;

	for (size_t row = 0; row < table->nr_rows; row++) {
		uint64_t n = table->cell[row * table->nr_columns + column].number;

		most = n > most ? n : most;
	}
	return most;
}

static void add_bar(struct strbuf *sb, uint64_t number, uint64_t most)
{
	uint64_t width = most ? (uint64_t)((double)number / (double)most * BAR_WIDTH + 0.5) : 0;

	strbuf_add(sb, "|");
	for (uint64_t i = 0; i < BAR_WIDTH; i++)
		strbuf_add(sb, i < width || (number && !i) ? "@" : " ");
	strbuf_add(sb, "|");
}

static void add_for_people(const struct table *table, const struct table_out *out, size_t column,
			   const struct table_cell *cell, struct strbuf *sb)
{
	switch (table->column[column].kind) {
	case CELL_TEXT:
	case CELL_TALLY:
		add_clean(sb, cell->text ? cell->text : "");
		break;
	case CELL_COUNT:
		strbuf_addf(sb, "%" PRIu64, cell->number);
		break;
	case CELL_PID:
		strbuf_addf(sb, "%" PRId64, (int64_t)cell->number);
		break;
	case CELL_TIME:
		if (out->ticks)
			strbuf_addf(sb, "%" PRIu64, cell->number);
		else
			strbuf_addf(sb, "%" PRIu64 ".%03u", cell->number / 1000,
				    (unsigned int)(cell->number % 1000));
		break;
	case CELL_MEAN:
		strbuf_addf(sb, "%.3f", out->ticks ? cell->real : cell->real / 1000);
		break;
	case CELL_STAMP:
		if (out->ticks)
			strbuf_addf(sb, "%" PRIu64, cell->number);
		else
			strbuf_addf(sb, "%" PRIu64 ".%09u", cell->number / 1000000000,
				    (unsigned int)(cell->number % 1000000000));
		break;
	case CELL_BAR:
		add_bar(sb, cell->number, largest(table, column));
		break;
	}
}

static char *text_of(const struct table *table, const struct table_out *out, size_t row,
		     size_t column)
{
	const struct table_cell *cell = &table->cell[row * table->nr_columns + column];
	struct strbuf sb = {0};

	if (cell->is_none)
		return xstrdup("-");
	add_for_people(table, out, column, cell, &sb);
	return strbuf_take(&sb);
}

/* Columns of UTF-8, by its first bytes. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void add_padded(struct strbuf *sb, const char *text, size_t width, bool left, bool last)
{
	size_t pad = width > width_of(text) ? width - width_of(text) : 0;

	if (left)
		strbuf_add(sb, text);
	for (size_t i = 0; i < pad && !(left && last); i++)
		strbuf_add(sb, " ");
	if (!left)
		strbuf_add(sb, text);
	strbuf_add(sb, last ? "\n" : "  ");
}

static size_t *find_widths(const struct table *table, const struct table_out *out, size_t *last)
{
	size_t *width = xcalloc(table->nr_columns, sizeof(*width));

	for (size_t c = 0; c < table->nr_columns; c++) {
		if (is_hidden(table, c))
			continue;
		*last = c;
		width[c] = width_of(table->column[c].head);
		for (size_t row = 0; row < table->nr_rows; row++) {
			cleanup_free char *text = text_of(table, out, row, c);
			size_t w = width_of(text);

			if (table->column[c].kind == CELL_TEXT && w > TEXT_WIDTH)
				w = TEXT_WIDTH;
			width[c] = w > width[c] ? w : width[c];
		}
		/* A shown column is never zero wide. */
		width[c] += !width[c];
	}
	return width;
}

static bool goes_left(enum cell_kind kind)
{
	return kind == CELL_TEXT || kind == CELL_TALLY || kind == CELL_BAR;
}

static void put_text(struct table_out *out, const struct table *table)
{
	size_t last = 0;
	cleanup_free size_t *width = find_widths(table, out, &last);

	for (size_t c = 0; c < table->nr_columns; c++)
		if (width[c])
			add_padded(&out->text, table->column[c].head, width[c],
				   goes_left(table->column[c].kind), c == last);
	for (size_t row = 0; row < table->nr_rows; row++) {
		for (size_t c = 0; c < table->nr_columns; c++) {
			cleanup_free char *text = width[c] ? text_of(table, out, row, c) : NULL;

			if (width[c])
				add_padded(&out->text, text, width[c],
					   goes_left(table->column[c].kind), c == last);
		}
	}
}

static char *machine_key(const struct table_column *column, const struct table_out *out)
{
	if (!is_time(column->kind))
		return xstrdup(column->key);
	return xasprintf("%s_%s", column->key, out->ticks ? "ticks" : "ns");
}

static void add_number(const struct table_column *column, const struct table_cell *cell,
		       struct strbuf *sb)
{
	if (column->kind == CELL_MEAN)
		strbuf_addf(sb, "%.3f", cell->real);
	else if (column->kind == CELL_PID)
		strbuf_addf(sb, "%" PRId64, (int64_t)cell->number);
	else
		strbuf_addf(sb, "%" PRIu64, cell->number);
}

static void add_tsv_cell(const struct table_column *column, const struct table_cell *cell,
			 struct strbuf *sb)
{
	if (cell->is_none)
		return;
	if (column->kind == CELL_TEXT || column->kind == CELL_TALLY)
		add_clean(sb, cell->text ? cell->text : "");
	else
		add_number(column, cell, sb);
}

static void put_tsv(struct table_out *out, const struct table *table)
{
	for (size_t row = 0; row <= table->nr_rows; row++) {
		bool first = true;

		for (size_t c = 0; c < table->nr_columns; c++) {
			const struct table_column *column = &table->column[c];
			cleanup_free char *key = machine_key(column, out);

			if (column->kind == CELL_BAR)
				continue;
			strbuf_add(&out->text, first ? "" : "\t");
			first = false;
			if (!row)
				strbuf_add(&out->text, key);
			else
				add_tsv_cell(column,
					     &table->cell[(row - 1) * table->nr_columns + c],
					     &out->text);
		}
		strbuf_add(&out->text, "\n");
	}
}

static void add_tally(const char *text, struct strbuf *sb)
{
	cleanup(strv_fini) struct strv words = {0};

	strv_split(&words, text ? text : "", " ");
	strbuf_add(sb, "{");
	for (size_t i = 0; i < words.nr; i++) {
		char *equal = strchr(words.item[i], '=');

		if (equal)
			*equal = '\0';
		json_add_raw(sb, words.item[i], equal ? equal + 1 : "null");
	}
	strbuf_add(sb, "}");
}

static void add_member(struct table_out *out, const struct table_column *column,
		       const struct table_cell *cell)
{
	cleanup(strbuf_fini) struct strbuf value = {0};
	cleanup_free char *key = machine_key(column, out);

	if (cell->is_none)
		strbuf_add(&value, "null");
	else if (column->kind == CELL_TEXT)
		json_add_string(&value, cell->text ? cell->text : "");
	else if (column->kind == CELL_TALLY)
		add_tally(cell->text, &value);
	else
		add_number(column, cell, &value);
	json_add_raw(&out->text, key, strbuf_str(&value));
}

static void put_json(struct table_out *out, const struct table *table)
{
	json_add_raw(&out->text, table->name, "[");
	for (size_t row = 0; row < table->nr_rows; row++) {
		strbuf_add(&out->text, row ? ",\n{" : "\n{");
		for (size_t c = 0; c < table->nr_columns; c++)
			if (table->column[c].kind != CELL_BAR)
				add_member(out, &table->column[c],
					   &table->cell[row * table->nr_columns + c]);
		strbuf_add(&out->text, "}");
	}
	strbuf_add(&out->text, "]");
}

static void open_out(struct table_out *out, bool apart)
{
	if (out->format == TABLE_JSON && !out->is_open)
		strbuf_add(&out->text, "{");
	else if (apart && out->is_open && out->format != TABLE_JSON)
		strbuf_add(&out->text, "\n");
	out->is_open = true;
}

void table_put(struct table_out *out, const struct table *table)
{
	bool titled = out->format == TABLE_TEXT && str_ends(strbuf_str(&out->text), ":\n");

	open_out(out, !titled);
	switch (out->format) {
	case TABLE_TEXT:
		put_text(out, table);
		break;
	case TABLE_TSV:
		put_tsv(out, table);
		break;
	case TABLE_JSON:
		put_json(out, table);
		break;
	}
}

void table_put_count(struct table_out *out, const char *key, const char *head, uint64_t number)
{
	cleanup_free char *text = xasprintf("%" PRIu64, number);

	if (out->format == TABLE_TSV || (out->format == TABLE_TEXT && !number))
		return;
	open_out(out, false);
	if (out->format == TABLE_JSON)
		json_add_raw(&out->text, key, text);
	else
		strbuf_addf(&out->text, "%s: %s\n", head, text);
}

void table_put_title(struct table_out *out, const char *title)
{
	if (out->format != TABLE_TEXT)
		return;
	open_out(out, true);
	strbuf_addf(&out->text, "%s:\n", title);
}

void table_end(struct table_out *out)
{
	if (out->format == TABLE_JSON) {
		open_out(out, false);
		strbuf_add(&out->text, "}\n");
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --sections: how often and how long. */
#include "report/sections.h"

#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/comms.h"
#include "report/input.h"
#include "util/mem.h"

struct sections {
	struct analysis a;
	struct marker_reader *reader;
	struct section_pairing pairing;
};

enum {
	COL_NAME,
	COL_PID,
	COL_TID,
	COL_COMM,
	COL_COUNT,
	COL_TOTAL,
	COL_SELF,
	COL_MEAN,
	COL_MIN,
	COL_P50,
	COL_P90,
	COL_P99,
	COL_MAX,
	COL_STDDEV,
	COL_RECURSIVE,
	COL_UNCLOSED,
	COL_UNOPENED,
	COL_UNCERTAIN,
	COL_BUFFER,
	NR_COLS,
};

static const struct table_column columns[NR_COLS] = {
	[COL_NAME] = {"name", "SECTION", CELL_TEXT, false},
	[COL_PID] = {"pid", "PID", CELL_PID, false},
	[COL_TID] = {"tid", "TID", CELL_PID, false},
	[COL_COMM] = {"comm", "COMM", CELL_TEXT, false},
	[COL_COUNT] = {"count", "COUNT", CELL_COUNT, false},
	[COL_TOTAL] = {"total", "TOTAL(us)", CELL_TIME, false},
	[COL_SELF] = {"self", "SELF", CELL_TIME, false},
	[COL_MEAN] = {"mean", "MEAN", CELL_MEAN, false},
	[COL_MIN] = {"min", "MIN", CELL_TIME, false},
	[COL_P50] = {"p50", "P50", CELL_TIME, false},
	[COL_P90] = {"p90", "P90", CELL_TIME, false},
	[COL_P99] = {"p99", "P99", CELL_TIME, false},
	[COL_MAX] = {"max", "MAX", CELL_TIME, false},
	[COL_STDDEV] = {"stddev", "STDDEV", CELL_MEAN, false},
	[COL_RECURSIVE] = {"recursive", "RECURSIVE", CELL_COUNT, true},
	[COL_UNCLOSED] = {"unclosed", "UNCLOSED", CELL_COUNT, true},
	[COL_UNOPENED] = {"unopened", "UNOPENED", CELL_COUNT, true},
	[COL_UNCERTAIN] = {"uncertain", "UNCERTAIN", CELL_COUNT, true},
	[COL_BUFFER] = ANALYSIS_BUFFER,
};

static int sections_open(struct analysis *a, const struct input *in, struct err *err)
{
	struct sections *s = (struct sections *)a;

	(void)in;
	(void)err;
	s->reader = marker_reader_new(a->source, a->nr_sources);
	return 0;
}

static void sections_event(struct analysis *a, const struct sink_event *event)
{
	struct sections *s = (struct sections *)a;
	struct marker marker;
	const char *text;
	size_t len;

	if (!marker_read(s->reader, event, &text, &len))
		return;
	marker_parse(text, len, &marker);
	section_pairing_marker(&s->pairing, event, &marker);
}

/* With what is needed to order the rows. */
struct row {
	struct section *section;
	struct stats stats;
	uint64_t self;
	uint64_t nr_uncertain;
	uint64_t nr_recursive;
};

static int by_total(const void *ap, const void *bp)
{
	const struct row *a = ap;
	const struct row *b = bp;
	int order;

	if (a->stats.total != b->stats.total)
		return a->stats.total < b->stats.total ? 1 : -1;
	order = strcmp(a->section->name ? a->section->name : "",
		       b->section->name ? b->section->name : "");
	if (order)
		return order;
	if (a->section->tid != b->section->tid)
		return a->section->tid < b->section->tid ? -1 : 1;
	return a->section->source < b->section->source ? -1
						       : a->section->source > b->section->source;
}

static void put_stats(struct table_cell *cell, const struct stats *stats)
{
	cell[COL_COUNT].number = stats->count;
	cell[COL_TOTAL].number = stats->total;
	cell[COL_MEAN].real = stats->mean;
	cell[COL_MIN].number = stats->min;
	cell[COL_P50].number = stats->p50;
	cell[COL_P90].number = stats->p90;
	cell[COL_P99].number = stats->p99;
	cell[COL_MAX].number = stats->max;
	cell[COL_STDDEV].real = stats->stddev;
	for (int c = COL_MEAN; c <= COL_STDDEV; c++)
		cell[c].is_none = !stats->count;
}

/* An async section may be another process's than the one that wrote its markers, as a script's are. */
static const char *comm_of(const struct analysis *a, const struct section *section)
{
	const char *comm =
		section->tid >= 0
			? NULL
			: report_comm(a->in, a->in->source[section->source].file, section->pid);

	return comm && *comm != '<' ? comm : section->comm;
}

static void put_row(const struct analysis *a, struct table *table, const struct row *row)
{
	const struct section *section = row->section;
	struct table_cell *cell = table_add_row(table);

	analysis_put_buffer(a, section->source, &cell[COL_BUFFER]);
	if (section->name)
		cell[COL_NAME].text = xstrdup(section->name);
	else
		cell[COL_NAME].is_none = true;
	cell[COL_PID].number = (uint64_t)(int64_t)section->pid;
	cell[COL_TID].number = (uint64_t)(int64_t)section->tid;
	cell[COL_TID].is_none = section->tid < 0;
	cell[COL_COMM].text = xstrdup(comm_of(a, section));
	put_stats(cell, &row->stats);
	cell[COL_SELF].number = row->self;
	/* Nothing is known about what an async section waits for. */
	cell[COL_SELF].is_none = section->tid < 0;
	cell[COL_RECURSIVE].number = row->nr_recursive;
	cell[COL_UNCLOSED].number = section->unclosed.nr;
	cell[COL_UNOPENED].number = section->nr_unopened;
	cell[COL_UNCERTAIN].number = row->nr_uncertain;
}

static int sections_end(struct analysis *a, struct table_out *out, struct err *err)
{
	struct sections *s = (struct sections *)a;
	const struct keymap *map = &s->pairing.sections;
	cleanup_free struct row *row = xcalloc(map->nr + 1, sizeof(*row));
	cleanup(table_fini) struct table table = {
		.name = "sections", .column = columns, .nr_columns = NR_COLS};
	uint64_t nr_gaps = 0;

	(void)err;
	section_pairing_finish(&s->pairing);
	for (size_t i = 0; i < map->nr; i++) {
		struct section *section = map->entry[i]->value;
		size_t certain = pairs_split(&section->closed, &a->gaps[section->source]);

		row[i].section = section;
		row[i].nr_uncertain = section->closed.nr - certain;
		/* The end of the one before may be among what was lost. */
		row[i].nr_recursive = pairs_split(&section->recursive, &a->gaps[section->source]);
		stats_of_pairs(&section->closed, certain, &row[i].stats);
		for (size_t p = 0; p < certain; p++)
			row[i].self += (uint64_t)section->closed.pair[p].extra;
	}
	qsort(row, map->nr, sizeof(*row), by_total);
	for (size_t i = 0; i < map->nr; i++)
		put_row(a, &table, &row[i]);
	table_put(out, &table);
	for (size_t i = 0; i < a->nr_sources; i++)
		nr_gaps += a->gaps[i].nr;
	table_put_count(out, "gaps", "times in which events were lost", nr_gaps);
	if (map->nr)
		return 0;
	analysis_tell(a, "no section: no marker reads B|pid|name, E|pid, S|pid|name|cookie or "
			 "F|pid|name|cookie");
	return 1;
}

static void sections_free(struct analysis *a)
{
	struct sections *s = (struct sections *)a;

	section_pairing_fini(&s->pairing);
	marker_reader_free(s->reader);
	free(s);
}

struct analysis *sections_new(void)
{
	static const struct analysis_ops ops = {
		.open = sections_open,
		.event = sections_event,
		.end = sections_end,
		.free = sections_free,
	};
	struct sections *s = xzalloc(sizeof(*s));

	s->a.ops = &ops;
	return &s->a;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --syscalls: how often, how long, and with which errors. */
#include "report/syscalls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/input.h"
#include "report/syscall_names.h"
#include "util/mem.h"

/* Values from -1 on down to here are errors. */
#define MAX_ERRNO 4095

struct syscalls {
	struct analysis a;
	struct call_pairing pairing;
	char **machine; /* by source */
	size_t nr_machines;
};

/* A row: the calls of one name in one thread, or in all. */
struct row {
	char *name;
	int tid;
	const char *comm;
	struct pairs pairs; /* those that no loss makes doubtful */
	struct stats stats;
	uint64_t nr_errors;
	uint64_t nr_unfinished;
	uint64_t nr_unopened;
	uint64_t nr_uncertain;
};

enum {
	COL_TID,
	COL_COMM,
	COL_CALL,
	COL_COUNT,
	COL_ERRORS,
	COL_TOTAL,
	COL_MEAN,
	COL_MIN,
	COL_P99,
	COL_MAX,
	COL_UNFINISHED,
	COL_UNOPENED,
	COL_UNCERTAIN,
	COL_ERRNOS,
	NR_COLS,
};

static const struct table_column columns[NR_COLS] = {
	[COL_TID] = {"tid", "TID", CELL_PID, false},
	[COL_COMM] = {"comm", "COMM", CELL_TEXT, false},
	[COL_CALL] = {"call", "CALL", CELL_TEXT, false},
	[COL_COUNT] = {"count", "COUNT", CELL_COUNT, false},
	[COL_ERRORS] = {"errors", "ERRORS", CELL_COUNT, false},
	[COL_TOTAL] = {"total", "TOTAL(us)", CELL_TIME, false},
	[COL_MEAN] = {"mean", "MEAN", CELL_MEAN, false},
	[COL_MIN] = {"min", "MIN", CELL_TIME, false},
	[COL_P99] = {"p99", "P99", CELL_TIME, false},
	[COL_MAX] = {"max", "MAX", CELL_TIME, false},
	[COL_UNFINISHED] = {"unfinished", "UNFINISHED", CELL_COUNT, true},
	[COL_UNOPENED] = {"unopened", "UNOPENED", CELL_COUNT, true},
	[COL_UNCERTAIN] = {"uncertain", "UNCERTAIN", CELL_COUNT, true},
	[COL_ERRNOS] = {"errnos", "ERRNOS", CELL_TALLY, true},
};

/* "Linux host 6.1.0 x86_64" of the file; "" when it does not say. */
static char *machine_of(const struct input_file *file)
{
	const char *uname = file->r->uname;
	const char *blank = uname ? strrchr(uname, ' ') : NULL;

	return xstrdup(blank ? blank + 1 : "");
}

static int syscalls_open(struct analysis *a, const struct input *in, struct err *err)
{
	struct syscalls *s = (struct syscalls *)a;

	(void)err;
	s->nr_machines = a->nr_sources;
	s->machine = xcalloc(a->nr_sources + 1, sizeof(char *));
	for (size_t i = 0; i < a->nr_sources; i++)
		s->machine[i] = machine_of(in->source[i].file);
	s->pairing.source = a->source;
	s->pairing.machine = (const char *const *)s->machine;
	return 0;
}

static void syscalls_event(struct analysis *a, const struct sink_event *event)
{
	call_pairing_event(&((struct syscalls *)a)->pairing, event);
}

static void add_to_row(struct row *row, const struct analysis *a, const struct call *call)
{
	for (size_t i = 0; i < call->pairs.nr; i++) {
		struct pair pair = call->pairs.pair[i];

		if (gaps_overlap(&a->gaps[call->source], pair.start, pair.end)) {
			row->nr_uncertain++;
			continue;
		}
		pairs_add(&row->pairs, pair.start, pair.end, pair.extra);
		row->nr_errors += pair.extra < 0 && pair.extra >= -MAX_ERRNO;
	}
	row->nr_unfinished += call->nr_unfinished;
	row->nr_unopened += call->nr_unopened;
}

/* "ENOENT=3 EAGAIN=1", the most frequent first. */
static char *tally(const struct pairs *pairs)
{
	cleanup_free uint64_t *count = xcalloc(MAX_ERRNO + 1, sizeof(*count));
	struct strbuf sb = {0};
	size_t best;

	for (size_t i = 0; i < pairs->nr; i++)
		if (pairs->pair[i].extra < 0 && pairs->pair[i].extra >= -MAX_ERRNO)
			count[-pairs->pair[i].extra]++;
	do {
		const char *name;

		best = 0;
		for (size_t e = 1; e <= MAX_ERRNO; e++)
			if (count[e] > count[best])
				best = e;
		name = errno_name(best);
		if (best && name)
			strbuf_addf(&sb, "%s%s=%" PRIu64, sb.len ? " " : "", name, count[best]);
		else if (best)
			strbuf_addf(&sb, "%s%zu=%" PRIu64, sb.len ? " " : "", best, count[best]);
		count[best] = 0;
	} while (best);
	return strbuf_take(&sb);
}

static int by_thread_and_total(const void *ap, const void *bp)
{
	const struct row *a = *(struct row *const *)ap;
	const struct row *b = *(struct row *const *)bp;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->stats.total != b->stats.total)
		return a->stats.total < b->stats.total ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_row(struct table *table, const struct row *row)
{
	/* The table of all threads lacks the first two columns. */
	struct table_cell *cell = table_add_row(table) - (NR_COLS - table->nr_columns);

	if (table->nr_columns == NR_COLS) {
		cell[COL_TID].number = (uint64_t)(int64_t)row->tid;
		cell[COL_COMM].text = xstrdup(row->comm);
	}
	cell[COL_CALL].text = xstrdup(row->name);
	cell[COL_COUNT].number = row->stats.count;
	cell[COL_ERRORS].number = row->nr_errors;
	cell[COL_TOTAL].number = row->stats.total;
	cell[COL_MEAN].real = row->stats.mean;
	cell[COL_MIN].number = row->stats.min;
	cell[COL_P99].number = row->stats.p99;
	cell[COL_MAX].number = row->stats.max;
	for (int c = COL_MEAN; c <= COL_MAX; c++)
		cell[c].is_none = !row->stats.count;
	cell[COL_UNFINISHED].number = row->nr_unfinished;
	cell[COL_UNOPENED].number = row->nr_unopened;
	cell[COL_UNCERTAIN].number = row->nr_uncertain;
	cell[COL_ERRNOS].text = tally(&row->pairs);
}

static char *name_of(const struct call *call)
{
	return call->name ? xstrdup(call->name) : xasprintf("syscall_%" PRId64, call->number);
}

/* The rows by call, or by thread and call. */
static void put_calls(const struct syscalls *s, bool by_thread, struct table_out *out)
{
	size_t skip = by_thread ? 0 : COL_CALL;
	cleanup(table_fini) struct table table = {.name = by_thread ? "threads" : "calls",
						  .column = columns + skip,
						  .nr_columns = NR_COLS - skip};
	const struct keymap *calls = &s->pairing.calls;
	cleanup_free struct row **sorted = xcalloc(calls->nr + 1, sizeof(*sorted));
	struct keymap rows = {0};

	for (size_t i = 0; i < calls->nr; i++) {
		const struct call *call = calls->entry[i]->value;
		cleanup_free char *name = name_of(call);
		cleanup_free char *key = xasprintf("%d %u %s", by_thread ? call->tid : 0,
						   by_thread ? call->source : 0, name);
		struct row *row;
		void **slot;

		/* A number that was recorded by name, too. */
		if (!call->pairs.nr && !call->nr_unfinished && !call->nr_unopened)
			continue;
		slot = keymap_at(&rows, key, strlen(key));
		if (!*slot)
			*slot = xzalloc(sizeof(*row));
		row = *slot;
		if (!row->name)
			*row = (struct row){.name = take_ptr(name),
					    .tid = by_thread ? call->tid : 0,
					    .comm = call->comm};
		add_to_row(row, &s->a, call);
	}
	for (size_t i = 0; i < rows.nr; i++) {
		sorted[i] = rows.entry[i]->value;
		stats_of_pairs(&sorted[i]->pairs, sorted[i]->pairs.nr, &sorted[i]->stats);
	}
	qsort(sorted, rows.nr, sizeof(*sorted), by_thread_and_total);
	for (size_t i = 0; i < rows.nr; i++) {
		put_row(&table, sorted[i]);
		pairs_fini(&sorted[i]->pairs);
		free(sorted[i]->name);
		free(sorted[i]);
	}
	keymap_fini(&rows);
	table_put(out, &table);
}

/* Numbers without a name are said once, with the reason. */
static void tell_nameless(const struct syscalls *s)
{
	for (size_t i = 0; i < s->pairing.calls.nr; i++) {
		const struct call *call = s->pairing.calls.entry[i]->value;
		const char *machine = s->machine[call->source];

		if (call->name)
			continue;
		if (!*machine)
			analysis_tell(&s->a,
				      "the file does not say which machine it is of: names of "
				      "raw_syscalls are not known");
		else if (!has_syscall_names(machine))
			analysis_tell(&s->a,
				      "ft has no names of the system calls of %s; record "
				      "syscalls instead of raw_syscalls",
				      machine);
		else
			analysis_tell(&s->a, "system call %" PRId64 " of %s is newer than this ft",
				      call->number, machine);
		return;
	}
}

static int syscalls_end(struct analysis *a, struct table_out *out, struct err *err)
{
	struct syscalls *s = (struct syscalls *)a;

	(void)err;
	call_pairing_finish(&s->pairing);
	put_calls(s, false, out);
	put_calls(s, true, out);
	tell_nameless(s);
	if (s->pairing.calls.nr)
		return 0;
	analysis_tell(a, "no system call: record with -e raw_syscalls, or with -e syscalls");
	return 1;
}

static void syscalls_free(struct analysis *a)
{
	struct syscalls *s = (struct syscalls *)a;

	call_pairing_fini(&s->pairing);
	for (size_t i = 0; i < s->nr_machines; i++)
		free(s->machine[i]);
	free(s->machine);
	free(s);
}

struct analysis *syscalls_new(void)
{
	static const struct analysis_ops ops = {
		.open = syscalls_open,
		.event = syscalls_event,
		.end = syscalls_end,
		.free = syscalls_free,
	};
	struct syscalls *s = xzalloc(sizeof(*s));

	s->a.ops = &ops;
	return &s->a;
}

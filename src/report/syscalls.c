/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --syscalls: how often, how long, and with which errors. */
#include "report/syscalls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/comms.h"
#include "report/input.h"
#include "report/processes.h"
#include "report/syscall_names.h"
#include "util/mem.h"

/* Values from -1 on down to here are errors. */
#define MAX_ERRNO 4095

struct syscalls {
	struct analysis a;
	struct call_pairing pairing;
	char **machine; /* by source */
	size_t nr_machines;
	struct processes **processes; /* by file */
	size_t nr_files;
};

/* What the calls of a name are summed up over. */
enum group { BY_CALL, BY_PROCESS, BY_THREAD };

struct row {
	char *name;
	unsigned int source;
	int pid;
	int tid;
	bool is_known; /* the process is */
	const char *comm;
	uint64_t nr_threads;
	struct pairs pairs; /* those that no loss makes doubtful */
	struct stats stats;
	uint64_t nr_errors;
	uint64_t nr_unfinished;
	uint64_t nr_unopened;
	uint64_t nr_uncertain;
};

enum {
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
	COL_BUFFER,
	NR_COLS,
};

static const struct table_column columns[NR_COLS] = {
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
	[COL_BUFFER] = ANALYSIS_BUFFER,
};

/* What stands in front of them says whose calls they are. */
#define HEADS_MOST 3

static const struct layout {
	const char *name;
	struct table_column head[HEADS_MOST];
	size_t nr_heads;
} layouts[] = {
	[BY_CALL] = {.name = "calls"},
	[BY_PROCESS] = {"processes",
			{{"pid", "PID", CELL_PID, false},
			 {"comm", "COMM", CELL_TEXT, false},
			 {"threads", "THREADS", CELL_COUNT, true}},
			3},
	[BY_THREAD] = {"threads",
		       {{"pid", "PID", CELL_PID, true},
			{"tid", "TID", CELL_PID, false},
			{"comm", "COMM", CELL_TEXT, false}},
		       3},
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
	s->nr_files = in->nr_files;
	s->processes = xcalloc(in->nr_files + 1, sizeof(*s->processes));
	for (size_t i = 0; i < in->nr_files; i++)
		s->processes[i] = processes_new(in, &in->file[i]);
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
	row->nr_threads++;
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

static int by_task_and_total(const void *ap, const void *bp)
{
	const struct row *a = *(struct row *const *)ap;
	const struct row *b = *(struct row *const *)bp;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->stats.total != b->stats.total)
		return a->stats.total < b->stats.total ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_heads(struct table_cell *cell, const struct row *row, enum group group)
{
	if (group == BY_PROCESS) {
		cell[0].number = (uint64_t)(int64_t)row->pid;
		cell[1].text = xstrdup(row->comm);
		cell[2].number = row->nr_threads;
		cell[2].is_none = !row->is_known;
	} else if (group == BY_THREAD) {
		cell[0].number = (uint64_t)(int64_t)row->pid;
		cell[0].is_none = !row->is_known;
		cell[1].number = (uint64_t)(int64_t)row->tid;
		cell[2].text = xstrdup(row->comm);
	}
}

static void put_row(const struct syscalls *s, struct table *table, const struct row *row,
		    enum group group)
{
	struct table_cell *cell = table_add_row(table);

	put_heads(cell, row, group);
	cell += layouts[group].nr_heads;
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
	analysis_put_buffer(&s->a, row->source, &cell[COL_BUFFER]);
}

static char *name_of(const struct call *call)
{
	return call->name ? xstrdup(call->name) : xasprintf("syscall_%" PRId64, call->number);
}

/* A process is called as its first thread is. */
static const char *process_comm(const struct syscalls *s, const struct call *call, int pid)
{
	const char *comm = report_comm(s->a.in, s->a.in->source[call->source].file, pid);

	return *comm != '<' ? comm : call->comm;
}

/* The row that @call goes to, made when it is the first of it. */
static struct row *row_of(const struct syscalls *s, const struct call *call, enum group group,
			  struct keymap *rows)
{
	const struct input_file *file = s->a.in->source[call->source].file;
	cleanup_free char *name = name_of(call);
	cleanup_free char *key = NULL;
	struct row made = {.source = call->source};
	struct row *row;
	void **slot;

	if (group != BY_CALL) {
		made.is_known =
			processes_find(s->processes[file - s->a.in->file], call->tid, &made.pid);
		made.tid = group == BY_THREAD ? call->tid : 0;
	}
	key = xasprintf("%u %d %d %s", made.source, made.pid, made.tid, name);
	slot = keymap_at(rows, key, strlen(key));
	if (*slot)
		return *slot;
	row = *slot = xmalloc(sizeof(*row));
	made.name = take_ptr(name);
	made.comm = group == BY_PROCESS ? process_comm(s, call, made.pid) : call->comm;
	*row = made;
	return row;
}

static void make_rows(const struct syscalls *s, enum group group, struct keymap *rows)
{
	const struct keymap *calls = &s->pairing.calls;

	for (size_t i = 0; i < calls->nr; i++) {
		const struct call *call = calls->entry[i]->value;

		/* A number that was recorded by name, too. */
		if (call->pairs.nr || call->nr_unfinished || call->nr_unopened)
			add_to_row(row_of(s, call, group, rows), &s->a, call);
	}
}

static void free_rows(struct keymap *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct row *row = rows->entry[i]->value;

		pairs_fini(&row->pairs);
		free(row->name);
		free(row);
	}
	keymap_fini(rows);
}

static void put_calls(const struct syscalls *s, enum group group, struct table_out *out)
{
	const struct layout *layout = &layouts[group];
	struct table_column column[HEADS_MOST + NR_COLS];
	cleanup(table_fini) struct table table = {
		.name = layout->name, .column = column, .nr_columns = layout->nr_heads + NR_COLS};
	cleanup(free_rows) struct keymap rows = {0};
	cleanup_free struct row **sorted = NULL;

	memcpy(column, layout->head, layout->nr_heads * sizeof(*column));
	memcpy(column + layout->nr_heads, columns, sizeof(columns));
	make_rows(s, group, &rows);
	sorted = xcalloc(rows.nr + 1, sizeof(*sorted));
	for (size_t i = 0; i < rows.nr; i++) {
		sorted[i] = rows.entry[i]->value;
		stats_of_pairs(&sorted[i]->pairs, sorted[i]->pairs.nr, &sorted[i]->stats);
	}
	qsort(sorted, rows.nr, sizeof(*sorted), by_task_and_total);
	for (size_t i = 0; i < rows.nr; i++)
		put_row(s, &table, sorted[i], group);
	table_put(out, &table);
}

/* How many threads made calls, of how many the process is not known, and whether a process has several threads. */
struct census {
	size_t nr;
	size_t nr_unknown;
	bool has_groups;
};

static struct census count_threads(const struct syscalls *s)
{
	struct census census = {0};
	struct keymap seen = {0};

	for (size_t i = 0; i < s->pairing.calls.nr; i++) {
		const struct call *call = s->pairing.calls.entry[i]->value;
		size_t file = (size_t)(s->a.in->source[call->source].file - s->a.in->file);
		const int key[2] = {(int)file, call->tid};
		void **slot = keymap_at(&seen, key, sizeof(key));
		int pid;

		if (*slot)
			continue;
		*slot = s->processes[file];
		census.nr++;
		census.nr_unknown += !processes_find(s->processes[file], call->tid, &pid);
		census.has_groups |= pid != call->tid;
	}
	keymap_fini(&seen);
	return census;
}

/* A table of threads that says what that of processes says is for programs only. */
static void put_tasks(const struct syscalls *s, struct table_out *out)
{
	struct census census = count_threads(s);

	put_calls(s, BY_PROCESS, out);
	if (census.has_groups || out->format != TABLE_TEXT)
		put_calls(s, BY_THREAD, out);
	if (census.nr_unknown)
		analysis_tell(
			&s->a,
			"the file does not tell the process of %zu of %zu threads: each counts as one of its own",
			census.nr_unknown, census.nr);
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
	put_calls(s, BY_CALL, out);
	put_tasks(s, out);
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
	for (size_t i = 0; i < s->nr_files; i++)
		processes_free(s->processes[i]);
	free(s->processes);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --between A B: how long from each A to the next B. */
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/selector.h"
#include "util/keymap.h"
#include "util/mem.h"

enum by { BY_THREAD, BY_CPU, BY_ANY, BY_FIELD };

/* An A that waits for its B, or has met it. */
struct latency {
	uint64_t start;
	uint64_t end;
	const char *comm; /* of A */
	int pid;
	unsigned int source;
	uint32_t cpu;
};

struct latencies {
	struct latency *latency;
	size_t nr;
	size_t room;
};

struct between {
	struct analysis a;
	struct marker_reader *reader;
	struct selector *from;
	struct selector *to;
	enum by by;
	char *from_field;
	char *to_field;
	size_t nr_worst;
	struct keymap waiting; /* of struct latencies, by what A and B have in common */
	struct strbuf key;
	struct latencies done;
	uint64_t nr_lone_from;
	uint64_t nr_lone_to;
	uint64_t nr_keyless; /* events without the field */
	const struct event *keyless;
	const char *keyless_field;
};

static void add_latency(struct latencies *list, const struct latency *latency)
{
	if (list->nr == list->room) {
		list->room = list->room ? list->room * 2 : 4;
		list->latency = xrealloc(list->latency, list->room * sizeof(*list->latency));
	}
	list->latency[list->nr++] = *latency;
}

static int between_open(struct analysis *a, const struct input *in, struct err *err)
{
	struct between *b = (struct between *)a;
	int r = selector_bind(b->from, a->source, a->nr_sources, err);

	(void)in;
	if (r == 0)
		r = selector_bind(b->to, a->source, a->nr_sources, err);
	b->reader = marker_reader_new(a->source, a->nr_sources);
	return r;
}

static void add_number(struct between *b, int64_t number)
{
	strbuf_add_mem(&b->key, &number, sizeof(number));
}

/* A field of the event; what the filter language calls pid, cpu and comm where it has none of that name. */
static bool add_field(struct between *b, const struct sink_event *event, const char *name)
{
	const struct decode *dec = b->a.source[event->source].dec;
	const struct decode_field *field = event->event ? event_field(event->event, name) : NULL;
	const uint8_t *bytes;
	size_t len;

	if (!field && !strcasecmp(name, "pid"))
		add_number(b, event->common.pid);
	else if (!field && !strcasecmp(name, "cpu"))
		add_number(b, event->raw->cpu);
	else if (!field && !strcasecmp(name, "comm"))
		strbuf_add(&b->key, event->comm);
	else if (!field)
		return false;
	else if (!field->is_string && !field->is_array && !field->is_dynamic)
		add_number(b, field_number(dec, field, event->raw));
	else if ((bytes = field_bytes(dec, field, event->raw, &len)))
		strbuf_add_mem(&b->key, bytes,
			       field->is_string ? strnlen((const char *)bytes, len) : len);
	return true;
}

/* Where the events wait that have the same key as this one. NULL when it has none. */
static struct latencies *waiting_of(struct between *b, const struct sink_event *event,
				    const char *field)
{
	uint32_t source = event->source;
	void **slot;

	b->key.len = 0;
	strbuf_add_mem(&b->key, &source, sizeof(source));
	if (b->by == BY_THREAD)
		add_number(b, event->common.pid);
	/* Each CPU has an idle task, and all of them are 0. */
	if (b->by == BY_CPU || (b->by == BY_THREAD && !event->common.pid))
		add_number(b, event->raw->cpu);
	if (b->by == BY_FIELD && !add_field(b, event, field)) {
		b->nr_keyless++;
		b->keyless = event->event;
		b->keyless_field = field;
		return NULL;
	}
	slot = keymap_at(&b->waiting, b->key.text, b->key.len);
	if (!*slot)
		*slot = xzalloc(sizeof(struct latencies));
	return *slot;
}

static void between_event(struct analysis *a, const struct sink_event *event)
{
	struct between *b = (struct between *)a;
	const struct sink_source *source = &a->source[event->source];
	struct latency latency = {.start = event->raw->ts,
				  .comm = event->comm,
				  .pid = event->common.pid,
				  .source = event->source,
				  .cpu = event->raw->cpu};
	struct latencies *waiting;
	const char *text = NULL;
	size_t len = 0;

	if (!marker_read(b->reader, event, &text, &len))
		text = NULL;
	/* What is both ends one wait first. */
	if (selector_matches(b->to, event, source, text, len) &&
	    (waiting = waiting_of(b, event, b->to_field))) {
		b->nr_lone_to += !waiting->nr;
		for (size_t i = 0; i < waiting->nr; i++) {
			waiting->latency[i].end = event->raw->ts;
			add_latency(&b->done, &waiting->latency[i]);
		}
		waiting->nr = 0;
	}
	if (selector_matches(b->from, event, source, text, len) &&
	    (waiting = waiting_of(b, event, b->from_field)))
		add_latency(waiting, &latency);
}

static int longest_first(const void *ap, const void *bp)
{
	const struct latency *a = ap;
	const struct latency *b = bp;
	uint64_t time_a = a->end - a->start;
	uint64_t time_b = b->end - b->start;

	if (time_a != time_b)
		return time_a < time_b ? 1 : -1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void put_summary(const struct between *b, const struct stats *stats, uint64_t nr_uncertain,
			struct table_out *out)
{
	static const struct table_column columns[] = {
		{"count", "COUNT", CELL_COUNT, false},
		{"total", "TOTAL(us)", CELL_TIME, false},
		{"mean", "MEAN", CELL_MEAN, false},
		{"min", "MIN", CELL_TIME, false},
		{"p50", "P50", CELL_TIME, false},
		{"p90", "P90", CELL_TIME, false},
		{"p99", "P99", CELL_TIME, false},
		{"max", "MAX", CELL_TIME, false},
		{"stddev", "STDDEV", CELL_MEAN, false},
		{"no_end", "NO-END", CELL_COUNT, true},
		{"no_start", "NO-START", CELL_COUNT, true},
		{"uncertain", "UNCERTAIN", CELL_COUNT, true},
	};
	cleanup(table_fini) struct table table = {
		.name = "latency", .column = columns, .nr_columns = array_size(columns)};
	struct table_cell *cell = table_add_row(&table);
	const uint64_t times[] = {stats->total, 0,	    stats->min, stats->p50,
				  stats->p90,	stats->p99, stats->max};

	cell[0].number = stats->count;
	for (size_t i = 0; i < array_size(times); i++)
		cell[1 + i].number = times[i];
	cell[2].real = stats->mean;
	cell[8].real = stats->stddev;
	for (size_t i = 2; i <= 8; i++)
		cell[i].is_none = !stats->count;
	cell[9].number = b->nr_lone_from;
	cell[10].number = b->nr_lone_to;
	cell[11].number = nr_uncertain;
	table_put(out, &table);
}

static void put_histogram(const struct latency *latency, size_t nr, struct table_out *out)
{
	static const struct table_column columns[] = {
		{"from", "FROM(us)", CELL_TIME, false},
		{"below", "BELOW", CELL_TIME, false},
		{"count", "COUNT", CELL_COUNT, false},
		{"bar", "", CELL_BAR, false},
	};
	cleanup(table_fini) struct table table = {
		.name = "histogram", .column = columns, .nr_columns = array_size(columns)};
	uint64_t count[STATS_BUCKETS] = {0};
	unsigned int first = STATS_BUCKETS;
	unsigned int last = 0;

	for (size_t i = 0; i < nr; i++) {
		unsigned int bucket = stats_bucket(latency[i].end - latency[i].start);

		count[bucket]++;
		first = bucket < first ? bucket : first;
		last = bucket > last ? bucket : last;
	}
	for (unsigned int bucket = first; bucket <= last && nr; bucket++) {
		struct table_cell *cell = table_add_row(&table);

		cell[0].number = bucket ? UINT64_C(1) << (bucket - 1) : 0;
		cell[1].number = bucket < 64 ? UINT64_C(1) << bucket : UINT64_MAX;
		cell[2].number = cell[3].number = count[bucket];
	}
	table_put(out, &table);
}

static void put_worst(const struct between *b, const struct latency *latency, size_t nr,
		      struct table_out *out)
{
	static const struct table_column columns[] = {
		{"time", "WORST(us)", CELL_TIME, false},
		{"start", "START", CELL_STAMP, false},
		{"end", "END", CELL_STAMP, false},
		{"cpu", "CPU", CELL_COUNT, false},
		{"pid", "PID", CELL_PID, false},
		{"comm", "COMM", CELL_TEXT, false},
		ANALYSIS_BUFFER,
	};
	cleanup(table_fini) struct table table = {
		.name = "worst", .column = columns, .nr_columns = array_size(columns)};

	for (size_t i = 0; i < nr; i++) {
		struct table_cell *cell = table_add_row(&table);

		cell[0].number = latency[i].end - latency[i].start;
		cell[1].number = latency[i].start;
		cell[2].number = latency[i].end;
		cell[3].number = latency[i].cpu;
		cell[4].number = (uint64_t)(int64_t)latency[i].pid;
		cell[5].text = xstrdup(latency[i].comm);
		analysis_put_buffer(&b->a, latency[i].source, &cell[6]);
	}
	table_put(out, &table);
}

/* Why there is nothing to show. */
static int explain(const struct between *b, struct err *err)
{
	struct selector *const both[] = {b->from, b->to};
	cleanup(strv_fini) struct strv fields = {0};
	cleanup_free char *near = NULL;

	for (size_t i = 0; i < array_size(both); i++) {
		int r = selector_hits(both[i]) ? 0 : selector_explain(both[i], err);

		if (r < 0)
			return r;
	}
	if (!b->nr_keyless) {
		analysis_tell(&b->a, "no pair: %llu times the first, %llu times the second",
			      (unsigned long long)selector_hits(b->from),
			      (unsigned long long)selector_hits(b->to));
		return 1;
	}
	for (size_t i = 0; b->keyless && i < b->keyless->nr_fields; i++)
		strv_add(&fields, b->keyless->field[i].name);
	near = near_names(b->keyless_field, &fields);
	return err_set(err, EINVAL, "--by: event %s has no field %s%s",
		       b->keyless ? b->keyless->name : "without format", b->keyless_field, near);
}

static int between_end(struct analysis *a, struct table_out *out, struct err *err)
{
	struct between *b = (struct between *)a;
	struct latency *latency = b->done.latency;
	cleanup_free uint64_t *time = xcalloc(b->done.nr + 1, sizeof(*time));
	struct stats stats;
	size_t nr = 0;
	int r;

	for (size_t i = 0; i < b->waiting.nr; i++)
		b->nr_lone_from += ((struct latencies *)b->waiting.entry[i]->value)->nr;
	for (size_t i = 0; i < b->done.nr; i++)
		if (!gaps_overlap(&a->gaps[latency[i].source], latency[i].start, latency[i].end))
			latency[nr++] = latency[i];
	r = b->done.nr ? 0 : explain(b, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < nr; i++)
		time[i] = latency[i].end - latency[i].start;
	stats_of(time, nr, &stats);
	put_summary(b, &stats, b->done.nr - nr, out);
	put_histogram(latency, nr, out);
	if (nr)
		qsort(latency, nr, sizeof(*latency), longest_first);
	put_worst(b, latency, nr < b->nr_worst ? nr : b->nr_worst, out);
	if (b->nr_keyless && b->done.nr)
		analysis_tell(a, "%llu events have no field %s and were left out",
			      (unsigned long long)b->nr_keyless, b->keyless_field);
	return r;
}

static void between_free(struct analysis *a)
{
	struct between *b = (struct between *)a;

	for (size_t i = 0; i < b->waiting.nr; i++) {
		struct latencies *waiting = b->waiting.entry[i]->value;

		free(waiting->latency);
		free(waiting);
	}
	keymap_fini(&b->waiting);
	strbuf_fini(&b->key);
	free(b->done.latency);
	free(b->from_field);
	free(b->to_field);
	selector_free(b->from);
	selector_free(b->to);
	marker_reader_free(b->reader);
	free(b);
}

static int parse_by(struct between *b, const char *by, struct err *err)
{
	const char *equal = by ? strchr(by, '=') : NULL;

	if (!by)
		return 0;
	if (!*by || equal == by || (equal && (!equal[1] || strchr(equal + 1, '='))))
		return err_set(err, EINVAL, "--by has '%s': cpu, any, FIELD, or FIELD=FIELD", by);
	b->by = !strcmp(by, "cpu") ? BY_CPU : !strcmp(by, "any") ? BY_ANY : BY_FIELD;
	b->from_field = equal ? xstrndup(by, (size_t)(equal - by)) : xstrdup(by);
	b->to_field = xstrdup(equal ? equal + 1 : by);
	return 0;
}

struct analysis *between_new(const struct between_config *config, struct err *err)
{
	static const struct analysis_ops ops = {
		.open = between_open,
		.event = between_event,
		.end = between_end,
		.free = between_free,
	};
	struct between *b = xzalloc(sizeof(*b));

	b->a.ops = &ops;
	b->nr_worst = config->nr_worst;
	b->from = selector_new("between", config->from, err);
	b->to = b->from ? selector_new("between", config->to, err) : NULL;
	if (b->to && parse_by(b, config->by, err) == 0)
		return &b->a;
	between_free(&b->a);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the windows in a walk of their own, before the report, and then asks for each event whether it lies in one. */
#include "report/windows.h"

#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/filter_match.h"
#include "report/sections.h"
#include "report/selector.h"
#include "util/mem.h"

#define ALL_THREADS (-1)

struct window {
	const struct decode *dec; /* of its file: another has other threads */
	int tid;
	uint64_t start;
	uint64_t end;
};

/* Where an event says that it is about a thread that did not run. */
struct subject {
	const struct event *event;
	const struct decode_field *field;
};

struct windows {
	struct windows_config want;
	const struct report_config *config;
	report_bind *bind; /* those of the report */
	report_match *match;
	void *match_ctx;
	struct window *window; /* ordered; none of a thread overlaps another */
	size_t nr;
	size_t room;
	struct subject *subject;
	size_t nr_subjects;
	struct selector *selector; /* of --around, from windows_new() to its walk */
};

/* The walk that finds them. */
struct finder {
	struct analysis a;
	struct windows *windows;
	struct marker_reader *reader;
	struct section_pairing pairing;
};

static void add_window(struct windows *w, const struct decode *dec, int tid, uint64_t start,
		       uint64_t end)
{
	if (w->nr == w->room) {
		w->room = w->room ? w->room * 2 : 64;
		w->window = xrealloc(w->window, w->room * sizeof(*w->window));
	}
	w->window[w->nr++] = (struct window){dec, tid, start, end};
}

static int order_of(const struct window *window, const struct decode *dec, int tid)
{
	if (window->dec != dec)
		return (uintptr_t)window->dec < (uintptr_t)dec ? -1 : 1;
	return window->tid < tid ? -1 : window->tid > tid;
}

static int by_thread_and_start(const void *ap, const void *bp)
{
	const struct window *a = ap;
	const struct window *b = bp;
	int order = order_of(a, b->dec, b->tid);

	if (order)
		return order;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void join_windows(struct windows *w)
{
	size_t nr = 0;

	if (w->nr)
		qsort(w->window, w->nr, sizeof(*w->window), by_thread_and_start);
	for (size_t i = 0; i < w->nr; i++) {
		const struct window *next = &w->window[i];
		struct window *last = nr ? &w->window[nr - 1] : NULL;

		if (!last || order_of(last, next->dec, next->tid) != 0 || next->start > last->end)
			w->window[nr++] = *next;
		else if (next->end > last->end)
			last->end = next->end;
	}
	w->nr = nr;
}

static bool holds(const struct windows *w, const struct decode *dec, int tid, uint64_t ts)
{
	size_t low = 0;
	size_t high = w->nr;

	/* The first one behind: the one before it is the only one that may hold @ts. */
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = order_of(&w->window[middle], dec, tid);

		if (order > 0 || (order == 0 && w->window[middle].start > ts))
			high = middle;
		else
			low = middle + 1;
	}
	return low && order_of(&w->window[low - 1], dec, tid) == 0 && w->window[low - 1].end >= ts;
}

bool windows_hold(const struct windows *w, int tid, uint64_t ts)
{
	for (size_t i = 0; i < w->nr; i++)
		if ((w->window[i].tid == tid || w->window[i].tid == ALL_THREADS) &&
		    w->window[i].start <= ts && ts <= w->window[i].end)
			return true;
	return false;
}

static bool subject_inside(const struct windows *w, const struct report_view *view)
{
	for (size_t i = 0; i < w->nr_subjects; i++) {
		const struct subject *subject = &w->subject[i];

		if (subject->event == view->event)
			return holds(w, view->dec,
				     (int)field_number(view->dec, subject->field, view->raw),
				     view->raw->ts);
	}
	return false;
}

static bool match_inside(void *ctx, const struct report_view *view)
{
	const struct windows *w = ctx;

	if (!holds(w, view->dec, ALL_THREADS, view->raw->ts) &&
	    !holds(w, view->dec, view->common->pid, view->raw->ts) && !subject_inside(w, view))
		return false;
	return !w->match || w->match(w->match_ctx, view);
}

static int bind_filter(void *ctx, struct decode *dec, struct err *err)
{
	struct windows *w = ctx;

	return w->bind ? w->bind(w->match_ctx, dec, err) : 0;
}

/* Being woken and being switched to happens to a thread in the context of another. */
static void find_subjects(struct windows *w, struct decode *dec)
{
	static const struct {
		const char *event;
		const char *field;
	} names[] = {
		{"sched_switch", "next_pid"},
		{"sched_waking", "pid"},
		{"sched_wakeup", "pid"},
		{"sched_wakeup_new", "pid"},
	};

	w->subject =
		xrealloc(w->subject, (w->nr_subjects + array_size(names)) * sizeof(*w->subject));
	for (size_t i = 0; i < array_size(names); i++) {
		struct subject *subject = &w->subject[w->nr_subjects];

		if (!decode_find(dec, "sched", names[i].event, &subject->event, 1))
			continue;
		subject->field = event_field(subject->event, names[i].field);
		w->nr_subjects += subject->field != NULL;
	}
}

static int finder_open(struct analysis *a, const struct input *in, struct err *err)
{
	struct finder *f = (struct finder *)a;

	(void)in;
	f->reader = marker_reader_new(a->source, a->nr_sources);
	for (size_t i = 0; i < a->nr_sources; i++)
		find_subjects(f->windows, a->source[i].dec);
	if (f->windows->selector)
		return selector_bind(f->windows->selector, a->source, a->nr_sources, err);
	return 0;
}

static void finder_event(struct analysis *a, const struct sink_event *event)
{
	struct finder *f = (struct finder *)a;
	const struct windows_config *want = &f->windows->want;
	const struct sink_source *source = &a->source[event->source];
	uint64_t ts = event->raw->ts;
	struct marker marker;
	const char *text;
	size_t len;
	bool is_marker = marker_read(f->reader, event, &text, &len);

	if (want->inside && is_marker) {
		marker_parse(text, len, &marker);
		section_pairing_marker(&f->pairing, event, &marker);
	}
	if (want->around && selector_matches(f->windows->selector, event, source,
					     is_marker ? text : NULL, is_marker ? len : 0))
		add_window(f->windows, source->dec, ALL_THREADS,
			   ts > want->before ? ts - want->before : 0,
			   want->after < UINT64_MAX - ts ? ts + want->after : UINT64_MAX);
}

static void add_section(struct finder *f, const struct section *section)
{
	const struct decode *dec = f->a.source[section->source].dec;
	const struct pairs *lists[] = {&section->closed, &section->unclosed};

	/* An async section belongs to no thread. */
	for (size_t l = 0; l < array_size(lists); l++)
		for (size_t i = 0; i < lists[l]->nr; i++)
			add_window(f->windows, dec, section->tid < 0 ? ALL_THREADS : section->tid,
				   lists[l]->pair[i].start, lists[l]->pair[i].end);
}

static int finder_end(struct analysis *a, struct table_out *out, struct err *err)
{
	struct finder *f = (struct finder *)a;
	struct windows *w = f->windows;
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	size_t nr_unclosed = 0;

	(void)out;
	section_pairing_finish(&f->pairing);
	for (size_t i = 0; i < f->pairing.sections.nr; i++) {
		const struct section *section = f->pairing.sections.entry[i]->value;

		if (!section->name)
			continue;
		strv_add(&names, section->name);
		if (!w->want.inside ||
		    !filter_glob(w->want.inside, section->name, strlen(section->name)))
			continue;
		add_section(f, section);
		nr_unclosed += section->unclosed.nr;
	}
	join_windows(w);
	if (nr_unclosed)
		analysis_tell(a, "--inside: %zu instances of %s are not closed and last to the end",
			      nr_unclosed, w->want.inside);
	if (w->nr)
		return 0;
	if (w->want.inside) {
		near = near_names(w->want.inside, &names);
		return err_set(err, ENOENT, "--inside: no marker begins a section '%s'%s",
			       w->want.inside, near);
	}
	if (selector_explain(w->selector, err) < 0)
		return -err->code;
	return err_set(err, ENOENT, "--around: nothing matches '%s'", w->want.around);
}

static void finder_free(struct analysis *a)
{
	struct finder *f = (struct finder *)a;

	section_pairing_fini(&f->pairing);
	marker_reader_free(f->reader);
	free(f);
}

/* Markers are looked for in all of the file, whatever events shall be shown. */
static int prepare(void *ctx, struct input *in, struct err *err)
{
	static const struct analysis_ops ops = {
		.open = finder_open,
		.event = finder_event,
		.end = finder_end,
		.free = finder_free,
	};
	struct windows *w = ctx;
	struct finder *f = xzalloc(sizeof(*f));
	cleanup(analysis_freep) struct analysis *a = &f->a;
	struct report_config all = {
		.message = w->config->message,
		.message_ctx = w->config->message_ctx,
		.raw_time = w->config->raw_time,
		.no_date = w->config->no_date,
		.file_names = w->config->file_names,
	};
	struct table_out out = {0};

	f->a.ops = &ops;
	f->windows = w;
	return analysis_walk(a, &all, in, &out, err);
}

struct windows *windows_new(const struct windows_config *config, struct err *err)
{
	struct windows *w = xzalloc(sizeof(*w));

	w->want = *config;
	if (config->inside && !*config->inside) {
		err_set(err, EINVAL, "--inside has an empty text: name a section");
		free(w);
		return NULL;
	}
	w->selector = config->around ? selector_new("around", config->around, err) : NULL;
	if (!config->around || w->selector)
		return w;
	free(w);
	return NULL;
}

void windows_freep(struct windows **wp)
{
	struct windows *w = *wp;

	if (!w)
		return;
	selector_free(w->selector);
	free(w->window);
	free(w->subject);
	free(w);
}

void windows_apply(struct windows *w, struct report_config *config)
{
	w->config = config;
	w->bind = config->bind;
	w->match = config->match;
	w->match_ctx = config->match_ctx;
	config->bind = bind_filter;
	config->match = match_inside;
	config->match_ctx = w;
	config->prepare = prepare;
	config->prepare_ctx = w;
}

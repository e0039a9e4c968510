/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of the time line. Each thread takes the next one, makes its text, and writes it when all before it are written.
 *
 * A slice begins on each CPU at the first event from its time on, and ends at the first from the next slice's time on.
 * That the ends of one slice are the beginnings of the next is checked before it is written: where time runs back on a
 * CPU, or a graph leaf was joined across the border, it is made anew from where the one before it really ended.
 *
 * Where lines depend on earlier ones, scan() of the sink sees the events of a slice first, slice after slice in order, on a
 * walk of its own that one thread after the other takes forward; what it finds goes to the thread that makes the slice. */
#include "report/slice.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/io.h"
#include "util/mem.h"

/* Of input, for each CPU and for all of them. The text is four times as much, and is to stay within the large pages that
 * mem_prefer_large_pages() has set aside: small ones cost more than a second thread brings. At the borders, windows of all
 * CPUs are read twice. */
#define LANE_BYTES (512u << 10)
/* Slices that are scanned before the first that nobody has begun to make. */
#define SCANNED_MOST 4
#define SLICE_LEAST (1u << 20)
#define SLICE_MOST (4u << 20)
/* Bytes of text for a byte of input: function traces have 4.4, and not all lanes are of one length. */
#define TEXT_OF_INPUT 6
/* The first one is small: its lines should be seen at once. */
#define FIRST_SLICE_BYTES (256u << 10)
/* How closely the borders are found. */
#define SAMPLE_BYTES (64u << 10)
/* Sub-buffers that are looked at for events that need scan(). */
#define SAMPLES 16
#define AT_END UINT64_MAX

/* Of a slice: where it begins and what scan() found in it. */
struct scanned {
	uint64_t *begin; /* for each lane */
	void *found;
};

struct slices {
	uint64_t *border; /* slice i has border[i] <= ts < border[i + 1] */
	size_t nr;
	bool scan; /* every slice is scanned before it is made */
	int out_fd;
	struct outbuf *preface;

	pthread_mutex_t lock;
	pthread_cond_t turn;
	size_t next;	   /* to be made */
	size_t next_write; /* whose turn it is to write */
	uint64_t *end;	   /* of each lane: where the last slice written ended */
	struct walk *scanner;
	bool scanning; /* by one of the threads */
	size_t next_scan;
	struct scanned scanned[SCANNED_MOST]; /* slice i in [i % SCANNED_MOST] */
	bool serial; /* what needs scan() came unexpected: slices are made in their turn */
	int error;
};

struct worker {
	struct slices *s;
	struct walk *walk;
	uint64_t *begin;
	uint64_t *end;
	pthread_t thread;
};

unsigned int slice_threads(const struct report_config *config, const struct input *in)
{
	const struct sink_ops *ops = config->sink ? config->sink : &text_sink;

	/* Borders go through compressed chunks, which two slices would have to unpack. */
	if (in->ahead || (ops->is_serial && ops->is_serial(&config->style)))
		return 1;
	return in->nr_threads;
}

static uint64_t lane_pos(const struct lane *lane)
{
	return lane->head ? lane->head->pos : AT_END;
}

static void note_positions(const struct walk *w, uint64_t *pos)
{
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		pos[i] = lane_pos(&w->merge.lane[i]);
}

static void enter_by_time(struct walk *w, uint64_t ts)
{
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		walk_seek(w, &w->merge.lane[i], ts);
	merge_start(&w->merge);
}

static void enter_by_position(struct walk *w, const uint64_t *pos)
{
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++) {
		struct stream *stream = &w->merge.lane[i].stream;

		/* At its end a stream still knows what was lost there. */
		if (pos[i] != AT_END || stream_head(stream))
			stream_seek_pos(stream, pos[i]);
	}
	merge_start(&w->merge);
}

static bool same_positions(const struct walk *w, const uint64_t *a, const uint64_t *b)
{
	return !memcmp(a, b, w->merge.nr_lanes * sizeof(*a));
}

/* Sorts out borders that do not grow, as where many sub-buffers have the same time. */
static void add_border(struct slices *s, uint64_t ts, uint64_t end)
{
	if (ts > s->border[s->nr] && ts < end)
		s->border[++s->nr] = ts;
}

static uint64_t slice_bytes(const struct walk *w)
{
	uint64_t bytes = (uint64_t)LANE_BYTES * w->merge.nr_lanes;

	if (bytes < SLICE_LEAST)
		return SLICE_LEAST;
	return bytes < SLICE_MOST ? bytes : SLICE_MOST;
}

/* So many bytes of a CPU come from this time on. */
struct sample {
	uint64_t ts;
	uint64_t bytes;
};

static int by_time(const void *ap, const void *bp)
{
	const struct sample *a = ap;
	const struct sample *b = bp;

	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* The times of sub-buffers at equal distances in every lane; returns how many. */
static size_t take_samples(const struct walk *w, const struct report_window *window,
			   struct sample **samples)
{
	size_t room = w->in->nr_bytes / SAMPLE_BYTES + w->merge.nr_lanes;
	size_t nr = 0;

	*samples = xcalloc(room, sizeof(**samples));
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++) {
		struct stream *stream = &w->merge.lane[i].stream;
		uint64_t page_size = stream->src->page_size;
		uint64_t step = page_size < SAMPLE_BYTES ? SAMPLE_BYTES / page_size : 1;
		uint64_t page = stream_page_before(stream, window->since);
		uint64_t ts;

		for (; page < stream->src->nr_pages && nr < room; page += step) {
			if (!stream_page_ts(stream, page, &ts))
				continue;
			if (ts >= window->end)
				break;
			(*samples)[nr++] = (struct sample){ts, step * page_size};
		}
	}
	qsort(*samples, nr, sizeof(**samples), by_time);
	return nr;
}

/* Borders between which all lanes together have about the same number of bytes, the first slice fewer. */
static void find_borders(struct slices *s, const struct walk *w, const struct report_window *window)
{
	cleanup_free struct sample *sample = NULL;
	size_t nr = take_samples(w, window, &sample);
	uint64_t wanted = FIRST_SLICE_BYTES;
	uint64_t bytes = 0;

	s->border = xcalloc(nr + 2, sizeof(*s->border));
	s->border[0] = window->since;
	for (size_t i = 0; i < nr; i++) {
		if (bytes >= wanted) {
			add_border(s, sample[i].ts, window->end);
			wanted = slice_bytes(w);
			bytes = 0;
		}
		bytes += sample[i].bytes;
	}
	s->border[++s->nr] = window->end;
}

/* Looks at some sub-buffers of each lane for events that need scan(). */
bool slice_needs_scan(struct walk *w)
{
	bool found = false;

	for (uint32_t i = 0; i < w->merge.nr_lanes && !found; i++) {
		struct lane *lane = &w->merge.lane[i];
		uint64_t pages = lane->stream.src->nr_pages;
		uint64_t step = pages / SAMPLES + 1;

		for (uint64_t page = 0; page < pages && !found; page += step)
			found = walk_page_needs_scan(w, lane, page);
	}
	return found;
}

static void scan_slice(struct slices *s, size_t nr)
{
	struct scanned *scanned = &s->scanned[nr % SCANNED_MOST];
	struct walk *w = s->scanner;

	note_positions(w, scanned->begin);
	w->sink->ops->scan_rewind(w->sink, true);
	walk_scan(w, s->border[nr + 1]);
	w->sink->ops->scan_swap(w->sink, &scanned->found);
}

/* With the lock held. */
static bool can_scan(const struct slices *s)
{
	return s->scan && !s->scanning && s->next_scan < s->nr &&
	       s->next_scan < s->next + SCANNED_MOST;
}

/* With the lock held, which is free meanwhile. */
static void scan_next(struct slices *s)
{
	size_t nr = s->next_scan;

	s->scanning = true;
	pthread_mutex_unlock(&s->lock);
	scan_slice(s, nr);
	pthread_mutex_lock(&s->lock);
	s->scanning = false;
	s->next_scan++;
	pthread_cond_broadcast(&s->turn);
}

/* With the lock held. */
static void wait_for_turn(struct slices *s, size_t nr)
{
	while (s->next_write != nr && !s->error) {
		if (can_scan(s))
			scan_next(s);
		else
			pthread_cond_wait(&s->turn, &s->lock);
	}
}

/* Where the scan of the slice began; at the end of a CPU by time, which tells what was lost there. */
static void enter_scanned(struct walk *w, const uint64_t *begin, uint64_t ts)
{
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++)
		if (begin[i] == AT_END)
			walk_seek(w, &w->merge.lane[i], ts);
	enter_by_position(w, begin);
}

static void make_slice(struct worker *worker, size_t nr)
{
	struct walk *w = worker->walk;

	w->out.len = 0;
	walk_some(w, SIZE_MAX, worker->s->border[nr + 1]);
	note_positions(w, worker->end);
}

/* In the slice's turn: makes it anew if it did not begin where the one before it ended. */
static void mend_slice(struct worker *worker, size_t nr)
{
	struct slices *s = worker->s;
	struct walk *w = worker->walk;

	s->serial |= w->met_scan;
	if (!s->serial && (!nr || same_positions(w, worker->begin, s->end)))
		return;
	w->stop_scan = w->met_scan = false;
	if (s->scan)
		w->sink->ops->scan_rewind(w->sink, false);
	enter_by_position(w, nr ? s->end : worker->begin);
	make_slice(worker, nr);
}

static int write_slice(struct worker *worker, size_t nr)
{
	struct slices *s = worker->s;
	struct walk *w = worker->walk;
	int ret = 0;

	if (nr + 1 == s->nr)
		walk_tail(w);
	if (!nr)
		ret = io_write_all(s->out_fd, s->preface->buf, s->preface->len);
	if (ret == 0)
		ret = io_write_all(s->out_fd, w->out.buf, w->out.len);
	w->out.len = 0;
	return ret;
}

static void do_slice(struct worker *worker, size_t nr)
{
	struct slices *s = worker->s;
	struct walk *w = worker->walk;
	int ret;

	w->stop_scan = !s->scan;
	w->met_scan = false;
	if (s->scan) {
		w->sink->ops->scan_rewind(w->sink, false);
		enter_scanned(w, worker->begin, s->border[nr]);
	} else {
		enter_by_time(w, s->border[nr]);
		note_positions(w, worker->begin);
	}
	make_slice(worker, nr);
	pthread_mutex_lock(&s->lock);
	wait_for_turn(s, nr);
	ret = s->error;
	pthread_mutex_unlock(&s->lock);
	if (ret == 0) {
		mend_slice(worker, nr);
		ret = write_slice(worker, nr);
	}
	pthread_mutex_lock(&s->lock);
	if (ret < 0 && !s->error)
		s->error = ret;
	memcpy(s->end, worker->end, w->merge.nr_lanes * sizeof(*s->end));
	s->next_write++;
	pthread_cond_broadcast(&s->turn);
	pthread_mutex_unlock(&s->lock);
}

/* With the lock held: what was found goes to the worker, and what it had found before comes back. */
static void take_scanned(struct worker *worker, size_t nr)
{
	struct scanned *scanned = &worker->s->scanned[nr % SCANNED_MOST];
	struct walk *w = worker->walk;

	memcpy(worker->begin, scanned->begin, w->merge.nr_lanes * sizeof(*scanned->begin));
	w->sink->ops->scan_swap(w->sink, &scanned->found);
}

/* The next slice to be made, scanned if it has to be. False when there is none. */
static bool take_slice(struct worker *worker, size_t *nr)
{
	struct slices *s = worker->s;
	bool found;

	pthread_mutex_lock(&s->lock);
	while (s->scan && s->next < s->nr && !s->error) {
		if (can_scan(s))
			scan_next(s);
		else if (s->next < s->next_scan)
			break;
		else
			pthread_cond_wait(&s->turn, &s->lock);
	}
	found = s->next < s->nr && !s->error;
	if (found) {
		*nr = s->next++;
		if (s->scan)
			take_scanned(worker, *nr);
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	size_t nr;

	/* Buffers that grow side by side leave holes behind: pages that were touched for nothing. */
	outbuf_reserve(&worker->walk->out, slice_bytes(worker->walk) * TEXT_OF_INPUT);
	while (take_slice(worker, &nr))
		do_slice(worker, nr);
	return NULL;
}

static void start_scan(struct slices *s, struct walk *scanner, uint64_t since)
{
	s->scan = true;
	s->scanner = scanner;
	for (size_t i = 0; i < SCANNED_MOST; i++)
		s->scanned[i].begin =
			xcalloc(scanner->merge.nr_lanes, sizeof(*s->scanned[i].begin));
	enter_by_time(scanner, since);
}

static void end_scan(struct slices *s)
{
	for (size_t i = 0; i < SCANNED_MOST; i++) {
		free(s->scanned[i].begin);
		if (s->scanned[i].found)
			s->scanner->sink->ops->scan_free(s->scanned[i].found);
	}
}

int slice_run(struct walk *walk, unsigned int nr, const struct report_window *window, int out_fd,
	      struct outbuf *preface)
{
	struct slices s = {.out_fd = out_fd,
			   .preface = preface,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .turn = PTHREAD_COND_INITIALIZER};
	struct worker *worker = xcalloc(nr, sizeof(*worker));
	uint32_t lanes = walk->merge.nr_lanes;
	unsigned int started = 1;

	find_borders(&s, walk, window);
	if (slice_needs_scan(walk))
		start_scan(&s, &walk[nr], window->since);
	s.end = xcalloc(lanes, sizeof(*s.end));
	for (unsigned int i = 0; i < nr; i++)
		worker[i] = (struct worker){.s = &s,
					    .walk = &walk[i],
					    .begin = xcalloc(lanes, sizeof(*worker->begin)),
					    .end = xcalloc(lanes, sizeof(*worker->end))};
	/* With fewer threads than asked for it only takes longer. */
	while (started < nr &&
	       pthread_create(&worker[started].thread, NULL, work, &worker[started]) == 0)
		started++;
	work(&worker[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(worker[i].thread, NULL);
	for (unsigned int i = 0; i < nr; i++) {
		free(worker[i].begin);
		free(worker[i].end);
	}
	free(worker);
	free(s.end);
	free(s.border);
	end_scan(&s);
	return s.error;
}

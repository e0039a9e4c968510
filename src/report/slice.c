/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of the time line. Each thread takes the next one, makes its text, and writes it when all before it are written.
 *
 * A slice begins on each CPU at the first event from its time on, and ends at the first from the next slice's time on.
 * That the ends of one slice are the beginnings of the next is checked before it is written: where time runs back on a
 * CPU, or a graph leaf was joined across the border, it is made anew from where the one before it really ended.
 *
 * Where lines depend on earlier ones, scan() of the sink sees the events of a slice first, slice after slice in order;
 * what it finds is used by the thread that then makes the slice. */
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
/* Where a slice is walked twice: each change of the thread moves what scan() keeps from one CPU's caches to the other's. */
#define LANE_BYTES_TWICE (768u << 10)
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

struct slices {
	uint64_t *border; /* slice i has border[i] <= ts < border[i + 1] */
	size_t nr;
	bool scan; /* every slice is scanned before it is made */
	int out_fd;
	struct outbuf *preface;

	pthread_mutex_t lock;
	pthread_cond_t turn;
	size_t next;	    /* to be taken by a thread */
	size_t next_scan;   /* whose turn it is to scan */
	size_t next_write;  /* whose turn it is to write */
	uint64_t *end;	    /* of each lane: where the last slice written ended */
	uint64_t *scan_end; /* and the last one scanned */
	bool serial;	    /* what needs scan() came unexpected: slices are made in their turn */
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

static uint64_t slice_bytes(const struct slices *s, const struct walk *w)
{
	uint64_t bytes = (uint64_t)(s->scan ? LANE_BYTES_TWICE : LANE_BYTES) * w->merge.nr_lanes;

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
			wanted = slice_bytes(s, w);
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

static void wait_for(struct slices *s, const size_t *turn, size_t nr)
{
	while (*turn != nr && !s->error)
		pthread_cond_wait(&s->turn, &s->lock);
}

/* The slice's events through scan(), in its turn; afterwards the walk stands where it stood. */
static void scan_slice(struct worker *worker, size_t nr)
{
	struct slices *s = worker->s;
	struct walk *w = worker->walk;

	pthread_mutex_lock(&s->lock);
	wait_for(s, &s->next_scan, nr);
	pthread_mutex_unlock(&s->lock);
	if (nr && !same_positions(w, worker->begin, s->scan_end)) {
		memcpy(worker->begin, s->scan_end, w->merge.nr_lanes * sizeof(*s->scan_end));
		enter_by_position(w, worker->begin);
	}
	w->sink->ops->scan_rewind(w->sink, true);
	walk_scan(w, s->border[nr + 1]);
	pthread_mutex_lock(&s->lock);
	note_positions(w, s->scan_end);
	s->next_scan++;
	pthread_cond_broadcast(&s->turn);
	pthread_mutex_unlock(&s->lock);
	enter_by_position(w, worker->begin);
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
	enter_by_time(w, s->border[nr]);
	note_positions(w, worker->begin);
	if (s->scan)
		scan_slice(worker, nr);
	make_slice(worker, nr);
	pthread_mutex_lock(&s->lock);
	wait_for(s, &s->next_write, nr);
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

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct slices *s = worker->s;

	/* Buffers that grow side by side leave holes behind: pages that were touched for nothing. */
	outbuf_reserve(&worker->walk->out, slice_bytes(s, worker->walk) * TEXT_OF_INPUT);
	for (;;) {
		size_t nr;
		bool done;

		pthread_mutex_lock(&s->lock);
		nr = s->next++;
		done = nr >= s->nr || s->error;
		pthread_mutex_unlock(&s->lock);
		if (done)
			return NULL;
		do_slice(worker, nr);
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

	s.scan = slice_needs_scan(walk);
	find_borders(&s, walk, window);
	s.end = xcalloc(lanes, sizeof(*s.end));
	s.scan_end = xcalloc(lanes, sizeof(*s.scan_end));
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
	free(s.scan_end);
	free(s.border);
	return s.error;
}

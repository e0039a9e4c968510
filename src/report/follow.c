/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a running kernel.
 *
 * In each round every CPU is drained, then all events are put out whose time is not later than the latest one of the
 * round before: whatever belongs between them was in the buffers when this round began, so that the order of time holds
 * over CPUs, without a clock and without waiting for CPUs that do nothing. A round that finds nothing puts out all.
 * Of a stream in parts, each part is a round. */
#include "report/follow.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "dat/ring.h"
#include "decode/comms.h"
#include "util/io.h"
#include "util/mem.h"

/* While events come, and while none do: what an event waits is two or three of these. */
#define TICK_MS 10
#define IDLE_TICK_MS 20
/* Of one CPU of a running kernel in one round, and waiting at most: the others must have their turn. */
#define ROUND_BYTES (1u << 20)
#define QUEUE_BYTES (4u << 20)
#define OUT_BYTES (64u << 10)
/* What a pipe that has room at all takes without blocking. */
#define PIPE_BYTES 4096u
/* Tasks change their names with exec; an unknown one may be asked for sooner. */
#define NAMES_AGE_MS 1000
#define UNKNOWN_AGE_MS 50

struct queue {
	struct page_source base;
	uint8_t *data;
	size_t len;
	size_t room;
	size_t at; /* what is before it has been read */
	uint64_t last_ts;
};

struct follow {
	struct walk *walk;
	const struct report_live *live;
	int out_fd;
	bool out_is_file;
	uint64_t seen; /* the latest time before this round, or this part; 0 before the first */
	struct comms comms;
	uint64_t comms_at; /* ms */
	void *names;	   /* a tree of all names met: sinks know them by their addresses */
	bool ended;
	uint8_t *page;
};

static ssize_t read_queue(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			  uint8_t *buf, size_t room)
{
	struct queue *q = (struct queue *)src;
	size_t take = q->len - q->at;

	(void)scratch;
	(void)first;
	if (take > room)
		take = room / src->page_size * src->page_size;
	if (take)
		memcpy(buf, q->data + q->at, take);
	q->at += take;
	return (ssize_t)take;
}

static void free_queue(struct page_source *src)
{
	free(((struct queue *)src)->data);
	free(src);
}

struct page_source *follow_source_new(uint32_t page_size)
{
	static const struct page_source_ops ops = {read_queue, free_queue};
	struct queue *q = xzalloc(sizeof(*q));

	q->base = (struct page_source){.ops = &ops, .page_size = page_size, .nr_pages = UINT64_MAX};
	return &q->base;
}

static void add_page(struct queue *q, const uint8_t *page)
{
	size_t size = q->base.page_size;

	if (q->at) {
		q->len -= q->at;
		memmove(q->data, q->data + q->at, q->len);
		q->at = 0;
	}
	if (q->room - q->len < size) {
		q->room = (q->room + size) * 2;
		q->data = xrealloc(q->data, q->room);
	}
	memcpy(q->data + q->len, page, size);
	q->len += size;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void load_comms(struct follow *f)
{
	cleanup_free char *text = f->live->cmdlines(f->live->ctx);

	walk_forget_comms(f->walk);
	comms_fini(&f->comms);
	comms_parse(&f->comms, (struct decode_text){text, text ? strlen(text) : 0});
	f->comms_at = now_ms();
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *keep_name(struct follow *f, const char *name)
{
	char **node = tfind(name, &f->names, compare_names);

	if (!node)
		node = tsearch(xstrdup(name), &f->names, compare_names);
	return node ? *node : NULL;
}

static const char *find_comm(void *ctx, int pid)
{
	struct follow *f = ctx;
	const char *comm = comms_find(&f->comms, pid);

	if (!pid)
		return "<idle>";
	if (!comm && now_ms() - f->comms_at >= UNKNOWN_AGE_MS) {
		load_comms(f);
		comm = comms_find(&f->comms, pid);
	}
	return comm ? keep_name(f, comm) : NULL;
}

/* Takes what a CPU has. 1 when some may be left, 0 when not, -errno. A part is taken whole: up to which time
 * all events have been read is known only behind it. */
static int drain_lane(struct follow *f, struct lane *lane, bool *any, struct err *err)
{
	const char *buffer = f->walk->in->about[lane->source].name;
	struct queue *q = (struct queue *)lane->stream.src;
	uint32_t size = q->base.page_size;
	bool whole = f->live->in_parts;

	for (size_t got = 0; whole || (got < ROUND_BYTES && q->len - q->at < QUEUE_BYTES);
	     got += size) {
		int r = f->live->read(f->live->ctx, buffer, lane->stream.cpu, f->page, err);

		if (r <= 0)
			return r;
		add_page(q, f->page);
		q->last_ts = ring_last_ts(f->page, size, lane->stream.layout.page_data);
		q->last_ts = time_rule_apply(&lane->stream.time, q->last_ts);
		*any = true;
	}
	return 1;
}

/* Up to which time all events of all CPUs have been read goes to *complete. 1 when more is there, 0, or -errno. */
static int drain(struct follow *f, uint64_t *complete, struct err *err)
{
	struct merge *m = &f->walk->merge;
	uint64_t latest = f->seen;
	uint64_t least = UINT64_MAX;
	bool any = false;
	bool more = false;

	for (uint32_t i = 0; i < m->nr_lanes; i++) {
		const struct queue *q = (const struct queue *)m->lane[i].stream.src;
		int r = drain_lane(f, &m->lane[i], &any, err);

		if (r < 0)
			return r;
		if (r > 0 && q->last_ts < least)
			least = q->last_ts;
		if (q->last_ts > latest)
			latest = q->last_ts;
		more |= r > 0;
	}
	*complete = more && least < f->seen ? least : f->seen;
	f->seen = latest;
	if (!any && !more)
		*complete = UINT64_MAX - 1;
	return more;
}

/* Whole lines, as many as fit: others may write to the same terminal or pipe. */
static size_t whole_lines(const char *text, size_t len, size_t most)
{
	const char *end = len > most ? memrchr(text, '\n', most) : NULL;

	if (end)
		return (size_t)(end - text) + 1;
	return len < most ? len : most;
}

/* Only as much at a time as does not block, so that a signal ends a report whose reader sleeps. */
static int write_out(struct follow *f, struct outbuf *out)
{
	size_t most = f->out_is_file ? OUT_BYTES : PIPE_BYTES;
	size_t step;
	int r = 0;

	for (size_t at = 0; at < out->len && r == 0; at += step) {
		step = whole_lines(out->buf + at, out->len - at, most);
		if (!f->out_is_file && !f->live->wait_room(f->live->ctx, f->out_fd)) {
			f->ended = true;
			break;
		}
		r = io_write_all(f->out_fd, out->buf + at, step);
	}
	out->len = 0;
	return r;
}

/* Puts out all events before @end. */
static int put_events(struct follow *f, uint64_t end)
{
	struct walk *w = f->walk;
	bool more = true;
	int r = 0;

	merge_start(&w->merge);
	while (more && r == 0 && !f->ended) {
		more = walk_some(w, OUT_BYTES, end);
		r = write_out(f, &w->out);
	}
	return r;
}

static int follow_rounds(struct follow *f, struct err *err)
{
	bool told = false;
	int timeout_ms = 0;
	int r = 0;

	while (!told && !f->ended && r >= 0) {
		enum report_wait wait = f->live->wait(f->live->ctx, f->out_fd, timeout_ms);
		uint64_t complete;

		if (wait == REPORT_WAIT_NOTHING)
			continue;
		/* What is there when it is told to end is still put out. */
		told = wait == REPORT_WAIT_END;
		if (now_ms() - f->comms_at > NAMES_AGE_MS)
			load_comms(f);
		r = drain(f, &complete, err);
		if (r < 0)
			return r;
		timeout_ms = r ? 0 : complete >= UINT64_MAX - 1 ? IDLE_TICK_MS : TICK_MS;
		r = put_events(f, told ? UINT64_MAX : complete + 1);
	}
	return r;
}

/* Buffers may have sub-buffers of several sizes. */
static uint32_t largest_page(const struct merge *m)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < m->nr_lanes; i++)
		if (m->lane[i].stream.src->page_size > size)
			size = m->lane[i].stream.src->page_size;
	return size;
}

int follow_run(struct walk *w, int out_fd, struct outbuf *preface, struct err *err)
{
	struct follow f = {.walk = w, .live = w->config->live, .out_fd = out_fd};
	struct stat st;
	int r;

	if (!w->merge.nr_lanes)
		return 0;
	f.out_is_file = fstat(out_fd, &st) == 0 && S_ISREG(st.st_mode);
	f.page = xmalloc(largest_page(&w->merge));
	w->find_comm = find_comm;
	w->find_comm_ctx = &f;
	load_comms(&f);
	r = write_out(&f, preface);
	if (r == 0)
		r = follow_rounds(&f, err);
	if (r == 0) {
		walk_tail(w);
		r = write_out(&f, &w->out);
	}
	comms_fini(&f.comms);
	walk_forget_comms(w);
	tdestroy(f.names, free);
	free(f.page);
	return r;
}

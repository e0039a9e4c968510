/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that compress what the streams bring. The chunks of one stream are done one after the
 * other, those of several side by side. */
#include "record/packer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/mem.h"

/* More threads than this do not help: the disk is the limit by then. */
#define THREADS_MOST 8
/* What may wait to be compressed; beyond it the kernel's buffers have to do. */
#define QUEUE_BYTES (64u << 20)

struct job {
	struct job *next;
	void *data;
	size_t len;
};

/* The chunks of one stream, in order. */
struct lane {
	struct job *first;
	struct job **last;
	bool busy; /* a thread has taken one: the others keep away */
};

struct packer {
	enum compress_kind kind;
	int level;
	int wake;
	struct dat_writer *writer;
	size_t buffer;

	pthread_mutex_t lock;
	pthread_cond_t work;  /* there is some, or the end */
	pthread_cond_t space; /* some has been done */
	struct lane *lane;
	size_t nr_lanes;
	size_t next;   /* lane to look at first */
	size_t queued; /* bytes, those at work included */
	bool ended;
	struct err err;

	pthread_t thread[THREADS_MOST];
	pid_t tid[THREADS_MOST];
	unsigned int nr_threads; /* that have started */
	unsigned int nr_tids;	 /* that have told their ids */
};

static struct lane *find_work(struct packer *p)
{
	for (size_t i = 0; i < p->nr_lanes; i++) {
		struct lane *lane = &p->lane[(p->next + i) % p->nr_lanes];

		if (!lane->first || lane->busy)
			continue;
		p->next = (p->next + i + 1) % p->nr_lanes;
		return lane;
	}
	return NULL;
}

static struct job *take_job(struct lane *lane)
{
	struct job *job = lane->first;

	lane->first = job->next;
	if (!lane->first)
		lane->last = &lane->first;
	lane->busy = true;
	return job;
}

static void fail(struct packer *p, const struct err *err)
{
	if (p->err.code)
		return;
	p->err = *err;
	eventfd_write(p->wake, 1);
}

/* With the lock held, which is given up for the work itself. */
static void do_job(struct packer *p, struct lane *lane, struct compressor *c)
{
	struct job *job = take_job(lane);
	bool failed = p->err.code;
	struct err err = {0};
	int r = 0;

	pthread_mutex_unlock(&p->lock);
	if (!failed)
		r = dat_writer_append(p->writer, p->buffer, (size_t)(lane - p->lane), job->data,
				      job->len, c, &err);
	pthread_mutex_lock(&p->lock);
	if (r < 0)
		fail(p, &err);
	lane->busy = false;
	p->queued -= job->len;
	free(job->data);
	free(job);
	pthread_cond_broadcast(&p->space);
	/* The lane may have more, which others could not take meanwhile. */
	pthread_cond_signal(&p->work);
}

static void *packer_main(void *arg)
{
	struct packer *p = arg;
	struct compressor *c = compressor_new(p->kind, p->level);

	pthread_mutex_lock(&p->lock);
	p->tid[p->nr_tids++] = (pid_t)syscall(SYS_gettid);
	pthread_cond_broadcast(&p->space);
	for (;;) {
		struct lane *lane = find_work(p);

		if (lane)
			do_job(p, lane, c);
		else if (p->ended)
			break;
		else
			pthread_cond_wait(&p->work, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	compressor_free(c);
	return NULL;
}

static int start_threads(struct packer *p, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int nr = cpus < 1 ? 1 : cpus > THREADS_MOST ? THREADS_MOST : (unsigned int)cpus;

	for (; p->nr_threads < nr; p->nr_threads++) {
		int r = pthread_create(&p->thread[p->nr_threads], NULL, packer_main, p);

		if (r)
			return err_sys(err, r, "cannot start a thread");
	}
	pthread_mutex_lock(&p->lock);
	while (p->nr_tids < p->nr_threads)
		pthread_cond_wait(&p->space, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

struct packer *packer_new(enum compress_kind kind, int level, size_t lanes, int wake,
			  struct err *err)
{
	struct packer *p = xzalloc(sizeof(*p));

	p->kind = kind;
	p->level = level;
	p->wake = wake;
	p->nr_lanes = lanes;
	p->lane = xcalloc(lanes, sizeof(*p->lane));
	for (size_t i = 0; i < lanes; i++)
		p->lane[i].last = &p->lane[i].first;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->space, NULL);
	if (start_threads(p, err) < 0) {
		packer_free(p);
		return NULL;
	}
	return p;
}

void packer_tids(const struct packer *p, struct strv *out)
{
	for (unsigned int i = 0; i < p->nr_threads; i++)
		strv_add_take(out, xasprintf("%d", (int)p->tid[i]));
}

void packer_begin(struct packer *p, struct dat_writer *writer, size_t buffer)
{
	p->writer = writer;
	p->buffer = buffer;
}

int packer_put(struct packer *p, size_t lane, void *data, size_t len)
{
	struct job *job = xmalloc(sizeof(*job));
	int r;

	*job = (struct job){NULL, data, len};
	pthread_mutex_lock(&p->lock);
	while (p->queued && p->queued + len > QUEUE_BYTES && !p->err.code)
		pthread_cond_wait(&p->space, &p->lock);
	*p->lane[lane].last = job;
	p->lane[lane].last = &job->next;
	p->queued += len;
	r = -p->err.code;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	return r;
}

void packer_flush(struct packer *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->queued)
		pthread_cond_wait(&p->space, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

int packer_error(const struct packer *p, struct err *err)
{
	return p->err.code ? err_set(err, p->err.code, "%s", p->err.text) : 0;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->nr_threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->space);
	free(p->lane);
	free(p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that goes somewhere while it runs. The streams write into a file as always, so that a slow
 * reader costs disk space and no events; a thread sends what has come from there now and then. */
#include "cmd/record_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/record_printer.h"
#include "dat/write_stream.h"
#include "util/mem.h"

/* A part is at least as large, as long as the reader has not got what came before. */
#define PART_LEAST (1u << 20)

/* How far all CPUs were when all of them had been flushed. */
struct look {
	struct look *next;
	unsigned int number;
	uint64_t total;
	uint64_t sizes[];
};

struct record_pipe {
	int fd;
	char *name;
	pid_t printer; /* 0: none */
	bool has_file;
	bool told_to_stop; /* the printer has been ended */
	struct dat_stream *stream;
	const struct dat_writer *from;

	pthread_t thread;
	pid_t tid;   /* 0: there is no thread */
	int kick;    /* tells the thread that there is something to do */
	int done;    /* readable when the thread is at its end */
	int wake;    /* the recording's */
	bool paused; /* the reader knows that all has come */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t known; /* of ->tid */
	struct look *first;   /* the oldest that the thread has not taken; NULL: none */
	struct look *last;    /* the newest of these */
	uint64_t before_last; /* ->total of the one before that */
	size_t nr;	      /* of CPUs of all buffers */
	unsigned int looks;   /* how many have been made */
	unsigned int taken;   /* the number of that which the thread has taken */
	char *names;	      /* to be sent; NULL: none */
	const struct dat_tail *tail;
	bool stopping;
	struct err err; /* the first */
};

static int take_stdout(struct record_pipe *p, struct err *err)
{
	struct stat st;

	if (isatty(STDOUT_FILENO))
		return err_set(err, EINVAL,
			       "-o - writes a trace.dat, and the standard output is a terminal; "
			       "lead it into a pipe or a file");
	p->name = xstrdup("the standard output");
	if (fstat(STDOUT_FILENO, &st) < 0)
		return err_sys(err, errno, "cannot write %s", p->name);
	p->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (p->fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(err, errno, "cannot write %s", p->name);
	return 0;
}

static int open_special(struct record_pipe *p, const char *path, struct err *err)
{
	p->name = xstrdup(path);
	p->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (p->fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	return 0;
}

static struct record_pipe *pipe_new(void)
{
	struct record_pipe *p = xzalloc(sizeof(*p));

	p->fd = -1;
	p->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->known, NULL);
	return p;
}

static int open_printer(struct record_pipe *p, const struct record_args *args, struct err *err)
{
	p->name = xstrdup("the events");
	p->has_file = args->output != NULL;
	return record_printer_start(args, &p->fd, &p->printer, err);
}

static int check_special(const struct record_args *args, const struct stat *st, struct err *err)
{
	if (args->live)
		return err_set(err, EINVAL, "--live prints beside a file, and %s is none",
			       args->output);
	if (S_ISBLK(st->st_mode))
		return err_set(err, EINVAL, "%s is a disk and not a file", args->output);
	if (args->file_version == 6)
		return err_set(err, EINVAL,
			       "--file-version 6 needs a file: its tables, known at the end, come "
			       "before the events, and %s is none",
			       args->output);
	if (args->compress_kind != COMPRESS_NONE)
		return err_set(err, EINVAL, "--compress needs a file; lead -o - through zstd");
	return 0;
}

int record_pipe_open(const struct record_args *args, struct record_pipe **out, struct err *err)
{
	const char *path = args->output;
	bool is_stdout = path && !strcmp(path, "-");
	struct stat st = {0};
	bool is_special = path && (is_stdout || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
						 !S_ISDIR(st.st_mode)));
	struct record_pipe *p;
	int r = is_special ? check_special(args, &st, err) : 0;

	*out = NULL;
	if (r < 0 || (!is_special && !args->live))
		return r;
	p = pipe_new();
	if (args->live)
		r = open_printer(p, args, err);
	else
		r = is_stdout ? take_stdout(p, err) : open_special(p, path, err);
	if (r < 0)
		record_pipe_free(p);
	else
		*out = p;
	return r;
}

const char *record_pipe_name(const struct record_pipe *p)
{
	return p->name;
}

bool record_pipe_has_file(const struct record_pipe *p)
{
	return p->has_file;
}

char *record_pipe_spool(void)
{
	const char *dir = getenv("TMPDIR");

	return xasprintf("%s/ft-spool", dir && *dir ? dir : "/var/tmp");
}

/* What is to be sent now. */
struct load {
	struct look *look; /* NULL: none */
	char *names;
	const struct dat_tail *tail; /* behind the last look only */
	bool stopping;
};

static void load_fini(struct load *load)
{
	free(take_ptr(load->look));
	free(take_ptr(load->names));
}

static void take_load(struct record_pipe *p, struct load *load)
{
	pthread_mutex_lock(&p->lock);
	load->look = p->first;
	if (p->first) {
		p->taken = p->first->number;
		/* The next one may not be put together with what goes now. */
		if (p->first == p->last)
			p->before_last = p->first->total;
		p->first = p->first->next;
	}
	if (!p->first)
		p->last = NULL;
	load->stopping = p->stopping;
	load->names = take_ptr(p->names);
	load->tail = p->first ? NULL : p->tail;
	pthread_mutex_unlock(&p->lock);
}

/* The order of time over CPUs is known up to a part only when the next look has been made: also one that
 * finds nothing is told, once. */
static int send_look(struct record_pipe *p, const struct load *load, struct err *err)
{
	int r = dat_stream_part(p->stream, p->from, load->look->sizes, !p->has_file, load->names,
				err);

	if (r == 0 && !p->paused)
		r = dat_stream_pause(p->stream, err) < 0 ? -err->code : 0;
	if (r >= 0)
		p->paused = r == 0;
	return r;
}

/* False when the reader is gone. */
static bool wait_for_kick(const struct record_pipe *p)
{
	struct pollfd fds[] = {{.fd = p->fd}, {.fd = p->kick, .events = POLLIN}};
	eventfd_t n;

	while (poll(fds, array_size(fds), -1) < 0)
		;
	if (!fds[1].revents && (fds[0].revents & POLLERR))
		return false;
	eventfd_read(p->kick, &n);
	return true;
}

/* All that waits. 1 behind the end, 0, -errno. */
static int send_waiting(struct record_pipe *p, struct err *err)
{
	for (;;) {
		cleanup(load_fini) struct load load = {0};
		int r = 0;

		take_load(p, &load);
		if (load.stopping)
			return 1;
		if (load.look)
			r = send_look(p, &load, err);
		if (r >= 0 && load.tail)
			r = dat_stream_finish(p->stream, load.tail, err);
		if (r < 0 || load.tail)
			return r < 0 ? r : 1;
		if (!load.look)
			return 0;
	}
}

static int send_all(struct record_pipe *p, struct err *err)
{
	int r = 0;

	while (r == 0) {
		if (!wait_for_kick(p))
			return err_sys(err, EPIPE, "cannot write %s", p->name);
		r = send_waiting(p, err);
	}
	return r < 0 ? r : 0;
}

static void *sender_main(void *arg)
{
	struct record_pipe *p = arg;
	struct err err = {0};

	pthread_mutex_lock(&p->lock);
	p->tid = (pid_t)syscall(SYS_gettid);
	pthread_cond_broadcast(&p->known);
	pthread_mutex_unlock(&p->lock);
	if (send_all(p, &err) < 0) {
		pthread_mutex_lock(&p->lock);
		p->err = err;
		pthread_mutex_unlock(&p->lock);
		eventfd_write(p->wake, 1);
	}
	eventfd_write(p->done, 1);
	return NULL;
}

int record_pipe_start(struct record_pipe *p, int wake, struct err *err)
{
	int r;

	p->wake = wake;
	r = pthread_create(&p->thread, NULL, sender_main, p);
	if (r)
		return err_sys(err, r, "cannot start a thread");
	pthread_mutex_lock(&p->lock);
	while (!p->tid)
		pthread_cond_wait(&p->known, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

void record_pipe_tids(const struct record_pipe *p, struct strv *out)
{
	strv_add_take(out, xasprintf("%d", (int)p->tid));
	if (p->printer)
		strv_add_take(out, xasprintf("%d", (int)p->printer));
}

int record_pipe_begin(struct record_pipe *p, const struct dat_meta *meta,
		      const struct dat_buffer_spec *specs, size_t nr_specs,
		      const struct dat_writer *from, struct err *err)
{
	p->from = from;
	for (size_t b = 0; b < nr_specs; b++)
		p->nr += specs[b].nr_cpus;
	p->stream = dat_stream_new(p->fd, p->name, meta, specs, nr_specs, err);
	return p->stream ? 0 : -err->code;
}

static struct look *look_new(const struct record_pipe *p)
{
	struct look *look = xzalloc(sizeof(*look) + p->nr * sizeof(look->sizes[0]));

	dat_stream_sizes(p->from, look->sizes);
	for (size_t i = 0; i < p->nr; i++)
		look->total += look->sizes[i];
	return look;
}

/* A part between two looks can be put into order when it is followed by the next look. Small parts are put
 * together while they wait; large ones are not: a slow reader would get ever larger ones. */
static void add_look(struct record_pipe *p, struct look *look)
{
	look->number = ++p->looks;
	if (p->last && look->total - p->before_last < PART_LEAST) {
		memcpy(p->last->sizes, look->sizes, p->nr * sizeof(look->sizes[0]));
		p->last->number = look->number;
		p->last->total = look->total;
		free(look);
		return;
	}
	if (p->last) {
		p->before_last = p->last->total;
		p->last->next = look;
	} else {
		p->first = look;
	}
	p->last = look;
}

void record_pipe_send(struct record_pipe *p, const char *cmdlines)
{
	struct look *look = look_new(p);

	pthread_mutex_lock(&p->lock);
	add_look(p, look);
	if (cmdlines) {
		free(p->names);
		p->names = xstrdup(cmdlines);
	}
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->kick, 1);
}

bool record_pipe_is_taken(struct record_pipe *p)
{
	bool is_taken;

	pthread_mutex_lock(&p->lock);
	is_taken = p->taken == p->looks;
	pthread_mutex_unlock(&p->lock);
	return is_taken;
}

/* Waits for the thread. Who tells ft to stop again does not want to read all of what waits. */
static void wait_for_sender(struct record_pipe *p, struct waiter *waiter)
{
	struct pollfd fds[] = {{.fd = p->done, .events = POLLIN},
			       {.fd = p->printer ? waiter->signals : -1, .events = POLLIN}};

	do {
		poll(fds, array_size(fds), -1);
		if (fds[1].revents && waiter_is_told(waiter)) {
			kill(p->printer, SIGKILL);
			p->told_to_stop = true;
		}
	} while (!fds[0].revents);
	pthread_join(p->thread, NULL);
	p->tid = 0;
}

/* A printer has said itself what went wrong. That nobody reads on is nothing wrong. */
static int end_printer(struct record_pipe *p, struct waiter *waiter, struct err *err)
{
	bool failed = !record_printer_join(p->printer, waiter) && !p->told_to_stop;

	p->printer = 0;
	if (failed)
		return err_set(err, EIO, "--live could not print all events");
	return p->err.code && p->err.code != EPIPE ? err_set(err, p->err.code, "%s", p->err.text)
						   : 0;
}

int record_pipe_finish(struct record_pipe *p, const struct dat_tail *tail, struct waiter *waiter,
		       uint64_t *size, struct err *err)
{
	pthread_mutex_lock(&p->lock);
	p->tail = tail;
	pthread_mutex_unlock(&p->lock);
	record_pipe_send(p, tail->cmdlines ? tail->cmdlines : "");
	wait_for_sender(p, waiter);
	*size = dat_stream_bytes(p->stream);
	if (close(take_fd(p->fd)) < 0 && !p->err.code)
		err_sys(&p->err, errno, "cannot write %s", p->name);
	if (p->printer)
		return end_printer(p, waiter, err);
	return p->err.code ? err_set(err, p->err.code, "%s", p->err.text) : 0;
}

/* Of a recording that has not begun: the thread waits. */
static void stop_sender(struct record_pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->kick, 1);
	pthread_join(p->thread, NULL);
}

void record_pipe_free(struct record_pipe *p)
{
	if (!p)
		return;
	if (p->tid)
		stop_sender(p);
	if (p->fd >= 0)
		close(p->fd);
	if (p->printer)
		record_printer_join(p->printer, NULL);
	dat_stream_free(p->stream);
	close(p->kick);
	close(p->done);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->known);
	while (p->first) {
		struct look *look = p->first;

		p->first = look->next;
		free(look);
	}
	free(p->names);
	free(p->name);
	free(p);
}

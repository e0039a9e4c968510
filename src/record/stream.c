/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU's bytes on their way from the kernel's buffer into the file.
 *
 * poll() wakes the thread when the buffer is as full as buffer_percent says, or after a second; then
 * whole sub-buffers are spliced through a pipe without blocking. A blocking splice spins on some kernels when the
 * buffer is empty, and read() without poll() takes partial sub-buffers, which makes the file large. */
#include "record/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/packer.h"
#include "util/io.h"
#include "util/mem.h"

/* Wanted size of the pipe between the kernel and the file: measured to halve the losses against
 * the usual 64 KiB; the system's pipe-max-size may allow less. */
#define PIPE_SIZE (1 << 20)
#define NICE_MOST (-20)
/* What the kernel's buffer holds is lost when the machine or ft is: no longer than that. */
#define FLUSH_MS 1000

struct stream {
	unsigned int cpu;
	int raw;
	int out_fd;
	int pipe[2];
	int kick; /* eventfd that ends the thread's waiting */
	int wake; /* eventfd of the owner */
	size_t subbuf;
	size_t pipe_size;
	off_t at;	     /* where the next byte goes */
	char *page;	     /* one sub-buffer, for what splice cannot take */
	bool can_splice_out; /* cleared for file systems that refuse */

	struct packer *packer; /* takes chunks instead of the file; NULL: none */
	size_t lane;
	uint64_t room;
	bool waits;
	char *chunk; /* of PACKER_CHUNK bytes, or more for a large sub-buffer */
	size_t chunk_len;

	pthread_t thread;
	pid_t tid;
	bool joined;
	pthread_mutex_t lock;
	pthread_cond_t begun;
	enum { PARKED, RUNNING, CANCELLED } state;

	atomic_uint_fast64_t bytes;
	atomic_bool finishing;
	atomic_bool ended;
	atomic_uint flush_asked; /* one more for each time */
	atomic_uint flush_done;
	struct err err;
};

pid_t stream_tid(const struct stream *stream)
{
	return stream->tid;
}

uint64_t stream_bytes(const struct stream *stream)
{
	return atomic_load(&stream->bytes);
}

unsigned int stream_cpu(const struct stream *stream)
{
	return stream->cpu;
}

/* Neither is needed for a right result: without the right to them, losses come earlier. */
static void raise_priority(const struct stream *stream)
{
	cpu_set_t *set = CPU_ALLOC(stream->cpu + 1);
	size_t size = CPU_ALLOC_SIZE(stream->cpu + 1);

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S(stream->cpu, size, set);
		sched_setaffinity(0, size, set);
		CPU_FREE(set);
	}
	setpriority(PRIO_PROCESS, 0, NICE_MOST);
}

static void advance(struct stream *stream, size_t n)
{
	stream->at += (off_t)n;
	atomic_fetch_add(&stream->bytes, n);
}

static size_t chunk_room(const struct stream *stream)
{
	return stream->subbuf > PACKER_CHUNK ? stream->subbuf : PACKER_CHUNK;
}

static int hand_chunk(struct stream *stream)
{
	int r;

	if (!stream->chunk_len)
		return 0;
	r = packer_put(stream->packer, stream->lane, take_ptr(stream->chunk), stream->chunk_len);
	stream->chunk_len = 0;
	/* Its text is the packer's to tell. */
	return r < 0 ? err_set(&stream->err, -r, "%s", "") : 0;
}

static int add_to_chunk(struct stream *stream, const char *data, size_t len)
{
	if (!stream->chunk)
		stream->chunk = xmalloc(chunk_room(stream));
	memcpy(stream->chunk + stream->chunk_len, data, len);
	stream->chunk_len += len;
	advance(stream, len);
	return stream->chunk_len == chunk_room(stream) ? hand_chunk(stream) : 0;
}

/* From the pipe into chunks. */
static int pack_out(struct stream *stream, size_t len)
{
	while (len) {
		size_t room = chunk_room(stream) - stream->chunk_len;
		ssize_t n;

		if (!stream->chunk)
			stream->chunk = xmalloc(chunk_room(stream));
		n = read(stream->pipe[0], stream->chunk + stream->chunk_len,
			 len < room ? len : room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(&stream->err, n < 0 ? errno : EIO, "cannot read the pipe");
		stream->chunk_len += (size_t)n;
		advance(stream, (size_t)n);
		len -= (size_t)n;
		if (stream->chunk_len == chunk_room(stream) && hand_chunk(stream) < 0)
			return -stream->err.code;
	}
	return 0;
}

/* From the pipe to the file by read and write, where the file system cannot splice. */
static int copy_out(struct stream *stream, size_t len)
{
	while (len) {
		size_t want = len < stream->subbuf ? len : stream->subbuf;
		ssize_t n = read(stream->pipe[0], stream->page, want);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(&stream->err, n < 0 ? errno : EIO, "cannot read the pipe");
		r = io_pwrite_all(stream->out_fd, stream->page, (size_t)n, (uint64_t)stream->at);
		if (r < 0)
			return err_sys(&stream->err, -r, "cannot write the data of CPU %u",
				       stream->cpu);
		advance(stream, (size_t)n);
		len -= (size_t)n;
	}
	return 0;
}

static int splice_out(struct stream *stream, size_t len)
{
	while (len && stream->can_splice_out) {
		off_t at = stream->at;
		ssize_t n = splice(stream->pipe[0], NULL, stream->out_fd, &at, len, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL) {
			stream->can_splice_out = false;
			break;
		}
		if (n <= 0)
			return err_sys(&stream->err, n < 0 ? errno : EIO,
				       "cannot write the data of CPU %u", stream->cpu);
		advance(stream, (size_t)n);
		len -= (size_t)n;
	}
	return copy_out(stream, len);
}

/* Moves the full sub-buffers that are there, until @most bytes have gone the stream's way. 0 when
 * there are no more, negative on error. */
static int move_full(struct stream *stream, uint64_t most)
{
	while (stream_bytes(stream) < most) {
		ssize_t n = splice(stream->raw, NULL, stream->pipe[1], NULL, stream->pipe_size,
				   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno == EAGAIN))
			return 0;
		if (n < 0)
			return err_sys(&stream->err, errno, "cannot read the buffer of CPU %u",
				       stream->cpu);
		if ((stream->packer ? pack_out(stream, (size_t)n) : splice_out(stream, (size_t)n)) <
		    0)
			return -stream->err.code;
	}
	return 0;
}

/* The next sub-buffer, full or not: 1, or 0 when there is none. A read must ask for a whole one: a
 * short one would continue in the middle of the same sub-buffer the next time. */
static int move_partial(struct stream *stream)
{
	ssize_t n;
	int r;

	do
		n = read(stream->raw, stream->page, stream->subbuf);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == EAGAIN))
		return 0;
	if (n < 0)
		return err_sys(&stream->err, errno, "cannot read the buffer of CPU %u",
			       stream->cpu);
	memset(stream->page + n, 0, stream->subbuf - (size_t)n);
	if (stream->packer)
		return add_to_chunk(stream, stream->page, stream->subbuf) < 0 ? -stream->err.code
									      : 1;
	r = io_pwrite_all(stream->out_fd, stream->page, stream->subbuf, (uint64_t)stream->at);
	if (r < 0)
		return err_sys(&stream->err, -r, "cannot write the data of CPU %u", stream->cpu);
	advance(stream, stream->subbuf);
	return 1;
}

/* All that is there, full or not. Behind a sub-buffer that was read in part there may be full ones,
 * which cannot be spliced before. Events that come faster than they are read must not keep it for
 * ever: hence @most. */
static int drain(struct stream *stream, uint64_t most)
{
	int r;

	do {
		if (move_full(stream, most) < 0)
			return -stream->err.code;
		r = move_partial(stream);
	} while (r > 0 && stream_bytes(stream) < most);
	return r < 0 ? r : hand_chunk(stream);
}

/* All that has been recorded until now, also what does not fill a sub-buffer yet. */
static int flush(struct stream *stream)
{
	unsigned int asked = atomic_load(&stream->flush_asked);
	eventfd_t n;

	if (asked == atomic_load(&stream->flush_done))
		return 0;
	eventfd_read(stream->kick, &n);
	if (drain(stream, stream_bytes(stream) + stream->room) < 0)
		return -stream->err.code;
	atomic_store(&stream->flush_done, asked);
	return 0;
}

static int stream_loop(struct stream *stream)
{
	struct pollfd fds[] = {
		{.fd = stream->waits ? -1 : stream->raw, .events = POLLIN},
		{.fd = stream->kick, .events = POLLIN},
	};

	while (!atomic_load(&stream->finishing)) {
		int r = poll(fds, array_size(fds), FLUSH_MS);

		if (r < 0 && errno != EINTR)
			return err_sys(&stream->err, errno, "cannot wait for CPU %u", stream->cpu);
		if (r >= 0 && !stream->waits && move_full(stream, UINT64_MAX) < 0)
			return -stream->err.code;
		if (r >= 0 && flush(stream) < 0)
			return -stream->err.code;
		/* What does not fill a chunk must not wait for ever. */
		if (r == 0 && hand_chunk(stream) < 0)
			return -stream->err.code;
	}
	return drain(stream, UINT64_MAX);
}

static bool wait_for_begin(struct stream *stream)
{
	bool run;

	pthread_mutex_lock(&stream->lock);
	stream->tid = (pid_t)syscall(SYS_gettid);
	pthread_cond_broadcast(&stream->begun);
	while (stream->state == PARKED)
		pthread_cond_wait(&stream->begun, &stream->lock);
	run = stream->state == RUNNING;
	pthread_mutex_unlock(&stream->lock);
	return run;
}

static void *stream_main(void *arg)
{
	struct stream *stream = arg;

	raise_priority(stream);
	if (wait_for_begin(stream) && stream_loop(stream) < 0)
		eventfd_write(stream->wake, 1);
	atomic_store(&stream->ended, true);
	return NULL;
}

static void set_state(struct stream *stream, int state)
{
	pthread_mutex_lock(&stream->lock);
	stream->state = state;
	pthread_cond_broadcast(&stream->begun);
	pthread_mutex_unlock(&stream->lock);
}

static int open_pipe(struct stream *stream, struct err *err)
{
	int size;

	if (pipe2(stream->pipe, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	/* Without the privilege, only up to pipe-max-size, which is this size by default. */
	size = fcntl(stream->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	if (size < 0)
		size = fcntl(stream->pipe[1], F_GETPIPE_SZ);
	stream->pipe_size = size > 0 ? (size_t)size : 65536;
	return 0;
}

struct stream *stream_new(unsigned int cpu, int wake, struct err *err)
{
	struct stream *stream = xzalloc(sizeof(*stream));
	int r;

	stream->cpu = cpu;
	stream->raw = -1;
	stream->out_fd = -1;
	stream->pipe[0] = -1;
	stream->pipe[1] = -1;
	stream->wake = wake;
	stream->can_splice_out = true;
	stream->joined = true;
	stream->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->begun, NULL);
	if (stream->kick < 0 || open_pipe(stream, err) < 0) {
		if (stream->kick < 0)
			err_sys(err, errno, "cannot make an eventfd");
		stream_free(stream);
		return NULL;
	}
	r = pthread_create(&stream->thread, NULL, stream_main, stream);
	if (r) {
		err_sys(err, r, "cannot start a thread");
		stream_free(stream);
		return NULL;
	}
	stream->joined = false;
	pthread_mutex_lock(&stream->lock);
	while (!stream->tid)
		pthread_cond_wait(&stream->begun, &stream->lock);
	pthread_mutex_unlock(&stream->lock);
	return stream;
}

void stream_begin(struct stream *stream, int raw, size_t subbuf, const struct stream_target *target)
{
	stream->raw = raw;
	stream->subbuf = subbuf;
	stream->page = xmalloc(subbuf);
	stream->out_fd = target->fd;
	stream->at = (off_t)target->offset;
	stream->packer = target->packer;
	stream->lane = target->lane;
	stream->room = target->room;
	stream->waits = target->waits;
	set_state(stream, RUNNING);
}

void stream_finish(struct stream *stream)
{
	atomic_store(&stream->finishing, true);
	eventfd_write(stream->kick, 1);
}

void stream_flush(struct stream *stream)
{
	atomic_fetch_add(&stream->flush_asked, 1);
	eventfd_write(stream->kick, 1);
}

bool stream_is_flushed(const struct stream *stream)
{
	return atomic_load(&stream->flush_done) == atomic_load(&stream->flush_asked) ||
	       atomic_load(&stream->ended);
}

void stream_wait(struct stream *stream)
{
	if (!stream->joined)
		pthread_join(stream->thread, NULL);
	stream->joined = true;
}

int stream_join(struct stream *stream, struct err *err)
{
	stream_wait(stream);
	/* The tracer cannot be changed while the raw pipe is open. */
	if (stream->raw >= 0)
		close(take_fd(stream->raw));
	if (stream->err.code)
		return err_set(err, stream->err.code, "%s", stream->err.text);
	return 0;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	if (!stream->joined) {
		set_state(stream, stream->state == PARKED ? CANCELLED : stream->state);
		stream_finish(stream);
		stream_join(stream, NULL);
	}
	for (int i = 0; i < 2; i++)
		if (stream->pipe[i] >= 0)
			close(stream->pipe[i]);
	if (stream->kick >= 0)
		close(stream->kick);
	pthread_mutex_destroy(&stream->lock);
	pthread_cond_destroy(&stream->begun);
	free(stream->page);
	free(stream->chunk);
	free(stream);
}

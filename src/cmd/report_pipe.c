/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pipe in the place of a file of a report: the events of a stream are printed while they come. */
#include "cmd/report_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/incoming.h"
#include "util/mem.h"

struct report_pipe {
	int fd;
	struct dat_incoming *in;
	struct dat_reader *reader; /* until the report takes it */
	struct report_live ops;
	const struct report_config *config;
	bool ended;
	bool failed;
};

bool report_pipe_is_meant(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") ||
	       (stat(path, &st) == 0 &&
		(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode)));
}

static struct dat_reader *hand_reader(void *ctx, struct err *err)
{
	struct report_pipe *p = ctx;

	if (!p->reader)
		err_set(err, EINVAL, "a pipe can be read once only");
	return take_ptr(p->reader);
}

static int read_page(void *ctx, const char *buffer, uint32_t cpu, uint8_t *page, struct err *err)
{
	struct report_pipe *p = ctx;

	(void)err;
	return dat_incoming_page(p->in, buffer, cpu, page);
}

/* Whole parts only: the order of time holds over CPUs that way. */
static enum report_wait wait_part(void *ctx, int out_fd, int timeout_ms)
{
	struct report_pipe *p = ctx;
	struct pollfd fds[] = {{.fd = p->fd, .events = POLLIN}, {.fd = out_fd}};
	struct err err = {0};
	int r;

	(void)timeout_ms;
	/* The first part came with the metadata. */
	if (dat_incoming_has_pages(p->in))
		return REPORT_WAIT_LOOK;
	if (p->ended)
		return REPORT_WAIT_END;
	if (poll(fds, array_size(fds), -1) < 0)
		return REPORT_WAIT_NOTHING;
	if (fds[1].revents & (POLLERR | POLLHUP))
		return REPORT_WAIT_END;
	if (!fds[0].revents)
		return REPORT_WAIT_NOTHING;
	r = dat_incoming_part(p->in, &err);
	p->ended = r <= 0;
	p->failed |= r < 0;
	if (r < 0 && p->config->message)
		p->config->message(p->config->message_ctx, err.text);
	/* Of a part that is cut off there may be some. */
	return p->ended && !dat_incoming_has_pages(p->in) ? REPORT_WAIT_END : REPORT_WAIT_LOOK;
}

static bool wait_room(void *ctx, int out_fd)
{
	(void)ctx;
	(void)out_fd;
	return true;
}

static char *read_cmdlines(void *ctx)
{
	struct report_pipe *p = ctx;

	return xstrdup(dat_incoming_cmdlines(p->in));
}

/* The reader has them: they came with the metadata. */
static void set_ops(struct report_pipe *p, const char *name)
{
	p->ops = (struct report_live){
		.ctx = p,
		.name = name,
		.open = hand_reader,
	};
	if (!dat_incoming_is_stream(p->in))
		return;
	p->ops.read = read_page;
	p->ops.wait = wait_part;
	p->ops.in_parts = true;
	p->ops.wait_room = wait_room;
	p->ops.cmdlines = read_cmdlines;
}

struct report_pipe *report_pipe_open(const char *path, struct report_config *config,
				     struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "the standard input" : path;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		err_sys(err, errno, "cannot open %s", name);
		return NULL;
	}
	return report_pipe_take(fd, name, config, err);
}

struct report_pipe *report_pipe_take(int fd, const char *name, struct report_config *config,
				     struct err *err)
{
	cleanup(report_pipe_freep) struct report_pipe *p = xzalloc(sizeof(*p));

	p->config = config;
	p->fd = fd;
	p->in = dat_incoming_new(p->fd, name, err);
	if (!p->in)
		return NULL;
	p->reader = dat_incoming_reader(p->in);
	set_ops(p, name);
	config->live = &p->ops;
	return take_ptr(p);
}

bool report_pipe_failed(const struct report_pipe *p)
{
	return p->failed;
}

void report_pipe_freep(struct report_pipe **pp)
{
	struct report_pipe *p = *pp;

	if (!p)
		return;
	dat_reader_close(p->reader);
	dat_incoming_free(p->in);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

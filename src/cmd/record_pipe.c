/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording into what is no regular file. The streams write into a spool file as always, so that a
 * slow reader costs disk space and no events; what has come is sent from there now and then. */
#include "cmd/record_pipe.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/write_stream.h"
#include "util/mem.h"

struct record_pipe {
	int fd;
	char *name;
	struct dat_stream *stream;
	struct dat_writer *spool;
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

int record_pipe_open(const struct record_args *args, struct record_pipe **out, struct err *err)
{
	const char *path = args->output;
	bool is_stdout = path && !strcmp(path, "-");
	struct record_pipe *p;
	struct stat st;
	int r;

	*out = NULL;
	if (!path ||
	    (!is_stdout && (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
		return 0;
	if (!is_stdout && S_ISBLK(st.st_mode))
		return err_set(err, EINVAL, "%s is a disk and not a file", path);
	if (args->compress_kind != COMPRESS_NONE)
		return err_set(err, EINVAL, "--compress needs a file; lead -o - through zstd");
	p = xzalloc(sizeof(*p));
	p->fd = -1;
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

char *record_pipe_spool(void)
{
	const char *dir = getenv("TMPDIR");

	return xasprintf("%s/ft-spool", dir && *dir ? dir : "/var/tmp");
}

int record_pipe_begin(struct record_pipe *p, const struct dat_meta *meta,
		      const struct dat_buffer_spec *spec, struct dat_writer *spool, struct err *err)
{
	p->spool = spool;
	p->stream = dat_stream_new(p->fd, p->name, meta, spec, err);
	return p->stream ? 0 : -err->code;
}

int record_pipe_send(struct record_pipe *p, const char *cmdlines)
{
	if (!p->err.code)
		dat_stream_part(p->stream, p->spool, cmdlines, &p->err);
	return -p->err.code;
}

int record_pipe_finish(struct record_pipe *p, const struct dat_tail *tail, uint64_t *size,
		       struct err *err)
{
	record_pipe_send(p, tail->cmdlines ? tail->cmdlines : "");
	if (!p->err.code)
		dat_stream_finish(p->stream, tail, &p->err);
	*size = dat_stream_bytes(p->stream);
	if (close(take_fd(p->fd)) < 0 && !p->err.code)
		err_sys(&p->err, errno, "cannot write %s", p->name);
	return p->err.code ? err_set(err, p->err.code, "%s", p->err.text) : 0;
}

void record_pipe_free(struct record_pipe *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	dat_stream_free(p->stream);
	free(p->name);
	free(p);
}

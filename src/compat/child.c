/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace-cmd's library trusts what it reads, so it gets a process of its own. */
#include "compat/child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/tracecmd.h"
#include "util/io.h"
#include "util/mem.h"

/* In the library, but not in its header: reading takes no care of it, and fails without a word. */
typedef bool compress_is_supported(const char *name, const char *version);

static bool can_compress(const struct dat_reader *reader)
{
	compress_is_supported *ask = (compress_is_supported *)dlsym(
		library_load(TRACECMD_SONAME), "tracecmd_compress_is_supported");

	return reader->compress == COMPRESS_NONE || !ask || ask(reader->compress_name, NULL);
}

/* The libraries would load plugins from the user's home and from wherever these say. */
static void forget_plugin_dirs(void)
{
	unsetenv("HOME");
	unsetenv("TRACEEVENT_PLUGIN_DIR");
	unsetenv("TRACECMD_PLUGIN_DIR");
}

/* What the libraries say of a file that is being judged would only stand beside the judgement. */
static void silence(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

/* Some damaged files lead the library in circles, or through 256 GiB of nothing in small steps. It reads about 20 MB a
 * second; a minute more is for a busy machine. */
static void limit_time(const struct dat_reader *reader)
{
	struct rlimit limit;
	uint64_t bytes = 0;

	for (size_t i = 0; i < reader->nr_buffers; i++)
		for (size_t c = 0; c < reader->buffer[i].nr_cpus; c++)
			bytes += reader->buffer[i].cpu[c].size;
	limit.rlim_cur = 60 + (bytes >> 20);
	limit.rlim_max = limit.rlim_cur + 1;
	setrlimit(RLIMIT_CPU, &limit);
}

__attribute__((noreturn)) static void run_child(const struct dat_reader *reader, child_job *job,
						void *arg, int out_fd, bool quiet)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	static const struct rlimit no_core;
	struct tracecmd_input *handle;
	struct tracecmd lib;

	/* A crash is expected, and worth neither a dump nor a sanitizer's report. */
	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < array_size(crashes); i++)
		signal(crashes[i], SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	forget_plugin_dirs();
	lib = tracecmd_load();
	if (quiet) {
		silence();
		limit_time(reader);
	}
	if (dup2(out_fd, STDOUT_FILENO) < 0)
		_exit(CHILD_CANNOT_WRITE);
	if (!can_compress(reader))
		_exit(CHILD_NO_COMPRESSION);
	/* In two steps: when the second fails, tracecmd_open() crashes as it cleans up. */
	handle = lib.tracecmd_open_head(reader->path, 0);
	if (!handle || lib.tracecmd_init_data(handle) < 0)
		_exit(CHILD_CANNOT_OPEN);
	_exit(job(&lib, handle, reader, arg));
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int judge(const struct dat_reader *reader, int status, struct err *err)
{
	if (status >= 0 && WIFSIGNALED(status))
		return err_set(
			err, EPROTO,
			"%s: trace-cmd's library crashed on this file (%s); without it, ft report reads on",
			reader->path, strsignal(WTERMSIG(status)));
	if (status < 0 || !WIFEXITED(status))
		return err_set(err, ECHILD, "%s: trace-cmd's library got lost", reader->path);
	switch (WEXITSTATUS(status)) {
	case CHILD_DONE:
		return 0;
	case CHILD_CANNOT_OPEN:
		return err_set(err, EPROTO, "%s: trace-cmd's library cannot open this file%s%s",
			       reader->path, reader->findings.nr ? ": " : "",
			       reader->findings.nr ? reader->findings.item[0] : "");
	case CHILD_NO_COMPRESSION:
		return err_set(
			err, ENOTSUP,
			"%s: trace-cmd's library here was built without %s, which this file needs",
			reader->path, reader->compress_name);
	case CHILD_CANNOT_WRITE:
		return err_set(err, EPIPE, "cannot write the report");
	default:
		return err_set(err, EPROTO, "%s: trace-cmd's library ended with status %d",
			       reader->path, WEXITSTATUS(status));
	}
}

int child_run(const struct dat_reader *reader, child_job *job, void *arg, int out_fd,
	      struct strbuf *result, struct err *err)
{
	int pipe_fd[2] = {-1, -1};
	cleanup_close int from_child = -1;
	pid_t pid;

	if (result && pipe2(pipe_fd, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	from_child = pipe_fd[0];
	pid = fork();
	if (pid == 0)
		run_child(reader, job, arg, result ? pipe_fd[1] : out_fd, result != NULL);
	mem_closep(&pipe_fd[1]);
	if (pid < 0)
		return err_sys(err, errno, "cannot start a process");
	if (result)
		io_read_fd(from_child, result);
	return judge(reader, wait_for(pid), err);
}

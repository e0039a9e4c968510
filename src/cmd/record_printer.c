/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that prints a recording while it runs: a report that reads a pipe. In a process of its own
 * neither its work nor a slow terminal holds up the recording. */
#include "cmd/record_printer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/report_pipe.h"
#include "util/mem.h"

static void message(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "ft record: %s\n", text);
}

static int print(const struct record_args *args, int fd)
{
	struct report_config config = {
		.style = {.nanoseconds = args->nanoseconds,
			  .latency = args->latency,
			  .raw = args->raw,
			  .ts_diff = args->ts_diff},
		.threads = 1,
		.message = args->quiet ? NULL : message,
	};
	cleanup(report_pipe_freep) struct report_pipe *p = NULL;
	struct err err = {0};
	int r;

	p = report_pipe_take(fd, "the recording", &config, &err);
	r = p ? report_run(&config, STDOUT_FILENO, &err) : -err.code;
	if (r < 0)
		fprintf(stderr, "ft record: %s\n", err.text);
	return r < 0;
}

/* It ends when the recording does, and must still print what has come by then. */
static void be_printer(const struct record_args *args, int fd)
{
	static const int deaf[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	for (size_t i = 0; i < array_size(deaf); i++)
		signal(deaf[i], SIG_IGN);
	prctl(PR_SET_NAME, "ft-printer");
	_exit(print(args, fd));
}

int record_printer_start(const struct record_args *args, int *fd, pid_t *pid, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	*pid = fork();
	if (*pid == 0) {
		close(ends[1]);
		be_printer(args, ends[0]);
	}
	close(ends[0]);
	*fd = ends[1];
	if (*pid > 0)
		return 0;
	err_sys(err, errno, "cannot start a process that prints");
	close(take_fd(*fd));
	return -err->code;
}

/* SIGCHLD, which the waiter takes too, ends the waiting. */
bool record_printer_join(pid_t pid, struct waiter *waiter)
{
	struct pollfd fds[] = {{.fd = waiter ? waiter->signals : -1, .events = POLLIN}};
	bool stopped = false;
	int how;

	while (waitpid(pid, &how, waiter ? WNOHANG : 0) == 0) {
		poll(fds, array_size(fds), -1);
		if (waiter_is_told(waiter)) {
			kill(pid, SIGKILL);
			stopped = true;
		}
	}
	return stopped || (WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that does nothing but wait for ft's death, and then undoes what ft left. */
#include "session/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/mem.h"

/* What ft writes before it lets the leash go, when there is nothing left to undo. */
#define ALL_IS_WELL 'k'

/* Waits until ft says that all is well, or is gone. */
static bool ft_died(int leash)
{
	char word = 0;
	ssize_t n;

	do {
		n = read(leash, &word, 1);
	} while (n < 0 && errno == EINTR);
	return n <= 0 || word != ALL_IS_WELL;
}

static bool is_kept(int fd, int leash, const struct guardian_care *care)
{
	for (size_t i = 0; i < care->nr_locks; i++)
		if (fd == care->locks[i])
			return true;
	return fd == leash || fd == care->journal;
}

/* The leash, the journal and the locks are all that it may hold: a trace pipe kept open here would
 * keep the kernel's buffer busy, and an output pipe would never end. */
static void close_others(int leash, const struct guardian_care *care)
{
	int max = (int)sysconf(_SC_OPEN_MAX);

	/* Descriptors are given out lowest first; few are open this early. */
	for (int fd = 0; fd < max && fd < 1024; fd++)
		if (!is_kept(fd, leash, care))
			close(fd);
}

static void watch(int leash, const struct guardian_care *care)
{
	static const int deaf[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};

	/* Ctrl-C goes to the whole foreground group; the guardian must outlive it. */
	setsid();
	for (size_t i = 0; i < array_size(deaf); i++)
		signal(deaf[i], SIG_IGN);
	prctl(PR_SET_NAME, "ft-guardian");
	close_others(leash, care);
	if (ft_died(leash)) {
		if (orphan_settle(care->journal, care->ops, NULL) < 0)
			_exit(1); /* the journal stays, for the next ft */
		if (care->journal_path)
			unlink(care->journal_path);
	}
	_exit(0);
}

int guardian_start(struct guardian *guardian, const struct guardian_care *care, struct err *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		int code = errno;

		close(ends[0]);
		close(ends[1]);
		return err_sys(err, code, "cannot start the guardian process");
	}
	if (pid == 0)
		watch(ends[0], care);
	close(ends[0]);
	guardian->pid = pid;
	guardian->leash = ends[1];
	return 0;
}

void guardian_dismiss(struct guardian *guardian)
{
	static const char word = ALL_IS_WELL;
	int status;

	if (guardian->pid <= 0)
		return;
	while (write(guardian->leash, &word, 1) < 0 && errno == EINTR)
		;
	close(guardian->leash);
	while (waitpid(guardian->pid, &status, 0) < 0 && errno == EINTR)
		;
	guardian->pid = 0;
}

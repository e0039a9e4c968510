/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started but held until the trace is on. */
#include "record/workload.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/mem.h"

/* 0 when @path is a program that may be run, else the errno that says why not. */
static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

static char *give_up(const char *name, int code, int *status, struct err *err)
{
	bool missing = code == ENOENT || code == ENOTDIR;

	*status = missing ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	if (missing)
		err_set(err, code, "command '%s' not found", name);
	else
		err_sys(err, code, "cannot execute '%s'", name);
	return NULL;
}

char *workload_find(const char *name, int *status, struct err *err)
{
	cleanup(strv_fini) struct strv dirs = {0};
	const char *path = getenv("PATH");
	int code = ENOENT;

	if (strchr(name, '/')) {
		code = check_program(name);
		return code ? give_up(name, code, status, err) : xstrdup(name);
	}
	strv_split(&dirs, path ? path : "/usr/local/bin:/usr/bin:/bin", ":");
	for (size_t i = 0; name[0] && i < dirs.nr; i++) {
		cleanup_free char *full = xasprintf("%s/%s", dirs.item[i], name);
		int r = check_program(full);

		if (r == 0)
			return take_ptr(full);
		/* Like a shell: a file that is there but may not be run beats "not found". */
		if (r == EACCES)
			code = r;
	}
	return give_up(name, code, status, err);
}

/* The child. Its signals are as ft found them. */
static void run_child(int gate, int report, const char *path, char **argv, const sigset_t *mask)
{
	const char *slash = strrchr(argv[0], '/');
	char word;
	ssize_t n;
	int code;

	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do {
		n = read(gate, &word, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(STATUS_NOT_EXECUTABLE);
	execv(path, argv);
	code = errno;
	/* A script without "#!" is run by the shell, as execvp does. */
	if (code == ENOEXEC) {
		size_t nr = 0;
		char **args;

		while (argv[nr])
			nr++;
		args = xcalloc(nr + 2, sizeof(*args));
		args[0] = (char *)"sh";
		args[1] = (char *)path;
		for (size_t i = 1; i < nr; i++)
			args[i + 1] = argv[i];
		execv("/bin/sh", args);
		code = errno;
	}
	if (write(report, &code, sizeof(code)) < 0)
		_exit(STATUS_NOT_EXECUTABLE);
	_exit(code == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

int workload_start(struct workload *work, const char *path, const struct strv *argv,
		   const sigset_t *mask, struct err *err)
{
	int gate[2];
	int report[2];

	*work = (struct workload){.gate = -1, .report = -1};
	if (pipe2(gate, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) < 0) {
		int code = errno;

		close(gate[0]);
		close(gate[1]);
		return err_sys(err, code, "cannot make a pipe");
	}
	work->pid = fork();
	if (work->pid == 0) {
		/* Its own copy of the writing end would keep it waiting after ft's death. */
		close(gate[1]);
		run_child(gate[0], report[1], path, argv->item, mask);
	}
	close(gate[0]);
	close(report[1]);
	work->gate = gate[1];
	work->report = report[0];
	if (work->pid < 0)
		return err_sys(err, errno, "cannot start a process");
	return 0;
}

int workload_release(struct workload *work, struct err *err)
{
	int code = 0;
	ssize_t n;

	/* A child that was killed while it waited is found by workload_reap(). */
	if (write(work->gate, "g", 1) < 0 && errno != EPIPE)
		return err_sys(err, errno, "cannot let the command go");
	close(take_fd(work->gate));
	do {
		n = read(work->report, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(take_fd(work->report));
	if (n == sizeof(code))
		return err_sys(err, code, "cannot execute the command");
	return 0;
}

bool workload_reap(struct workload *work, int *status)
{
	int how;

	if (work->pid <= 0 || waitpid(work->pid, &how, WNOHANG) != work->pid)
		return false;
	work->pid = 0;
	*status = WIFSIGNALED(how) ? STATUS_SIGNAL + WTERMSIG(how) : WEXITSTATUS(how);
	return true;
}

void workload_fini(struct workload *work)
{
	bool held = work->gate >= 0;

	if (work->gate >= 0)
		close(take_fd(work->gate));
	if (work->report >= 0)
		close(take_fd(work->report));
	/* Without its byte it leaves by itself; it must not stay as a zombie. */
	if (held && work->pid > 0)
		while (waitpid(work->pid, NULL, 0) < 0 && errno == EINTR)
			;
	work->pid = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started but held until the trace is on. */
#include "record/workload.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* What @name is in the first directory of @path; an empty one is where we are, as for execvp().
 * Returns the rest of @path, NULL at its end. */
static const char *next_candidate(const char *path, const char *name, char **full)
{
	size_t len = strcspn(path, ":");

	*full = len ? xasprintf("%.*s/%s", (int)len, path, name) : xasprintf("./%s", name);
	return path[len] ? path + len + 1 : NULL;
}

char *workload_find(const char *name, int *status, struct err *err)
{
	const char *path = getenv("PATH");
	int code = ENOENT;

	if (strchr(name, '/')) {
		code = check_program(name);
		return code ? give_up(name, code, status, err) : xstrdup(name);
	}
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (path && name[0]) {
		cleanup_free char *full = NULL;
		int r;

		path = next_candidate(path, name, &full);
		r = check_program(full);
		if (r == 0)
			return take_ptr(full);
		/* Like a shell: a file that is there but may not be run beats "not found". */
		if (r == EACCES)
			code = r;
	}
	return give_up(name, code, status, err);
}

/* What ft and the child share. */
struct gate {
	char tracing_on[PATH_MAX];
	/* The child's, before its end: what went wrong with the start of the trace, or with exec. */
	int start_code;
	int exec_code;
};

/* Sleeps until ft lets it go: a process that only looked now and then would run through kernel code
 * that is being patched for the tracer. The trace is still off when it is woken, so ft's waking it
 * is not in the trace. */
static void wait_for_release(int door)
{
	char word;
	ssize_t n;

	do {
		n = read(door, &word, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(STATUS_NOT_EXECUTABLE);
}

static int start_trace(const char *tracing_on)
{
	int fd = open(tracing_on, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) < 0)
		return errno;
	return 0;
}

/* A script without "#!" is run by the shell, as execvp does. */
static void exec_as_script(const char *path, char **argv)
{
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
}

/* The child. Its signals are as ft found them. */
static void run_child(struct gate *gate, int door, const char *path, char **argv,
		      const sigset_t *mask, pid_t parent)
{
	const char *slash = strrchr(argv[0], '/');

	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* Nobody lets a child go whose ft is gone. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_NOT_EXECUTABLE);
	wait_for_release(door);
	prctl(PR_SET_PDEATHSIG, 0);
	gate->start_code = start_trace(gate->tracing_on);
	if (gate->start_code)
		_exit(STATUS_NOT_EXECUTABLE);
	execv(path, argv);
	if (errno == ENOEXEC)
		exec_as_script(path, argv);
	gate->exec_code = errno;
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

int workload_start(struct workload *work, const char *path, const struct strv *argv,
		   const sigset_t *mask, struct err *err)
{
	pid_t parent = getpid();
	void *shared = mmap(NULL, sizeof(*work->gate), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	int ends[2];

	*work = (struct workload){.door = -1};
	if (shared == MAP_FAILED)
		return err_sys(err, errno, "cannot share memory");
	work->gate = shared;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	work->pid = fork();
	if (work->pid == 0) {
		/* Its own copy of the writing end would keep it from seeing ft's end. */
		close(ends[1]);
		run_child(work->gate, ends[0], path, argv->item, mask, parent);
	}
	close(ends[0]);
	work->door = ends[1];
	if (work->pid < 0)
		return err_sys(err, errno, "cannot start a process");
	return 0;
}

int workload_release(struct workload *work, const char *tracing_on, struct err *err)
{
	if (strlen(tracing_on) >= sizeof(work->gate->tracing_on))
		return err_set(err, ENAMETOOLONG, "the path %s is too long", tracing_on);
	strcpy(work->gate->tracing_on, tracing_on);
	/* A child that was killed while it waited is found by workload_reap(). */
	if (write(work->door, "g", 1) < 0 && errno != EPIPE)
		return err_sys(err, errno, "cannot let the command go");
	close(take_fd(work->door));
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

int workload_check(const struct workload *work, int *status, struct err *err)
{
	const struct gate *gate = work->gate;

	if (gate && gate->start_code)
		return err_sys(err, gate->start_code, "cannot write '1' to %s", gate->tracing_on);
	if (!gate || !gate->exec_code)
		return 0;
	*status = gate->exec_code == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	return err_sys(err, gate->exec_code, "cannot execute the command");
}

void workload_fini(struct workload *work)
{
	if (!work->gate)
		return;
	if (work->door >= 0) {
		close(take_fd(work->door));
		/* It leaves by itself; it must not stay as a zombie. */
		while (work->pid > 0 && waitpid(work->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	munmap(work->gate, sizeof(*work->gate));
	*work = (struct workload){.door = -1};
}

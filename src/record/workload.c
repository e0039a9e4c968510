/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started but held until the trace is on. */
#include "record/workload.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
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

static void find_groups(const struct passwd *pw, struct workload_user *out)
{
	int room = 16;

	do {
		out->nr_groups = room;
		out->groups = xrealloc(out->groups, (size_t)room * sizeof(*out->groups));
		room *= 2;
	} while (getgrouplist(pw->pw_name, pw->pw_gid, out->groups, &out->nr_groups) < 0 &&
		 room < 1 << 20);
}

int workload_user_find(const char *name, struct workload_user *out, struct err *err)
{
	const struct passwd *pw = getpwnam(name);
	uint64_t uid;

	if (!pw && parse_u64(name, &uid) && uid < UINT32_MAX)
		pw = getpwuid((uid_t)uid);
	if (!pw)
		return err_set(err, ENOENT, "no user '%s' on this machine", name);
	if (geteuid() != 0 && geteuid() != pw->pw_uid)
		return err_set(err, EPERM, "only root can run a command as %s", pw->pw_name);
	*out = (struct workload_user){
		.name = xstrdup(pw->pw_name),
		.uid = pw->pw_uid,
		.gid = pw->pw_gid,
		.home = xstrdup(pw->pw_dir),
		.shell = xstrdup(pw->pw_shell && pw->pw_shell[0] ? pw->pw_shell : "/bin/sh"),
	};
	find_groups(pw, out);
	return 0;
}

void workload_user_fini(struct workload_user *user)
{
	free(user->name);
	free(user->groups);
	free(user->home);
	free(user->shell);
	*user = (struct workload_user){0};
}

/* One for each buffer of a recording. */
#define STARTS_MOST 64

/* What ft and the child share. */
struct gate {
	char tracing_on[STARTS_MOST][PATH_MAX];
	size_t nr;
	/* The child's, before its end: what went wrong with the start of the trace, with becoming
	 * another user, or with exec. */
	int start_code;
	size_t start_at; /* the file that start_code is about */
	int user_code;
	int exec_code;
};

/* The child: what it needs to become the command. */
struct child {
	struct gate *gate;
	int door;
	const char *path;
	char **argv;
	const struct workload_user *user;
	const sigset_t *mask;
	pid_t parent;
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

static bool start_trace(struct gate *gate)
{
	for (gate->start_at = 0; gate->start_at < gate->nr; gate->start_at++) {
		cleanup_close int fd = open(gate->tracing_on[gate->start_at], O_WRONLY | O_CLOEXEC);

		if (fd < 0 || write(fd, "1", 1) < 0) {
			gate->start_code = errno;
			return false;
		}
	}
	return true;
}

/* What sudo and login give to a program. */
static void set_environment(const struct workload_user *user)
{
	setenv("HOME", user->home, 1);
	setenv("SHELL", user->shell, 1);
	setenv("USER", user->name, 1);
	setenv("LOGNAME", user->name, 1);
}

/* The groups first: a user who is not root may not choose them. */
static bool become(const struct workload_user *user)
{
	/* Who is not root is that user already. */
	if (geteuid() != 0)
		return true;
	return setgroups((size_t)user->nr_groups, user->groups) == 0 && setgid(user->gid) == 0 &&
	       setuid(user->uid) == 0;
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

/* Its signals are as ft found them. Only a process with ft's own rights can start the trace. */
static void run_child(const struct child *child)
{
	const char *slash = strrchr(child->argv[0], '/');

	prctl(PR_SET_NAME, slash ? slash + 1 : child->argv[0]);
	sigprocmask(SIG_SETMASK, child->mask, NULL);
	/* Nobody lets a child go whose ft is gone. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != child->parent)
		_exit(STATUS_NOT_EXECUTABLE);
	if (child->user)
		set_environment(child->user);
	wait_for_release(child->door);
	prctl(PR_SET_PDEATHSIG, 0);
	if (!start_trace(child->gate))
		_exit(STATUS_NOT_EXECUTABLE);
	if (child->user && !become(child->user)) {
		child->gate->user_code = errno;
		_exit(STATUS_NOT_EXECUTABLE);
	}
	execv(child->path, child->argv);
	if (errno == ENOEXEC)
		exec_as_script(child->path, child->argv);
	child->gate->exec_code = errno;
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

int workload_start(struct workload *work, const char *path, const struct strv *argv,
		   const struct workload_user *user, const sigset_t *mask, struct err *err)
{
	struct child child = {
		.path = path, .argv = argv->item, .user = user, .mask = mask, .parent = getpid()};
	int ends[2];

	*work = (struct workload){.door = -1};
	child.gate = mmap(NULL, sizeof(*work->gate), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child.gate == MAP_FAILED)
		return err_sys(err, errno, "cannot share memory");
	work->gate = child.gate;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	work->pid = fork();
	if (work->pid == 0) {
		/* Its own copy of the writing end would keep it from seeing ft's end. */
		close(ends[1]);
		child.door = ends[0];
		run_child(&child);
	}
	close(ends[0]);
	work->door = ends[1];
	if (work->pid < 0)
		return err_sys(err, errno, "cannot start a process");
	return 0;
}

int workload_release(struct workload *work, const struct strv *tracing_on, struct err *err)
{
	struct gate *gate = work->gate;

	if (tracing_on->nr > STARTS_MOST)
		return err_set(err, E2BIG, "at most %d buffers can be recorded at once",
			       STARTS_MOST);
	for (size_t i = 0; i < tracing_on->nr; i++) {
		if (strlen(tracing_on->item[i]) >= sizeof(gate->tracing_on[i]))
			return err_set(err, ENAMETOOLONG, "the path %s is too long",
				       tracing_on->item[i]);
		strcpy(gate->tracing_on[i], tracing_on->item[i]);
	}
	gate->nr = tracing_on->nr;
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
		return err_sys(err, gate->start_code, "cannot write '1' to %s",
			       gate->tracing_on[gate->start_at]);
	if (gate && gate->user_code) {
		*status = STATUS_NOT_EXECUTABLE;
		return err_sys(err, gate->user_code, "cannot run the command as that user");
	}
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker run NAME -- COMMAND: a command as a section. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/marker.h"
#include "record/workload.h"
#include "util/mem.h"

/* Where the words of "run NAME -- COMMAND..." are. */
enum { WORD_NAME = 1, WORD_COMMAND = 3 };

/* Each run is a section of its own, also of several with one name at a time. */
static int write_mark(const struct marker_args *args, char kind, pid_t owner, struct err *err)
{
	cleanup(marker_out_fini) struct marker_out out = {0};
	cleanup(marker_line_fini) struct marker_line line = {0};
	cleanup_free char *text = NULL;
	size_t took;
	int r = marker_text_async(kind, owner, args->common.words.item[WORD_NAME],
				  (uint32_t)getpid(), &line, err);

	if (r == 0)
		r = marker_out_find(&out, args->tracefs, args->instance, err);
	if (r == 0)
		r = marker_fit(args, &out, &line, err);
	if (r < 0)
		return r;
	text = marker_line_text(&line);
	r = marker_out_once(&out, text, strlen(text), &took, err);
	if (r == 0 && out.note)
		marker_say("%s", out.note);
	return r == -EMSGSIZE ? 0 : r;
}

static void exec_command(const char *path, char **argv, const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
	execv(path, argv);
	if (errno == ENOEXEC)
		execvp(path, argv);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

/* Signals are held from before the command begins until its end is written. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};

	/* Whoever ignores it would never learn of an end. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(held);
	for (size_t i = 0; i < array_size(numbers); i++)
		sigaddset(held, numbers[i]);
	sigprocmask(SIG_BLOCK, held, before);
}

static bool has_ended(pid_t pid, int *status)
{
	int how;

	if (waitpid(pid, &how, WNOHANG) != pid)
		return false;
	*status = WIFSIGNALED(how) ? STATUS_SIGNAL + WTERMSIG(how) : WEXITSTATUS(how);
	return true;
}

/* What somebody sends to ft is meant for the command. A key of the terminal reaches it by itself. */
static int wait_for(pid_t pid, const sigset_t *held)
{
	siginfo_t info;
	int status;

	while (!has_ended(pid, &status)) {
		int number = sigwaitinfo(held, &info);

		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(pid, number);
	}
	return status;
}

int marker_run(struct marker_args *args, struct err *err)
{
	char **argv = args->common.words.item + WORD_COMMAND;
	cleanup_free char *path = workload_find(argv[0], &args->fail_status, err);
	/* Asked once: the parent may end before the command does. */
	pid_t owner = marker_pid(args);
	struct err later = {0};
	sigset_t held;
	sigset_t before;
	pid_t pid;
	int status;
	int r;

	/* Nothing is written for a command that cannot be run, nor run without its marker. */
	if (!path)
		return -err->code;
	r = write_mark(args, 'S', owner, err);
	if (r < 0)
		return r;
	hold_signals(&held, &before);
	pid = fork();
	if (pid == 0)
		exec_command(path, argv, &before);
	if (pid < 0)
		return err_sys(err, errno, "cannot start a process");
	status = wait_for(pid, &held);
	if (write_mark(args, 'F', owner, &later) < 0)
		marker_say("the end of the section is missing: %s", later.text);
	return status;
}

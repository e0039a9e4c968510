/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started but held until all is ready, and then the one who starts the trace. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"
#include "util/str.h"

/* As a shell has it. */
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

/* Full path of the program that @name stands for, by PATH like execvp; caller frees. NULL with
 * text and *status 127 (not found) or 126 (not executable). */
char *workload_find(const char *name, int *status, struct err *err);

/* Whom the command runs as. */
struct workload_user {
	char *name;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int nr_groups;
	char *home;
	char *shell;
};

/* Looks up @name, or a user's number. It needs the right to become somebody else. */
int workload_user_find(const char *name, struct workload_user *out, struct err *err);
void workload_user_fini(struct workload_user *user);

struct workload {
	pid_t pid;	   /* 0 when there is none, or it has been reaped */
	struct gate *gate; /* shared with the child */
	int door; /* a byte lets the child go, closing it without one ends it; -1 once it is through */
};

/* Forks; @mask is the signal mask of the command; @user may be NULL: it runs as ft does. The child keeps to itself until
 * workload_release(). Its name is that of the command already. */
int workload_start(struct workload *work, const char *path, const struct strv *argv,
		   const struct workload_user *user, const sigset_t *mask, struct err *err);
/* Lets it go: the child itself writes "1" to the files @tracing_on and becomes the command, while ft
 * sleeps. So the trace holds neither ft nor its waking of the child. */
int workload_release(struct workload *work, const struct strv *tracing_on, struct err *err);
/* Takes its end if it has ended; *status is its exit status, or 128 and its signal. */
bool workload_reap(struct workload *work, int *status);
/* After its end: why it never became the command. 0 when it did. *status is 126 or 127 then. */
int workload_check(const struct workload *work, int *status, struct err *err);
/* Ends it if it was never released; forgets it otherwise. */
void workload_fini(struct workload *work);

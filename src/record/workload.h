/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: started but held until the trace is on. */
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

struct workload {
	pid_t pid;
	int gate;   /* a byte lets the command go; closing it without one ends it */
	int report; /* carries the errno of a failed exec; end of file when it succeeded */
};

/* Forks; @mask is the signal mask of the command. The child keeps to itself until workload_release(). Its name is that of the command
 * already, so that what it does before exec is not taken for ft's. */
int workload_start(struct workload *work, const char *path, const struct strv *argv,
		   const sigset_t *mask, struct err *err);
/* Lets it go, and waits for its exec. On failure err->code is exec's errno. */
int workload_release(struct workload *work, struct err *err);
/* Takes its end if it has ended; *status is its exit status, or 128 and its signal. */
bool workload_reap(struct workload *work, int *status);
/* Ends it if it was never released; forgets it otherwise. */
void workload_fini(struct workload *work);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for the end of a recording: the command's, a signal, the time, or a failure. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/workload.h"
#include "util/err.h"

/* What is to be done while it is waited. */
struct wait_hooks {
	bool (*tick)(void *ctx); /* true: the recording has reached its limit */
	unsigned int tick_ms;
	void (*flush)(void *ctx); /* SIGUSR1 came */
	void (*dump)(void *ctx);  /* SIGUSR2 came */
	/* A descriptor, -1 for none, and what to ask when it is readable, and at each tick: true
	 * when nobody is left to be recorded. */
	int watch;
	bool (*ended)(void *ctx);
	void *ctx;
};

/* Signals and timers as descriptors. */
struct waiter {
	int signals;
	int timer; /* the duration; -1 none */
	int tick;
	sigset_t before; /* the mask to go back to */
	bool flush_asked;
	bool dump_asked;
};

enum wait_end {
	END_COMMAND, /* it has ended; its status is known */
	END_SIGNAL,  /* ft was told to stop */
	END_DURATION,
	END_LIMIT,   /* a tick has said so */
	END_TARGETS, /* the processes that were recorded have ended */
	END_FAILURE, /* a stream cannot go on */
};

/* Blocks INT, TERM, HUP, QUIT, USR1, USR2 and CHLD and takes them as events from now on, so that none of them
 * can end ft before everything is put back. */
int waiter_init(struct waiter *w, struct err *err);
void waiter_fini(struct waiter *w);

/* True when a signal to stop has come already. */
bool waiter_is_told(struct waiter *w);

/* Waits. @work may have no process; @duration_ns is 0 for no limit. @failure is a descriptor that
 * becomes readable when a stream fails. A signal is passed on to the
 * command, which then has until the second one to end. *status is the command's, -1 while it
 * runs. */
enum wait_end waiter_wait(struct waiter *w, struct workload *work, uint64_t duration_ns,
			  int failure, const struct wait_hooks *hooks, int *status);

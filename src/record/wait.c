/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for the end of a recording. */
#include "record/wait.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "util/mem.h"

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

int waiter_init(struct waiter *w, struct err *err)
{
	sigset_t set;

	*w = (struct waiter){.signals = -1, .timer = -1, .tick = -1};
	sigemptyset(&set);
	for (size_t i = 0; i < array_size(stop_signals); i++)
		sigaddset(&set, stop_signals[i]);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &w->before);
	sigdelset(&set, SIGPIPE);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->signals < 0 || w->timer < 0 || w->tick < 0)
		return err_sys(err, errno, "cannot watch for signals");
	return 0;
}

void waiter_fini(struct waiter *w)
{
	const int fds[] = {w->signals, w->timer, w->tick};

	for (size_t i = 0; i < array_size(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
}

/* The next signal that tells ft to stop; 0 when there is none. Others that came are noted. */
static int next_stop(struct waiter *w, bool *from_user)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		w->flush_asked |= info.ssi_signo == SIGUSR1;
		w->dump_asked |= info.ssi_signo == SIGUSR2;
		if (info.ssi_signo == SIGCHLD || info.ssi_signo == SIGUSR1 ||
		    info.ssi_signo == SIGUSR2)
			continue;
		/* The terminal's own signals have gone to the command already. */
		*from_user = info.ssi_code <= 0;
		return (int)info.ssi_signo;
	}
	return 0;
}

bool waiter_is_told(struct waiter *w)
{
	bool from_user;

	return next_stop(w, &from_user) != 0;
}

static void start_timer(int timer, uint64_t ns, bool again)
{
	const struct timespec span = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	const struct itimerspec at = {.it_value = span,
				      .it_interval = again ? span : (struct timespec){0, 0}};

	timerfd_settime(timer, 0, &at, NULL);
}

static void drain(int fd)
{
	uint64_t n;

	while (read(fd, &n, sizeof(n)) == sizeof(n))
		;
}

/* True when the signals say that the recording is to end now. */
static bool take_signals(struct waiter *w, struct workload *work, int *told)
{
	bool from_user = false;
	int signo;

	while ((signo = next_stop(w, &from_user))) {
		if (work->pid <= 0 || (*told)++)
			return true;
		if (from_user)
			kill(work->pid, signo);
	}
	return false;
}

/* What was asked for by signals since the last look. */
static void do_asked(struct waiter *w, const struct wait_hooks *hooks)
{
	if (w->flush_asked)
		hooks->flush(hooks->ctx);
	if (w->dump_asked)
		hooks->dump(hooks->ctx);
	w->flush_asked = false;
	w->dump_asked = false;
}

static bool have_ended(const struct wait_hooks *hooks)
{
	return hooks->ended && hooks->ended(hooks->ctx);
}

/* True, with the reason in *end, when the waiting is over. */
static bool look(struct waiter *w, const struct pollfd *fds, struct workload *work, int *told,
		 const struct wait_hooks *hooks, int *status, enum wait_end *end)
{
	if (fds[0].revents) {
		bool stop = take_signals(w, work, told);

		*end = END_COMMAND;
		if (work->pid > 0 && workload_reap(work, status))
			return true;
		*end = END_SIGNAL;
		if (stop)
			return true;
		do_asked(w, hooks);
	}
	*end = END_DURATION;
	if (fds[1].revents)
		return true;
	*end = END_LIMIT;
	if (fds[2].revents) {
		drain(w->tick);
		if (hooks->tick(hooks->ctx))
			return true;
	}
	*end = END_TARGETS;
	if ((fds[2].revents || fds[4].revents) && have_ended(hooks))
		return true;
	*end = END_FAILURE;
	return fds[3].revents;
}

enum wait_end waiter_wait(struct waiter *w, struct workload *work, uint64_t duration_ns,
			  int failure, const struct wait_hooks *hooks, int *status)
{
	struct pollfd fds[] = {
		{.fd = w->signals, .events = POLLIN},	{.fd = w->timer, .events = POLLIN},
		{.fd = w->tick, .events = POLLIN},	{.fd = failure, .events = POLLIN},
		{.fd = hooks->watch, .events = POLLIN},
	};
	enum wait_end end;
	int told = 0;

	*status = -1;
	start_timer(w->tick, hooks->tick_ms * 1000000ULL, true);
	if (duration_ns)
		start_timer(w->timer, duration_ns, false);
	for (;;)
		if (poll(fds, array_size(fds), -1) >= 0 &&
		    look(w, fds, work, &told, hooks, status, &end))
			return end;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording tells while it runs: to scripts, that it does; to people, how it goes. */
#include "cmd/record_tell.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"

/* Often enough to look alive; the counters of many CPUs are not read for nothing. */
#define PROGRESS_MS 500

struct record_tell {
	const struct record_args *args;
	int ready; /* -1 none, or told */
	int pid_file;
	bool progress;
	bool shown;
	uint64_t started; /* ns */
	uint64_t last_at;
	uint64_t last_events;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The command must not get it: whoever waits for its end waits for ft's word only. */
static int take_ready_fd(struct record_tell *tell, struct err *err)
{
	const char *text = tell->args->ready_fd;
	uint64_t fd;

	if (!text)
		return 0;
	if (!parse_u64(text, &fd) || fd > INT32_MAX)
		return err_set(err, EINVAL, "--ready-fd needs the number of a descriptor, not '%s'",
			       text);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_sys(err, errno, "--ready-fd %s is no open descriptor", text);
	tell->ready = (int)fd;
	return 0;
}

static int open_pid_file(struct record_tell *tell, struct err *err)
{
	const char *path = tell->args->pid_file;

	if (!path)
		return 0;
	tell->pid_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (tell->pid_file < 0)
		return err_sys(err, errno, "cannot create %s", path);
	return 0;
}

struct record_tell *record_tell_new(const struct record_args *args, struct err *err)
{
	struct record_tell *tell = xzalloc(sizeof(*tell));
	const char *term = getenv("TERM");

	tell->args = args;
	tell->ready = -1;
	tell->pid_file = -1;
	/* A command and the events have the same terminal, and their lines must not be written over. */
	tell->progress = !args->quiet && !args->common.words.nr && !args->live &&
			 isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
	if (take_ready_fd(tell, err) < 0 || open_pid_file(tell, err) < 0) {
		record_tell_free(tell);
		return NULL;
	}
	return tell;
}

int record_tell_ready(struct record_tell *tell, struct err *err)
{
	tell->started = now_ns();
	tell->last_at = tell->started;
	if (tell->pid_file >= 0) {
		cleanup_free char *text = xasprintf("%d\n", (int)getpid());
		int r = io_write_all(tell->pid_file, text, strlen(text));

		if (r < 0)
			return err_sys(err, -r, "cannot write %s", tell->args->pid_file);
	}
	if (tell->ready >= 0) {
		/* Nobody who listens any more is not our trouble. */
		io_write_all(tell->ready, "ready\n", 6);
		close(take_fd(tell->ready));
	}
	return 0;
}

unsigned int record_tell_interval(const struct record_tell *tell)
{
	return tell->progress ? PROGRESS_MS : 0;
}

void record_tell_progress(struct record_tell *tell, const struct record_buffers *buffers)
{
	struct recorder_totals totals;
	uint64_t now = now_ns();
	uint64_t seconds = (now - tell->started) / 1000000000;
	uint64_t rate;
	char events[32];
	char bytes[32];
	char lost[32];

	if (!tell->progress || record_buffers_totals(buffers, &totals) < 0 || now == tell->last_at)
		return;
	rate = (totals.events + totals.overwritten - tell->last_events) * 1000000000 /
	       (now - tell->last_at);
	tell->last_at = now;
	tell->last_events = totals.events + totals.overwritten;
	fprintf(stderr, "\r%" PRIu64 ":%02" PRIu64 "  %s events/s  %s  %s %s\033[K", seconds / 60,
		seconds % 60, format_count(rate, events, sizeof(events)),
		format_bytes(record_buffers_bytes(buffers), bytes, sizeof(bytes)),
		format_count(tell->args->ring ? totals.overwritten : totals.lost, lost,
			     sizeof(lost)),
		tell->args->ring ? "overwritten" : "lost");
	fflush(stderr);
	tell->shown = true;
}

void record_tell_clear(struct record_tell *tell)
{
	if (tell->shown)
		fputs("\r\033[K", stderr);
	tell->shown = false;
}

void record_tell_free(struct record_tell *tell)
{
	if (!tell)
		return;
	record_tell_clear(tell);
	if (tell->ready >= 0)
		close(tell->ready);
	if (tell->pid_file >= 0) {
		close(tell->pid_file);
		unlink(tell->args->pid_file);
	}
	free(tell);
}

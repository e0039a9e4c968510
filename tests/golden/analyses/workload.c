/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recordings beside it are of: sections of all kinds, plain markers, system calls that fail. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int marker;

static void __attribute__((format(printf, 1, 2))) mark(const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (write(marker, text, (size_t)len) != len)
		exit(1);
}

static void rest(long ns)
{
	const struct timespec time = {ns / 1000000000, ns % 1000000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void recurse(int levels)
{
	mark("B|%d|recurse", getpid());
	rest(1000000);
	if (levels)
		recurse(levels - 1);
	mark("E|%d", getpid());
}

static void *other(void *arg)
{
	rest(3000000);
	mark("F|%d|job|7", getpid());
	mark("B|%d|in thread", getpid());
	rest(1000000);
	mark("E|%d", getpid());
	return arg;
}

int main(int argc, char **argv)
{
	long work_ms = argc > 1 ? atol(argv[1]) : 100;
	pthread_t thread;

	marker =
		open(argc > 2 ? argv[2] : "/sys/kernel/tracing/trace_marker", O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		return 1;
	for (int i = 0; i < 3; i++) {
		mark("B|%d|work", getpid());
		rest(work_ms * 1000000);
		mark("B|%d|inner|part", getpid());
		rest(2000000);
		mark("E|%d", getpid());
		mark("E");
	}
	recurse(2);
	mark("S|%d|job|7", getpid());
	mark("S|%d|job|8", getpid());
	if (pthread_create(&thread, NULL, other, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	mark("F|%d|job|8", getpid());
	mark("F|%d|job|9", getpid());
	mark("E|%d", getpid());
	for (int i = 0; i < 5; i++) {
		mark("request %d start\n", i);
		rest(500000L * (i + 1));
		mark("request %d stop\n", i);
	}
	for (int i = 0; i < 3; i++)
		if (open("/nonexistent", O_RDONLY) >= 0 || close(-1) == 0)
			return 1;
	mark("B|%d|never closed", getpid());
	mark("S|%d|nor this|1", getpid());
	return 0;
}

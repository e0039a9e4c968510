/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one marker costs a program: "marker FILE WAY COUNT" prints nanoseconds of CPU time a call. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ft/marker.h>

static double now(void)
{
	struct timespec t;

	/* Others use the machine too. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void loop_nothing(int fd, long n)
{
	(void)fd;
	for (long i = 0; i < n; i++)
		__asm__ volatile("" : : "r"(i));
}

/* As many bytes as loop_section() writes the first time. */
static void loop_write(int fd, long n)
{
	static const char text[] = "B|12345|section";

	for (long i = 0; i < n; i++) {
		__asm__ volatile("" : : "r"(i));
		if (write(fd, text, sizeof(text) - 1) < 0)
			exit(1);
	}
}

static void loop_section(int fd, long n)
{
	(void)fd;
	for (long i = 0; i < n; i++) {
		__asm__ volatile("" : : "r"(i));
		ft_mark_begin("section");
	}
}

static void loop_text(int fd, long n)
{
	(void)fd;
	for (long i = 0; i < n; i++) {
		__asm__ volatile("" : : "r"(i));
		ft_mark("frame %ld of %s", i, "many");
	}
}

static const struct {
	const char *name;
	void (*loop)(int fd, long n);
} ways[] = {
	{"nothing", loop_nothing},
	{"write", loop_write},
	{"section", loop_section},
	{"text", loop_text},
};

/* Without FILE the markers stay off. */
int main(int argc, char **argv)
{
	const char *file = argc > 3 ? argv[1] : "";
	long n = argc > 3 ? atol(argv[3]) : 0;
	int fd = -1;

	if (*file) {
		fd = open(file, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || ft_marker_init_at(file) < 0)
			return 1;
	}
	for (size_t i = 0; n > 0 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		double begin;

		if (strcmp(ways[i].name, argv[2]))
			continue;
		begin = now();
		ways[i].loop(fd, n);
		printf("%.3f\n", (now() - begin) / (double)n);
		return 0;
	}
	return 2;
}

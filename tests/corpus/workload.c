/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorded machine does while the corpus and the measurements are made: a bit of everything, or too much. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE 64
#define BLOCK 8192
#define KMEM_BYTES (1 << 20)

struct work {
	const char *name;
	void (*run)(long n, const char *dir);
	const char *help;
};

struct pipes {
	int to[2];
	int from[2];
	long n;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void pass(int fd_in, int fd_out, long n)
{
	char text[MESSAGE];

	while (n-- > 0)
		if (read(fd_in, text, MESSAGE) != MESSAGE ||
		    write(fd_out, text, MESSAGE) != MESSAGE)
			die("pipe");
}

static void *answer(void *arg)
{
	struct pipes *p = arg;

	pass(p->to[0], p->from[1], p->n);
	return NULL;
}

/* Two threads that wake each other. */
static void ping_pong(long n)
{
	struct pipes p = {.n = n};
	char text[MESSAGE] = "ping";
	pthread_t thread;

	if (pipe(p.to) || pipe(p.from) || pthread_create(&thread, NULL, answer, &p))
		die("pipe");
	while (n-- > 0)
		if (write(p.to[1], text, MESSAGE) != MESSAGE ||
		    read(p.from[0], text, MESSAGE) != MESSAGE)
			die("pipe");
	pthread_join(thread, NULL);
}

static void file_round(const char *path)
{
	char block[BLOCK] = {0};
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, block, BLOCK) != BLOCK || pread(fd, block, BLOCK, 0) != BLOCK ||
	    fstat(fd, &st))
		die(path);
	close(fd);
}

static void map_round(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	for (size_t at = 0; at < bytes; at += 4096)
		p[at] = 1;
	munmap(p, bytes);
}

static void fork_round(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void read_dir(const char *dir)
{
	DIR *d = opendir(dir);

	while (d && readdir(d))
		;
	if (d)
		closedir(d);
}

static void run_mix(long n, const char *dir)
{
	const struct timespec nap = {.tv_nsec = 100000};
	char path[4096];

	snprintf(path, sizeof(path), "%s/mix.%d", dir, (int)getpid());
	ping_pong(n);
	for (long i = 1; i <= n; i++) {
		file_round(path);
		if (i % 7 == 0)
			map_round(65536);
		if (i % 20 == 0)
			fork_round();
		if (i % 50 == 0)
			nanosleep(&nap, NULL);
		if (i % 97 == 0 && system("true"))
			die("true");
	}
	read_dir("/usr/bin");
	unlink(path);
}

static void kmem_loop(int cpu, long n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (n-- > 0) {
		void *p = mmap(NULL, KMEM_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p == MAP_FAILED)
			die("mmap");
		munmap(p, KMEM_BYTES);
	}
}

/* Each CPU takes and gives back 256 pages, n times: more events than any other work. */
static void run_kmem(long n, const char *dir)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	(void)dir;
	for (int cpu = 0; cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			kmem_loop(cpu, n);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void write_mark(int fd, const char *text, size_t len)
{
	if (fd >= 0 && write(fd, text, len) < 0)
		die("marker");
}

static void run_marks(long n, const char *dir)
{
	char text[900];
	unsigned int raw[3] = {42, 0, 0xdeadbeef};
	int fd, raw_fd;

	snprintf(text, sizeof(text), "%s/trace_marker", dir);
	fd = open(text, O_WRONLY);
	snprintf(text, sizeof(text), "%s/trace_marker_raw", dir);
	raw_fd = open(text, O_WRONLY);
	if (fd < 0 || raw_fd < 0)
		die("trace_marker");
	for (long i = 0; i < n; i++) {
		int len = snprintf(text, sizeof(text), "mark %ld of %ld", i, n);

		write_mark(fd, text, len);
		write_mark(fd, "with a newline\n", 15);
		write_mark(fd, "100%d of %s", 11);
		memset(text, 'a' + i % 26, sizeof(text));
		write_mark(fd, text, (size_t)(i * 7) % sizeof(text) + 1);
		raw[1] = i;
		write_mark(raw_fd, (char *)raw, sizeof(raw));
	}
}

/* The user probes sit on this one. */
__attribute__((noinline, noclone)) long corpus_step(long i, const char *text,
						    const unsigned int *numbers)
{
	__asm__ volatile("" : : "r"(text), "r"(numbers) : "memory");
	return i % 3 ? i : -i;
}

static void run_steps(long n, const char *dir)
{
	unsigned int numbers[4] = {1, 22, 333, 4444};
	char path[4096];

	for (long i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/step %ld", dir, i);
		numbers[i % 4] += i;
		corpus_step(i, path, numbers);
		close(open(path, O_RDONLY));
	}
}

static const struct work works[] = {
	{"mix", run_mix, "pipes, files below DIR, maps, forks, sleeps"},
	{"kmem", run_kmem, "pages taken and given back on every CPU at once"},
	{"marks", run_marks, "texts and bytes into the markers of the tracing folder DIR"},
	{"steps", run_steps, "calls of corpus_step(), and open() of files that are not there"},
};

static const struct work *find_work(const char *name)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	return NULL;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* So that whoever measured all of us can take the work off the bill: begin, end, CPU seconds. */
static void write_bill(const char *path, double begin)
{
	struct rusage self, children;
	FILE *f = fopen(path, "w");

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	if (!f)
		die(path);
	fprintf(f, "%.6f %.6f %.6f\n", begin, now(),
		seconds(self.ru_utime) + seconds(self.ru_stime) + seconds(children.ru_utime) +
			seconds(children.ru_stime));
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	const struct work *work = argc > 2 ? find_work(argv[1]) : NULL;
	double begin = now();

	if (!work) {
		fprintf(stderr, "usage: workload WORK TIMES [DIR [BILL]]\n");
		for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
			fprintf(stderr, "  %-6s %s\n", works[i].name, works[i].help);
		return 2;
	}
	work->run(atol(argv[2]), argc > 3 ? argv[3] : "/tmp");
	if (argc > 4)
		write_bill(argv[4], begin);
	return 0;
}

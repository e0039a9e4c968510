/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel and the machine tell of a recording beside its events. */
#include "record/facts.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "dat/facts.h"
#include "util/io.h"
#include "util/mem.h"

#define CPU_DIR "/sys/devices/system/cpu"
/* The readings of one line are taken so often, and those kept that came closest together. */
#define TRIES 5

/* Clocks of the trace that user space can read, too. */
static const struct {
	const char *name;
	clockid_t id;
} trace_clocks[] = {
	{"mono", CLOCK_MONOTONIC},
	{"mono_raw", CLOCK_MONOTONIC_RAW},
	{"boot", CLOCK_BOOTTIME},
	{"tai", CLOCK_TAI},
};

#if defined(__x86_64__) || defined(__i386__)
/* True when it counts at one rate and never stands still: the kernel's constant_tsc and nonstop_tsc. */
static bool has_tsc(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

static uint64_t read_tsc(void)
{
	return __rdtsc();
}
#else
static bool has_tsc(void)
{
	return false;
}

static uint64_t read_tsc(void)
{
	return 0;
}
#endif

static uint64_t read_clock(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* All at the same time, as nearly as can be. */
struct reading {
	uint64_t mono;
	uint64_t boot;
	uint64_t real;
	uint64_t trace;
	uint64_t tsc;
	uint64_t took;
};

static struct reading read_once(clockid_t trace)
{
	struct reading r = {.mono = read_clock(CLOCK_MONOTONIC)};
	uint64_t after;

	r.boot = read_clock(CLOCK_BOOTTIME);
	r.real = read_clock(CLOCK_REALTIME);
	r.trace = read_clock(trace);
	r.tsc = read_tsc();
	after = read_clock(CLOCK_MONOTONIC);
	r.took = after - r.mono;
	/* In the middle of the others. */
	r.mono += r.took / 2;
	return r;
}

static struct reading read_best(clockid_t trace)
{
	struct reading best = read_once(trace);

	for (int i = 1; i < TRIES; i++) {
		struct reading next = read_once(trace);

		if (next.took < best.took)
			best = next;
	}
	return best;
}

static void add_clocks(const char *when, const char *clock, struct strbuf *out)
{
	bool is_tsc = !strcmp(clock, "x86-tsc");
	bool is_known = is_tsc;
	clockid_t id = CLOCK_MONOTONIC;
	struct reading now;

	for (size_t i = 0; i < array_size(trace_clocks); i++) {
		if (strcmp(clock, trace_clocks[i].name) != 0)
			continue;
		id = trace_clocks[i].id;
		is_known = true;
	}
	now = read_best(id);
	/* Two readings of one clock are never the same. */
	if (id == CLOCK_MONOTONIC)
		now.trace = now.mono;
	if (id == CLOCK_BOOTTIME)
		now.trace = now.boot;
	strbuf_addf(out, "clock %s mono=%" PRIu64 " boot=%" PRIu64 " real=%" PRIu64, when, now.mono,
		    now.boot, now.real);
	if (is_known)
		strbuf_addf(out, " trace=%" PRIu64, is_tsc ? now.tsc : now.trace);
	if (has_tsc())
		strbuf_addf(out, " tsc=%" PRIu64, now.tsc);
	strbuf_add(out, "\n");
}

static void add_boot(struct strbuf *out)
{
	cleanup(strbuf_fini) struct strbuf id = {0};

	if (io_read_file("/proc/sys/kernel/random/boot_id", &id, NULL) == 0 && id.len)
		strbuf_addf(out, "boot-id %s\n", str_trim(id.text));
}

static void add_number(const char *cpu, const char *file, const char *name, struct strbuf *out)
{
	cleanup_free char *path = xasprintf(CPU_DIR "/%s/topology/%s", cpu, file);
	cleanup(strbuf_fini) struct strbuf text = {0};
	uint64_t value;

	if (io_read_file(path, &text, NULL) == 0 && text.len &&
	    parse_u64(str_trim(text.text), &value))
		strbuf_addf(out, " %s=%" PRIu64, name, value);
}

/* "NAME0" to "NAME4095". */
static bool is_numbered(const char *text, const char *name, uint64_t *number)
{
	return str_starts(text, name) && parse_u64(text + strlen(name), number);
}

/* A link to the node lies in the directory of each of its CPUs. */
static void add_node(const char *cpu, struct strbuf *out)
{
	cleanup_free char *path = xasprintf(CPU_DIR "/%s", cpu);
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t node;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_numbered(entry->d_name, "node", &node))
			strbuf_addf(out, " node=%" PRIu64, node);
	closedir(dir);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static size_t list_cpus(uint64_t **cpus)
{
	DIR *dir = opendir(CPU_DIR);
	struct dirent *entry;
	uint64_t cpu;
	size_t nr = 0;

	*cpus = NULL;
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (!is_numbered(entry->d_name, "cpu", &cpu))
			continue;
		*cpus = xrealloc(*cpus, (nr + 1) * sizeof(**cpus));
		(*cpus)[nr++] = cpu;
	}
	closedir(dir);
	if (nr)
		qsort(*cpus, nr, sizeof(**cpus), by_number);
	return nr;
}

static void add_cpus(struct strbuf *out)
{
	cleanup_free uint64_t *cpus = NULL;
	size_t nr = list_cpus(&cpus);

	for (size_t i = 0; i < nr; i++) {
		cleanup_free char *name = xasprintf("cpu%" PRIu64, cpus[i]);

		strbuf_addf(out, "cpu %" PRIu64, cpus[i]);
		add_number(name, "physical_package_id", "package", out);
		add_number(name, "core_id", "core", out);
		add_node(name, out);
		strbuf_add(out, "\n");
	}
}

/* The kernel's lines are "TID PID", also of threads that are their process. */
static void add_tgids(const struct tfs *top, struct strbuf *out)
{
	cleanup_free char *text = NULL;
	bool has_some = false;
	char *at;
	char *line;

	if (tfs_read(top, "saved_tgids", &text, NULL) < 0)
		return;
	at = text;
	while ((line = str_next_line(&at))) {
		char *pid = strchr(line, ' ');
		uint64_t numbers[2];

		if (!pid)
			continue;
		*pid++ = '\0';
		if (!parse_u64(line, &numbers[0]) || !parse_u64(pid, &numbers[1]))
			continue;
		has_some = true;
		if (numbers[0] != numbers[1])
			strbuf_addf(out, DAT_FACT_TGID "%" PRIu64 " %" PRIu64 "\n", numbers[0],
				    numbers[1]);
	}
	if (has_some)
		strbuf_add(out, DAT_FACT_TGIDS "\n");
}

void facts_add_begin(const char *clock, struct strbuf *out)
{
	add_boot(out);
	add_cpus(out);
	add_clocks("begin", clock, out);
}

void facts_add_end(const struct tfs *top, const char *clock, struct strbuf *out)
{
	add_clocks("end", clock, out);
	add_tgids(top, out);
}

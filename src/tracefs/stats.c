/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs of a buffer and their counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

static int compare_cpus(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int tfs_cpus(const struct tfs *tfs, unsigned int **cpus, size_t *nr, struct err *err)
{
	cleanup_free char *path = tfs_path(tfs, "per_cpu");
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_add_entries(path, false, &names, err);

	if (r < 0)
		return r;
	*cpus = xcalloc(names.nr, sizeof(**cpus));
	*nr = 0;
	for (size_t i = 0; i < names.nr; i++) {
		uint64_t cpu;

		if (str_starts(names.item[i], "cpu") && parse_u64(names.item[i] + 3, &cpu) &&
		    cpu <= UINT32_MAX)
			(*cpus)[(*nr)++] = (unsigned int)cpu;
	}
	qsort(*cpus, *nr, sizeof(**cpus), compare_cpus);
	if (*nr)
		return 0;
	free(take_ptr(*cpus));
	return err_set(err, ENODEV, "there is no CPU in %s", path);
}

int tfs_cpu_stats_text(const struct tfs *tfs, unsigned int cpu, char **text, struct err *err)
{
	cleanup_free char *file = xasprintf("per_cpu/cpu%u/stats", cpu);

	return tfs_read(tfs, file, text, err);
}

struct counter {
	const char *name;
	size_t offset;
};

#define COUNTER(name, field)                                \
	{                                                   \
		name, offsetof(struct tfs_cpu_stats, field) \
	}
static const struct counter counters[] = {
	COUNTER("entries", entries),
	COUNTER("overrun", overrun),
	COUNTER("commit overrun", commit_overrun),
	COUNTER("bytes", bytes),
	COUNTER("dropped events", dropped_events),
	COUNTER("read events", read_events),
};

static void store_counter(struct tfs_cpu_stats *out, const char *name, uint64_t value)
{
	for (size_t i = 0; i < array_size(counters); i++)
		if (!strcmp(name, counters[i].name))
			memcpy((char *)out + counters[i].offset, &value, sizeof(value));
}

int tfs_cpu_stats(const struct tfs *tfs, unsigned int cpu, struct tfs_cpu_stats *out,
		  struct err *err)
{
	cleanup_free char *text = NULL;
	char *at;
	char *line;
	int r = tfs_cpu_stats_text(tfs, cpu, &text, err);

	*out = (struct tfs_cpu_stats){0};
	if (r < 0)
		return r;
	at = text;
	while ((line = str_next_line(&at))) {
		char *colon = strchr(line, ':');
		uint64_t value;

		/* The two time stamps are no whole numbers and fall through here. */
		if (!colon || !parse_u64(str_trim(colon + 1), &value))
			continue;
		*colon = '\0';
		store_counter(out, line, value);
	}
	return 0;
}

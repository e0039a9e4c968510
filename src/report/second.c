/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does trace-cmd's library read the same from a recording? */
#include "report/second.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/compat.h"
#include "util/mem.h"
#include "util/str.h"

static struct compat_cpu count_cpu(const struct input_source *source, const struct input_cpu *cpu)
{
	struct compat_cpu count = {.cpu = cpu->cpu};
	const struct stream_slot *slot;
	struct stream s;

	snprintf(count.buffer, sizeof(count.buffer), "%s", source->buffer->name);
	stream_init(&s, cpu->src, cpu->cpu, &source->layout, &source->time);
	for (; (slot = stream_head(&s)); stream_skip(&s)) {
		count.events++;
		count.times = compat_hash(count.times, slot->raw.ts);
	}
	stream_fini(&s);
	return count;
}

/* The library's count of a CPU; one without events is not in its list. */
static struct compat_cpu find_count(const struct compat_counts *counts, const char *buffer,
				    uint32_t cpu)
{
	for (size_t i = 0; i < counts->nr; i++)
		if (counts->cpu[i].cpu == cpu && !strcmp(counts->cpu[i].buffer, buffer))
			return counts->cpu[i];
	return (struct compat_cpu){.cpu = cpu};
}

static void compare(struct dat_reader *r, const struct compat_cpu *ours,
		    const struct compat_cpu *theirs)
{
	const char *name = *ours->buffer ? ours->buffer : "top";

	if (ours->events != theirs->events)
		dat_finding(r,
			    "CPU %" PRIu32 " of buffer %s: trace-cmd's library reads %" PRIu64
			    " events where there are %" PRIu64,
			    ours->cpu, name, theirs->events, ours->events);
	else if (ours->times != theirs->times)
		dat_finding(r,
			    "CPU %" PRIu32
			    " of buffer %s: trace-cmd's library reads other times of the events",
			    ours->cpu, name);
}

/* The library's failure without the name of the file, which stands before every finding. */
static const char *without_name(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(text, name, len) && str_starts(text + len, ": ") ? text + len + 2 : text;
}

bool second_opinion(const struct input *in, struct input_file *file)
{
	struct compat_counts theirs = {0};
	struct err err = {0};

	int r = compat_count(file->r->path, &theirs, &err);

	if (r == -ENOTSUP)
		return false;
	if (r < 0) {
		dat_finding(file->r, "trace-cmd and KernelShark will not read it: %s",
			    without_name(err.text, file->r->path));
		return true;
	}
	for (size_t i = 0; i < in->nr_sources; i++) {
		const struct input_source *source = &in->source[i];

		for (size_t c = 0; source->file == file && c < source->nr_cpus; c++) {
			struct compat_cpu ours = count_cpu(source, &source->cpu[c]);
			struct compat_cpu count =
				find_count(&theirs, ours.buffer, source->cpu[c].cpu);

			compare(file->r, &ours, &count);
		}
	}
	compat_counts_fini(&theirs);
	return true;
}

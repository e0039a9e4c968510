/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many events trace-cmd's library finds, and when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/child.h"
#include "compat/compat.h"
#include "compat/tracecmd.h"
#include "dat/write_stream.h"
#include "util/io.h"
#include "util/mem.h"

static void count_cpu(const struct tracecmd *lib, struct tracecmd_input *handle,
		      struct compat_cpu *count)
{
	struct tep_record *record;

	while ((record = lib->tracecmd_read_data(handle, (int)count->cpu))) {
		count->events++;
		count->times = compat_hash(count->times, record->ts);
		lib->tracecmd_free_record(record);
	}
}

/* The kernel's own text has no events, and the library has no reader for it. */
static bool is_text(const struct dat_reader *reader)
{
	for (size_t i = 0; i < reader->nr_buffers; i++)
		if (reader->buffer[i].is_text && !*reader->buffer[i].name)
			return true;
	return false;
}

static int count_buffer(const struct tracecmd *lib, struct tracecmd_input *handle, const char *name,
			int nr_cpus)
{
	int r = 0;

	for (int cpu = 0; r == 0 && cpu < nr_cpus; cpu++) {
		struct compat_cpu count = {.cpu = (uint32_t)cpu};

		snprintf(count.buffer, sizeof(count.buffer), "%s", name);
		count_cpu(lib, handle, &count);
		if (count.events)
			r = io_write_all(STDOUT_FILENO, &count, sizeof(count));
	}
	return r;
}

static bool is_stream(const struct dat_reader *reader)
{
	return reader->recorder && str_ends(reader->recorder, DAT_STREAM_SUFFIX);
}

/* To the library, the later parts of a stream's buffers are instances, of the names NAME+2 and so on. */
static bool is_part_of(const char *part, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(part, name, len) &&
	       (!part[len] ||
		(part[len] == '+' && !part[len + 1 + strspn(part + len + 1, "0123456789")]));
}

static int count_parts(const struct tracecmd *lib, struct tracecmd_input *handle, const char *name,
		       int nr_cpus)
{
	cleanup_free struct compat_cpu *counts = xcalloc((size_t)nr_cpus + 1, sizeof(*counts));
	int nr_parts = 1 + lib->tracecmd_buffer_instances(handle);
	int r = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		counts[cpu].cpu = (uint32_t)cpu;
	for (int i = 0; i < nr_parts; i++) {
		const char *part_name = i ? lib->tracecmd_buffer_instance_name(handle, i - 1) : "";
		struct tracecmd_input *part = NULL;

		if (is_part_of(part_name, name))
			part = i ? lib->tracecmd_buffer_instance_handle(handle, i - 1) : handle;
		for (int cpu = 0; part && cpu < nr_cpus; cpu++)
			count_cpu(lib, part, &counts[cpu]);
	}
	for (int cpu = 0; r == 0 && cpu < nr_cpus; cpu++) {
		if (!counts[cpu].events)
			continue;
		snprintf(counts[cpu].buffer, sizeof(counts[cpu].buffer), "%s", name);
		r = io_write_all(STDOUT_FILENO, &counts[cpu], sizeof(counts[cpu]));
	}
	return r;
}

static int count_stream(const struct tracecmd *lib, struct tracecmd_input *handle,
			const struct dat_reader *reader, int nr_cpus)
{
	int r = 0;

	for (size_t b = 0; r == 0 && b < reader->nr_buffers; b++)
		r = count_parts(lib, handle, reader->buffer[b].name, nr_cpus);
	return r;
}

static enum child_end count_job(const struct tracecmd *lib, struct tracecmd_input *handle,
				const struct dat_reader *reader, void *arg)
{
	int nr_cpus = lib->tep_get_cpus(lib->tracecmd_get_tep(handle));
	int r;

	(void)arg;
	if (is_stream(reader))
		return count_stream(lib, handle, reader, nr_cpus) < 0 ? CHILD_CANNOT_WRITE
								      : CHILD_DONE;
	r = is_text(reader) ? 0 : count_buffer(lib, handle, "", nr_cpus);
	for (int i = 0; r == 0 && i < lib->tracecmd_buffer_instances(handle); i++) {
		struct tracecmd_input *instance = lib->tracecmd_buffer_instance_handle(handle, i);

		if (instance)
			r = count_buffer(lib, instance,
					 lib->tracecmd_buffer_instance_name(handle, i), nr_cpus);
	}
	return r < 0 ? CHILD_CANNOT_WRITE : CHILD_DONE;
}

int compat_count(const char *path, struct compat_counts *out, struct err *err)
{
	cleanup(dat_reader_closep) struct dat_reader *reader = dat_reader_open(path, err);
	cleanup(strbuf_fini) struct strbuf result = {0};
	int r;

	*out = (struct compat_counts){0};
	if (!reader)
		return -err->code;
	r = child_run(reader, count_job, NULL, -1, &result, err);
	if (r < 0)
		return r;
	out->nr = result.len / sizeof(*out->cpu);
	out->cpu = xcalloc(out->nr + 1, sizeof(*out->cpu));
	if (out->nr)
		memcpy(out->cpu, result.text, out->nr * sizeof(*out->cpu));
	return 0;
}

void compat_counts_fini(struct compat_counts *counts)
{
	free(counts->cpu);
	*counts = (struct compat_counts){0};
}

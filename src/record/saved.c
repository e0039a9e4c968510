/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a buffer of the kernel already, brought into a file. */
#include "record/saved.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat/ring.h"
#include "util/mem.h"

/* What is written at once; of a compressed file a chunk. */
#define CHUNK_BYTES (256u * 1024)

int saved_look(const struct saved_from *from, const unsigned int *cpus, size_t nr,
	       struct saved_cpu **out, struct err *err)
{
	struct saved_cpu *cpu = xcalloc(nr, sizeof(*cpu));
	int r = 0;

	*out = cpu;
	for (size_t i = 0; r == 0 && i < nr; i++) {
		struct tfs_cpu_stats stats;

		cpu[i] = (struct saved_cpu){.cpu = cpus[i], .entries = UINT64_MAX};
		/* The counters are those of the buffer that is written to. */
		if (from->is_snapshot)
			continue;
		r = tfs_cpu_stats_text(from->tfs, cpus[i], &cpu[i].stats, err);
		if (r == 0)
			r = tfs_cpu_stats(from->tfs, cpus[i], &stats, err);
		if (r < 0)
			break;
		cpu[i].entries = stats.entries;
		cpu[i].overwritten = stats.overrun;
		cpu[i].lost = stats.commit_overrun + stats.dropped_events;
	}
	return r;
}

void saved_free(struct saved_cpu *cpu, size_t nr)
{
	for (size_t i = 0; cpu && i < nr; i++)
		free(cpu[i].stats);
	free(cpu);
}

/* Where one CPU's sub-buffers go. */
struct target {
	const struct saved_from *from;
	struct saved_cpu *cpu;
	struct dat_writer *writer;
	size_t buffer;
	size_t index;
	struct compressor *c;
	struct waiter *waiter;
};

static int write_pages(const struct target *t, const uint8_t *data, size_t size, struct err *err)
{
	size_t most = t->from->page_size > CHUNK_BYTES ? t->from->page_size : CHUNK_BYTES;

	for (size_t at = 0, n; at < size; at += n) {
		int r;

		/* The first have been taken out of the kernel, perhaps. */
		if (at && waiter_is_told(t->waiter))
			return err_set(err, EINTR, "stopped by a signal");
		n = size - at < most ? size - at : most;
		r = dat_writer_append(t->writer, t->buffer, t->index, data + at, n, t->c, err);
		if (r < 0)
			return r;
		t->cpu->events += ring_count(data + at, n, t->from->page_size, t->from->page_data);
	}
	return 0;
}

/* -EOPNOTSUPP when the kernel does not let it be mapped. */
static int copy_mapped(const struct target *t, struct err *err)
{
	cleanup_free uint8_t *pages = NULL;
	struct tfs_mapping map;
	struct ring_view ring;
	size_t size = 0;
	int r = tfs_mapping_open(t->from->tfs, t->cpu->cpu, &map, err);

	if (r < 0)
		return r;
	ring = (struct ring_view){
		.data = map.data,
		.nr_pages = map.nr_pages,
		.page_size = map.page_size,
		.page_data = t->from->page_data,
		.reader = map.reader,
		.reader_events = map.reader_events,
	};
	if (map.page_size == t->from->page_size)
		pages = ring_copy(&ring, &size);
	else
		r = -EOPNOTSUPP;
	/* It is not held while the disk is busy. */
	tfs_mapping_close(&map);
	return r < 0 ? r : write_pages(t, pages, size, err);
}

/* The next sub-buffers, as many as @room takes or as hold @wanted events. Their bytes; 0 at the end. A short read would
 * go on in the middle of the same sub-buffer the next time: it has to ask for a whole one. */
static ssize_t read_pages(const struct target *t, int fd, uint8_t *out, size_t room,
			  uint64_t wanted, struct err *err)
{
	uint32_t page_size = t->from->page_size;
	uint64_t events = 0;
	size_t size = 0;

	while (size + page_size <= room && events < wanted) {
		ssize_t n = read(fd, out + size, page_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno == EAGAIN))
			break;
		/* What has been read before it is not lost: the error comes again. */
		if (n < 0 && size)
			break;
		if (n < 0)
			return err_sys(err, errno, "cannot read the buffer of CPU %u", t->cpu->cpu);
		memset(out + size + n, 0, page_size - (size_t)n);
		events += ring_count(out + size, page_size, page_size, t->from->page_data);
		size += page_size;
	}
	return (ssize_t)size;
}

/* What comes while it is read is not waited for: it may come faster than it is read. */
static int copy_read(const struct target *t, struct err *err)
{
	const char *name = t->from->is_snapshot ? "snapshot_raw" : "trace_pipe_raw";
	cleanup_free char *file = xasprintf("per_cpu/cpu%u/%s", t->cpu->cpu, name);
	cleanup_close int fd = tfs_open_file(t->from->tfs, file, O_RDONLY | O_NONBLOCK, err);
	size_t room = t->from->page_size > CHUNK_BYTES ? t->from->page_size : CHUNK_BYTES;
	cleanup_free uint8_t *pages = xmalloc(room);

	if (fd < 0)
		return fd;
	while (t->cpu->events < t->cpu->entries) {
		uint64_t wanted = t->cpu->entries - t->cpu->events;
		ssize_t n;
		int r;

		if (waiter_is_told(t->waiter))
			return err_set(err, EINTR, "stopped by a signal");
		n = read_pages(t, fd, pages, room, wanted, err);
		if (n <= 0)
			return (int)n;
		t->cpu->is_consumed = true;
		r = write_pages(t, pages, (size_t)n, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int saved_copy(const struct saved_from *from, struct saved_cpu *cpu, struct dat_writer *writer,
	       size_t buffer, size_t index, struct compressor *c, struct waiter *waiter,
	       struct err *err)
{
	const struct target t = {from, cpu, writer, buffer, index, c, waiter};
	int r = -EOPNOTSUPP;

	if (!cpu->entries)
		return 0;
	if (!from->is_snapshot)
		r = copy_mapped(&t, err);
	return r == -EOPNOTSUPP ? copy_read(&t, err) : r;
}

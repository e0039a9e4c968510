/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring buffer mapped into memory, which kernels from 6.10 on allow: reading it consumes nothing. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracefs/private.h"
#include "util/mem.h"

/* The kernel's struct trace_buffer_meta, which older headers lack. */
struct ring_meta {
	uint32_t meta_page_size;
	uint32_t meta_struct_len;
	uint32_t subbuf_size;
	uint32_t nr_subbufs;
	struct {
		uint64_t lost_events;
		uint32_t id;
		uint32_t read;
	} reader;
	uint64_t flags;
	uint64_t entries;
	uint64_t overrun;
	uint64_t read;
};

static int cannot(int code, const char *path, struct err *err)
{
	err_sys(err, code, "cannot map %s", path);
	return -EOPNOTSUPP;
}

int tfs_mapping_open(const struct tfs *tfs, unsigned int cpu, struct tfs_mapping *out,
		     struct err *err)
{
	cleanup_free char *file = xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu);
	cleanup_close int fd = tfs_open_file(tfs, file, O_RDONLY | O_NONBLOCK, err);
	size_t page = (size_t)getpagesize();
	const struct ring_meta *meta;
	uint64_t size;

	*out = (struct tfs_mapping){0};
	if (fd < 0)
		return fd;
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		return cannot(errno, file, err);
	out->meta = (void *)(uintptr_t)meta;
	out->meta_size = page;
	if (meta->meta_struct_len < sizeof(*meta) || !meta->subbuf_size || !meta->nr_subbufs ||
	    !mul_ok(meta->subbuf_size, meta->nr_subbufs, &size) || size > SIZE_MAX) {
		tfs_mapping_close(out);
		return cannot(EPROTO, file, err);
	}
	out->page_size = meta->subbuf_size;
	out->nr_pages = meta->nr_subbufs;
	out->reader = meta->reader.id;
	out->reader_events = meta->reader.read;
	out->overrun = meta->overrun;
	out->data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, meta->meta_page_size);
	if (out->data != MAP_FAILED)
		return 0;
	out->data = NULL;
	cannot(errno, file, err);
	tfs_mapping_close(out);
	return -EOPNOTSUPP;
}

void tfs_mapping_close(struct tfs_mapping *map)
{
	if (map->data)
		munmap(map->data, (size_t)map->page_size * map->nr_pages);
	if (map->meta)
		munmap(map->meta, map->meta_size);
	*map = (struct tfs_mapping){0};
}

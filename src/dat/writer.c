/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a trace.dat that is being recorded. */
#include "dat/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/write_meta.h"
#include "dat/write_region.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"
#include "util/str.h"

/* What the head is given room for, beside its present contents. */
#define STATS_EACH 320
#define CMDLINES_USUAL (32 * 1024)
#define OTHERS (4 * 1024)

static int check_meta(int fd, const char *path, const struct dat_meta *meta, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ESPIPE, "%s is no regular file, recordings need one", path);
	if (!meta->nr_buffers)
		return err_set(err, EINVAL, "%s: no buffer to record", path);
	for (size_t b = 0; b < meta->nr_buffers; b++) {
		uint32_t size = meta->buffer[b].page_size;

		if (size < 64 || (size & (size - 1)))
			return err_set(err, EINVAL,
				       "%s: sub-buffers of %" PRIu32 " bytes cannot be recorded",
				       path, size);
	}
	if (meta->kallsyms.len > UINT32_MAX || meta->printk_formats.len > UINT32_MAX)
		return err_set(err, EFBIG, "%s: the kernel's list of symbols is too long", path);
	return 0;
}

static void copy_buffers(struct dat_writer *w, const struct dat_meta *meta)
{
	w->buffer = xcalloc(meta->nr_buffers, sizeof(*w->buffer));
	w->nr_buffers = meta->nr_buffers;
	for (size_t b = 0; b < meta->nr_buffers; b++) {
		const struct dat_meta_buffer *from = &meta->buffer[b];
		struct writer_buffer *to = &w->buffer[b];
		uint64_t align = region_align(w->fd, from->page_size);

		to->name = xstrdup(from->name);
		to->clock = xstrdup(from->clock);
		to->page_size = from->page_size;
		to->region = xcalloc(from->nr_cpus, sizeof(*to->region));
		to->nr_regions = from->nr_cpus;
		for (size_t i = 0; i < from->nr_cpus; i++)
			to->region[i].cpu = from->cpu[i];
		if (align > w->align)
			w->align = align;
	}
}

static size_t count_regions(const struct dat_writer *w)
{
	size_t nr = 0;

	for (size_t b = 0; b < w->nr_buffers; b++)
		nr += w->buffer[b].nr_regions;
	return nr;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

/* Bytes from here on until the first region: the head as it is while recording, and room for what
 * comes at the end. */
static uint64_t head_room(const struct dat_writer *w, const struct dat_meta *meta)
{
	const struct writer_head head = {0};
	uint64_t room = OTHERS + count_regions(w) * STATS_EACH;
	struct dat_out out;

	dat_out_init(&out, -1, 0, w->big_endian);
	write_head(&out, w, &head);
	room += out.len + (meta->cmdlines_most ? meta->cmdlines_most : CMDLINES_USUAL);
	dat_out_fini(&out);
	return room;
}

static int place_regions(struct dat_writer *w, struct err *err)
{
	size_t nr = count_regions(w);
	uint64_t at = w->data_at;
	uint64_t spacing;
	int r;

	if (!nr)
		return 0;
	r = region_spacing(w->fd, w->path, w->data_at, nr, w->align, &spacing, err);
	if (r < 0)
		return r;
	for (size_t b = 0; b < w->nr_buffers; b++) {
		for (size_t i = 0; i < w->buffer[b].nr_regions; i++) {
			w->buffer[b].region[i].start = at;
			/* The next buffer's section header wants its place. */
			w->buffer[b].region[i].room = spacing - w->align;
			at += spacing;
		}
	}
	return 0;
}

static int begin_file(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	const struct writer_head head = {0};
	struct dat_out out;
	int r;

	dat_out_init(&out, w->fd, 0, w->big_endian);
	write_meta(&out, meta);
	w->head_at = dat_out_pos(&out);
	w->data_at = align_up(w->head_at + head_room(w, meta), w->align);
	dat_out_zeros(&out, w->data_at - w->head_at);
	r = dat_out_flush(&out);
	dat_out_fini(&out);
	if (r < 0)
		return err_sys(err, -r, "cannot write %s", w->path);
	r = place_regions(w, err);
	if (r < 0)
		return r;
	r = put_head(w, &head, w->data_at, NULL);
	if (r < 0)
		return err_sys(err, -r, "cannot write %s", w->path);
	return 0;
}

struct dat_writer *dat_writer_new(int fd, const char *path, const struct dat_meta *meta,
				  struct err *err)
{
	struct dat_writer *w;
	int r;

	if (check_meta(fd, path, meta, err) < 0)
		return NULL;
	w = xzalloc(sizeof(*w));
	w->fd = fd;
	w->path = xstrdup(path);
	w->big_endian = meta->big_endian;
	copy_buffers(w, meta);
	r = begin_file(w, meta, err);
	if (r < 0) {
		w->fd = -1;
		dat_writer_free(w);
		return NULL;
	}
	return w;
}

void dat_writer_region(const struct dat_writer *w, size_t b, size_t i, int *fd, uint64_t *offset,
		       uint64_t *room)
{
	*fd = w->fd;
	*offset = w->buffer[b].region[i].start;
	*room = w->buffer[b].region[i].room;
}

void dat_writer_set_size(struct dat_writer *w, size_t b, size_t i, uint64_t bytes)
{
	atomic_store_explicit(&w->buffer[b].region[i].size, bytes, memory_order_relaxed);
}

int dat_writer_append(struct dat_writer *w, size_t b, size_t i, const void *data, size_t len,
		      struct err *err)
{
	struct writer_region *region = &w->buffer[b].region[i];
	uint64_t size = writer_data(&w->buffer[b], i);
	int r;

	if (len > region->room - size)
		return err_set(err, EFBIG, "%s: no more data of CPU %u fit into the file", w->path,
			       region->cpu);
	r = io_pwrite_all(w->fd, data, len, region->start + size);
	if (r < 0)
		return err_sys(err, -r, "cannot write the data of CPU %u to %s", region->cpu,
			       w->path);
	dat_writer_set_size(w, b, i, size + len);
	return 0;
}

int dat_writer_checkpoint(struct dat_writer *w, struct err *err)
{
	const struct writer_head head = {0};
	int r = put_head(w, &head, w->data_at, NULL);

	if (r < 0)
		return err_sys(err, -r, "cannot write %s", w->path);
	return 0;
}

int dat_writer_close(struct dat_writer *w, struct err *err)
{
	int fd = take_fd(w->fd);
	int r = 0;

	if (close(fd) < 0)
		r = err_sys(err, errno, "cannot write %s", w->path);
	dat_writer_free(w);
	return r;
}

void dat_writer_free(struct dat_writer *w)
{
	if (!w)
		return;
	mem_closep(&w->fd);
	for (size_t b = 0; b < w->nr_buffers; b++) {
		free(w->buffer[b].name);
		free(w->buffer[b].clock);
		free(w->buffer[b].region);
	}
	free(w->buffer);
	free(w->path);
	free(w);
}

void dat_writer_freep(struct dat_writer **w)
{
	dat_writer_free(*w);
}

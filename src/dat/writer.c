/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a trace.dat that is being recorded. */
#include "dat/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat/write_meta.h"
#include "dat/write_region.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"

/* What the head is given room for, beside its present contents. */
#define STATS_EACH 320
#define CMDLINES_USUAL (32 * 1024)
#define OTHERS (4 * 1024)

void dat_meta_fini(struct dat_meta *meta)
{
	free(meta->header_page);
	free(meta->header_event);
	strv_fini(&meta->ftrace_formats);
	for (size_t i = 0; i < meta->nr_systems; i++) {
		free(meta->system[i].name);
		strv_fini(&meta->system[i].formats);
	}
	free(meta->system);
	free(meta->kallsyms);
	free(meta->printk_formats);
	free(meta->trace_clock);
	free(meta->uname);
	free(meta->version);
	*meta = (struct dat_meta){0};
}

struct dat_meta_system *dat_meta_add_system(struct dat_meta *meta, const char *name)
{
	struct dat_meta_system *system;

	meta->system = xrealloc(meta->system, (meta->nr_systems + 1) * sizeof(*meta->system));
	system = &meta->system[meta->nr_systems++];
	*system = (struct dat_meta_system){.name = xstrdup(name)};
	return system;
}

/* What version 6 has no place for. */
static int check_v6(const struct dat_meta *meta, const struct dat_buffer_spec *specs, size_t nr,
		    struct err *err)
{
	if (meta->compress != COMPRESS_NONE)
		return err_set(err, EINVAL,
			       "a file of version 6 cannot be compressed: choose version 7");
	for (size_t b = 0; b < nr; b++) {
		if (specs[b].is_text && nr > 1)
			return err_set(err, EINVAL,
				       "a file of version 6 holds the text of a latency tracer or "
				       "other buffers, not both: choose version 7");
		if (specs[b].page_size != meta->page_size)
			return err_set(err, EINVAL,
				       "a file of version 6 has sub-buffers of one size, here "
				       "there are some of %" PRIu32 " and of %" PRIu32
				       " bytes: choose version 7",
				       meta->page_size, specs[b].page_size);
	}
	return 0;
}

static int check_buffers(const struct dat_writer *w, const struct dat_buffer_spec *specs, size_t nr,
			 struct err *err)
{
	if (!nr)
		return err_set(err, EINVAL, "%s: no buffer to record", w->path);
	for (size_t b = 0; b < nr; b++) {
		uint32_t size = specs[b].page_size;

		if (size < 64 || (size & (size - 1)))
			return err_set(err, EINVAL,
				       "%s: sub-buffers of %" PRIu32 " bytes cannot be recorded",
				       w->path, size);
	}
	return 0;
}

static void add_buffers(struct dat_writer *w, const struct dat_buffer_spec *specs, size_t nr)
{
	w->buffer = xcalloc(nr, sizeof(*w->buffer));
	w->nr_buffers = nr;
	for (size_t b = 0; b < nr; b++) {
		const struct dat_buffer_spec *from = &specs[b];
		struct writer_buffer *to = &w->buffer[b];
		uint64_t align = region_align(w->fd, from->page_size);

		to->name = xstrdup(from->name);
		to->clock = xstrdup(from->clock);
		to->page_size = from->page_size;
		to->is_text = from->is_text;
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

/* Kept as bytes: no reader of the file wants more of them. */
static void keep_options(struct dat_writer *w, const struct dat_meta *meta)
{
	struct dat_meta told = *meta;
	struct dat_out out;

	/* trace-cmd 3.1.6 takes what follows a text's tag for the clock, once it knows of one. */
	if (w->buffer[0].is_text)
		told.trace_clock = NULL;
	w->has_clock = told.trace_clock;
	w->cpu_count = meta->cpu_count;
	dat_out_init(&out, -1, 0, w->big_endian);
	write_meta_facts(&out, &told);
	w->options = out.buf;
	w->options_len = out.len;
}

/* Bytes from head_at on until the first region: the head as it is while recording, and room for
 * what comes at the end. */
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
	/* The next buffer's section header wants its place. */
	w->region_size = spacing - w->align;
	for (size_t b = 0; b < w->nr_buffers; b++) {
		for (size_t i = 0; i < w->buffer[b].nr_regions; i++) {
			w->buffer[b].region[i].start = at;
			at += spacing;
		}
	}
	return 0;
}

static int begin_file(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	const struct writer_head head = {0};
	struct dat_out out;
	uint64_t room;
	int r;

	dat_out_init(&out, w->fd, 0, w->big_endian);
	write_meta(&out, meta);
	w->head_at = dat_out_pos(&out);
	room = head_room(w, meta);
	w->data_at = (w->head_at + room + w->align - 1) / w->align * w->align;
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

struct dat_writer *dat_writer_begin(const char *path, const struct dat_meta *meta,
				    const struct dat_buffer_spec *buffers, size_t nr_buffers,
				    struct err *err)
{
	cleanup(dat_writer_freep) struct dat_writer *w = xzalloc(sizeof(*w));

	w->path = xstrdup(path);
	w->big_endian = meta->big_endian;
	w->compress = meta->compress;
	w->is_v6 = meta->file_version == 6;
	w->fd = -1;
	if (check_buffers(w, buffers, nr_buffers, err) < 0 ||
	    (w->is_v6 && check_v6(meta, buffers, nr_buffers, err) < 0) ||
	    output_file_open(&w->file, path, err) < 0)
		return NULL;
	w->fd = w->file.fd;
	add_buffers(w, buffers, nr_buffers);
	if (w->is_v6)
		keep_options(w, meta);
	if (begin_file(w, meta, err) < 0) {
		output_file_discard(&w->file);
		return NULL;
	}
	return take_ptr(w);
}

int dat_writer_publish(struct dat_writer *w, struct err *err)
{
	return output_file_publish(&w->file, err);
}

struct dat_writer *dat_writer_create(const char *path, const struct dat_meta *meta,
				     const struct dat_buffer_spec *buffers, size_t nr_buffers,
				     struct err *err)
{
	struct dat_writer *w = dat_writer_begin(path, meta, buffers, nr_buffers, err);

	if (!w || dat_writer_publish(w, err) == 0)
		return w;
	dat_writer_discard(w);
	return NULL;
}

uint64_t dat_writer_region(const struct dat_writer *w, size_t buffer, size_t index)
{
	return w->buffer[buffer].region[index].start;
}

uint64_t dat_writer_region_size(const struct dat_writer *w)
{
	return w->region_size;
}

int dat_writer_fd(const struct dat_writer *w)
{
	return w->fd;
}

void dat_writer_set_size(struct dat_writer *w, size_t buffer, size_t index, uint64_t bytes)
{
	atomic_store_explicit(&w->buffer[buffer].region[index].size, bytes, memory_order_relaxed);
}

uint64_t dat_writer_bytes(const struct dat_writer *w)
{
	uint64_t bytes = 0;

	for (size_t b = 0; b < w->nr_buffers; b++)
		for (size_t i = 0; i < w->buffer[b].nr_regions; i++)
			bytes += writer_data(w, &w->buffer[b], i);
	return bytes;
}

/* One chunk: its size in the file, its size in memory, and a block. The bytes of all, or -errno. */
static ssize_t put_chunk(struct dat_writer *w, const void *data, size_t len, uint64_t at,
			 struct compressor *c)
{
	size_t room = compressor_bound(c, len);
	cleanup_free uint8_t *block = xmalloc(room);
	ssize_t n = compress_block(c, data, len, block, room);
	struct dat_out out;
	int r;

	if (n < 0)
		return n;
	dat_out_init(&out, -1, 0, w->big_endian);
	dat_out_u32(&out, (uint32_t)n);
	dat_out_u32(&out, (uint32_t)len);
	dat_out_mem(&out, block, (size_t)n);
	r = io_pwrite_all(w->fd, out.buf, out.len, at);
	n = r < 0 ? r : (ssize_t)out.len;
	dat_out_fini(&out);
	return n;
}

int dat_writer_append(struct dat_writer *w, size_t buffer, size_t index, const void *data,
		      size_t len, struct compressor *c, struct err *err)
{
	struct writer_region *region = &w->buffer[buffer].region[index];
	uint64_t size = writer_data(w, &w->buffer[buffer], index);
	ssize_t n = (ssize_t)len;
	int r = 0;

	/* The number of chunks comes before them. */
	if (c && !size)
		size = sizeof(uint32_t);
	if ((c ? compressor_bound(c, len) + 8 : len) > w->region_size - size)
		return err_set(err, EFBIG, "%s: no more data of CPU %u fit into the file", w->path,
			       region->cpu);
	if (c)
		n = put_chunk(w, data, len, region->start + size, c);
	else
		r = io_pwrite_all(w->fd, data, len, region->start + size);
	if (r < 0 || n < 0)
		return err_sys(err, r < 0 ? -r : (int)-n, "cannot write the data of CPU %u to %s",
			       region->cpu, w->path);
	if (c)
		atomic_fetch_add(&region->chunks, 1);
	dat_writer_set_size(w, buffer, index, size + (uint64_t)n);
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

static void free_writer(struct dat_writer *w)
{
	for (size_t b = 0; b < w->nr_buffers; b++) {
		free(w->buffer[b].name);
		free(w->buffer[b].clock);
		free(w->buffer[b].region);
	}
	free(w->buffer);
	free(w->options);
	output_file_fini(&w->file);
	free(w->path);
	free(w);
}

int dat_writer_close(struct dat_writer *w, struct err *err)
{
	int r = 0;

	if (w->fd >= 0 && close(w->fd) < 0)
		r = err_sys(err, errno, "cannot write %s", w->path);
	free_writer(w);
	return r;
}

const char *dat_writer_old(const struct dat_writer *w)
{
	return w->file.old;
}

void dat_writer_discard(struct dat_writer *w)
{
	output_file_discard(&w->file);
	dat_writer_close(w, NULL);
}

void dat_writer_freep(struct dat_writer **w)
{
	if (*w)
		dat_writer_close(*w, NULL);
}

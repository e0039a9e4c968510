/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers and sources over memory. */
#include "dat/memory.h"

#include <stdlib.h>
#include <string.h>

#include "dat/sections.h"
#include "util/mem.h"

struct memory_source {
	struct page_source base;
	uint8_t *data;
	size_t size;
};

static struct dat_text to_text(const char *text)
{
	return (struct dat_text){text ? text : "", text ? strlen(text) : 0};
}

static void add_formats(struct dat_reader *r, const char *system, const struct strv *formats)
{
	size_t nr = r->nr_formats + formats->nr;

	r->format = xrealloc(r->format, (nr + 1) * sizeof(*r->format));
	for (size_t i = 0; i < formats->nr; i++)
		r->format[r->nr_formats++] = (struct dat_format){system, to_text(formats->item[i])};
}

struct dat_reader *dat_reader_new_memory(const char *name, const struct dat_meta *meta,
					 const struct dat_buffer_spec *spec, struct err *err)
{
	cleanup(dat_reader_closep) struct dat_reader *r = xzalloc(sizeof(*r));
	struct dat_buffer *buffer;

	r->path = xstrdup(name);
	r->fd = -1;
	r->version = 7;
	r->compress_name = "none";
	r->big_endian = meta->big_endian;
	r->long_size = meta->long_size;
	r->page_size = spec->page_size;
	r->cpu_count = meta->cpu_count;
	r->header_page = to_text(meta->header_page);
	r->header_event = to_text(meta->header_event);
	r->printk = to_text(meta->printk_formats);
	r->uname = meta->uname;
	r->recorder = meta->version;
	r->trace_clock = meta->trace_clock;
	add_formats(r, "ftrace", &meta->ftrace_formats);
	for (size_t i = 0; i < meta->nr_systems; i++)
		add_formats(r, meta->system[i].name, &meta->system[i].formats);
	if (dat_check_header_page(r, err) < 0)
		return NULL;
	buffer = dat_add_buffer(r, spec->name);
	buffer->clock = dat_keep_string(r, spec->clock, strlen(spec->clock));
	for (size_t i = 0; i < spec->nr_cpus; i++)
		dat_add_cpu(r, buffer, spec->cpu[i], 0, 0);
	return take_ptr(r);
}

static void free_memory(struct page_source *src)
{
	free(((struct memory_source *)src)->data);
	free(src);
}

static ssize_t read_memory(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			   uint8_t *buf, size_t room)
{
	const struct memory_source *memory = (const struct memory_source *)src;
	size_t at;

	(void)scratch;
	if (first >= src->nr_pages)
		return 0;
	at = (size_t)first * src->page_size;
	if (room > memory->size - at)
		room = memory->size - at;
	memcpy(buf, memory->data + at, room);
	return (ssize_t)room;
}

struct page_source *source_new_memory(uint8_t *data, size_t size, uint32_t page_size)
{
	static const struct page_source_ops ops = {read_memory, free_memory};
	struct memory_source *memory = xzalloc(sizeof(*memory));

	memory->base = (struct page_source){
		.ops = &ops, .page_size = page_size, .nr_pages = size / page_size};
	memory->data = data;
	memory->size = size / page_size * page_size;
	return &memory->base;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known when a recording begins, as bytes of a file. */
#include "dat/write_meta.h"

#include <string.h>

#include "dat/sections.h"
#include "util/mem.h"

/* What a section header's string id leads to: an offset into all of these, one after the other. */
static const struct {
	unsigned int id;
	const char *text;
} section_names[] = {
	{DAT_DONE, "options"},
	{DAT_BUFFER, "ring buffer"},
	{DAT_HEADER_INFO, "headers of sub-buffers and events"},
	{DAT_FTRACE_EVENTS, "formats of ftrace's own events"},
	{DAT_EVENT_FORMATS, "formats of events"},
	{DAT_KALLSYMS, "kernel symbols"},
	{DAT_PRINTK, "formats of trace_printk"},
	{DAT_CMDLINES, "names of tasks"},
	{DAT_STRINGS, "names of sections"},
	{DAT_BUFFER_TEXT, "text of a latency tracer"},
};

static uint32_t name_of(unsigned int id)
{
	uint32_t at = 0;

	for (size_t i = 0; i < array_size(section_names); i++) {
		if (section_names[i].id == id)
			return at;
		at += (uint32_t)strlen(section_names[i].text) + 1;
	}
	return UINT32_MAX;
}

uint64_t write_section(struct dat_out *out, unsigned int id)
{
	dat_out_u16(out, (uint16_t)id);
	dat_out_u16(out, 0);
	dat_out_u32(out, name_of(id));
	dat_out_u64(out, 0);
	return dat_out_pos(out);
}

void write_section_end(struct dat_out *out, uint64_t section)
{
	dat_out_patch_u64(out, section - 8, dat_out_pos(out) - section);
}

void write_section_compressed(struct dat_out *out, uint64_t section)
{
	dat_out_patch_u16(out, section - DAT_SECTION_HEADER + 2, 1);
}

void write_option(struct dat_out *out, unsigned int id, const void *data, size_t len)
{
	dat_out_u16(out, (uint16_t)id);
	dat_out_u32(out, (uint32_t)len);
	dat_out_mem(out, data, len);
}

void write_option_string(struct dat_out *out, unsigned int id, const char *text)
{
	if (text)
		write_option(out, id, text, strlen(text) + 1);
}

void write_option_u64(struct dat_out *out, unsigned int id, uint64_t value)
{
	dat_out_u16(out, (uint16_t)id);
	dat_out_u32(out, 8);
	dat_out_u64(out, value);
}

uint64_t write_option_begin(struct dat_out *out, unsigned int id)
{
	dat_out_u16(out, (uint16_t)id);
	dat_out_u32(out, 0);
	return dat_out_pos(out);
}

void write_option_end(struct dat_out *out, uint64_t option)
{
	dat_out_patch_u32(out, option - 4, (uint32_t)(dat_out_pos(out) - option));
}

/* A text behind its length in 4 or 8 bytes; NULL is an empty one. */
static void write_sized(struct dat_out *out, unsigned int width, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (width == 8)
		dat_out_u64(out, len);
	else
		dat_out_u32(out, (uint32_t)len);
	dat_out_mem(out, text, len);
}

static void write_formats(struct dat_out *out, const struct strv *formats)
{
	dat_out_u32(out, (uint32_t)formats->nr);
	for (size_t i = 0; i < formats->nr; i++)
		write_sized(out, 8, formats->item[i]);
}

static void write_header_info(struct dat_out *out, const struct dat_meta *meta)
{
	dat_out_string(out, "header_page");
	write_sized(out, 8, meta->header_page);
	dat_out_string(out, "header_event");
	write_sized(out, 8, meta->header_event);
}

static void write_ftrace_formats(struct dat_out *out, const struct dat_meta *meta)
{
	write_formats(out, &meta->ftrace_formats);
}

static void write_systems(struct dat_out *out, const struct dat_meta *meta)
{
	dat_out_u32(out, (uint32_t)meta->nr_systems);
	for (size_t i = 0; i < meta->nr_systems; i++) {
		dat_out_string(out, meta->system[i].name);
		write_formats(out, &meta->system[i].formats);
	}
}

static void write_kallsyms(struct dat_out *out, const struct dat_meta *meta)
{
	write_sized(out, 4, meta->kallsyms);
}

static void write_printk(struct dat_out *out, const struct dat_meta *meta)
{
	write_sized(out, 4, meta->printk_formats);
}

static const struct {
	unsigned int id;
	void (*write)(struct dat_out *out, const struct dat_meta *meta);
} meta_sections[] = {
	{DAT_HEADER_INFO, write_header_info}, {DAT_FTRACE_EVENTS, write_ftrace_formats},
	{DAT_EVENT_FORMATS, write_systems},   {DAT_KALLSYMS, write_kallsyms},
	{DAT_PRINTK, write_printk},
};

/* What both versions begin with. */
static void write_magic(struct dat_out *out, const struct dat_meta *meta, const char *version)
{
	static const uint8_t magic[] = {0x17, 0x08, 0x44};

	dat_out_mem(out, magic, sizeof(magic));
	dat_out_mem(out, "tracing", 7);
	dat_out_string(out, version);
	dat_out_u8(out, meta->big_endian);
	dat_out_u8(out, (uint8_t)meta->long_size);
	dat_out_u32(out, meta->page_size);
}

/* Returns where the offset of the first options section has to go. */
static uint64_t write_file_header(struct dat_out *out, const struct dat_meta *meta)
{
	write_magic(out, meta, "7");
	dat_out_string(out, compress_name(meta->compress));
	dat_out_string(out, compress_version(meta->compress));
	dat_out_u64(out, 0);
	return dat_out_pos(out) - 8;
}

static void write_section_names(struct dat_out *out)
{
	uint64_t section = write_section(out, DAT_STRINGS);

	for (size_t i = 0; i < array_size(section_names); i++)
		dat_out_string(out, section_names[i].text);
	write_section_end(out, section);
}

void write_meta_facts(struct dat_out *out, const struct dat_meta *meta)
{
	uint64_t cpus;

	write_option_string(out, DAT_TRACECLOCK, meta->trace_clock);
	write_option_string(out, DAT_UNAME, meta->uname);
	write_option_string(out, DAT_VERSION, meta->version);
	if (meta->trace_id)
		write_option_u64(out, DAT_TRACEID, meta->trace_id);
	cpus = write_option_begin(out, DAT_CPUCOUNT);
	dat_out_u32(out, meta->cpu_count);
	write_option_end(out, cpus);
	for (size_t i = 0; i < meta->nr_options; i++)
		write_option(out, meta->option[i].id, meta->option[i].data, meta->option[i].len);
}

static void write_meta_options(struct dat_out *out, const struct dat_meta *meta,
			       const uint64_t *sections)
{
	uint64_t section = write_section(out, DAT_DONE);

	for (size_t i = 0; i < array_size(meta_sections); i++)
		write_option_u64(out, meta_sections[i].id, sections[i]);
	write_meta_facts(out, meta);
	write_option_u64(out, DAT_DONE, dat_out_pos(out) + 14);
	write_section_end(out, section);
}

/* Where compression does not help, the section stays as it is. */
static bool write_packed(struct dat_out *out, struct dat_out *body, struct compressor *c)
{
	size_t room = compressor_bound(c, body->len);
	cleanup_free uint8_t *block = xmalloc(room);
	ssize_t n = compress_block(c, body->buf, body->len, block, room);

	if (n < 0 || (size_t)n >= body->len || body->len > UINT32_MAX)
		return false;
	dat_out_u32(out, (uint32_t)n);
	dat_out_u32(out, (uint32_t)body->len);
	dat_out_mem(out, block, (size_t)n);
	return true;
}

static void write_meta_section(struct dat_out *out, const struct dat_meta *meta, size_t i,
			       struct compressor *c)
{
	uint64_t section = write_section(out, meta_sections[i].id);
	struct dat_out body;

	if (c) {
		dat_out_init(&body, -1, 0, out->big_endian);
		meta_sections[i].write(&body, meta);
		if (write_packed(out, &body, c))
			write_section_compressed(out, section);
		else
			dat_out_mem(out, body.buf, body.len);
		dat_out_fini(&body);
	} else {
		meta_sections[i].write(out, meta);
	}
	write_section_end(out, section);
}

/* One after the other, without a word of where. */
static void write_meta6(struct dat_out *out, const struct dat_meta *meta)
{
	write_magic(out, meta, "6");
	for (size_t i = 0; i < array_size(meta_sections); i++)
		meta_sections[i].write(out, meta);
}

static void write_meta7(struct dat_out *out, const struct dat_meta *meta)
{
	uint64_t sections[array_size(meta_sections)];
	uint64_t first_options = write_file_header(out, meta);
	struct compressor *c = meta->compress != COMPRESS_NONE
				       ? compressor_new(meta->compress, meta->level)
				       : NULL;

	for (size_t i = 0; i < array_size(meta_sections); i++) {
		sections[i] = dat_out_pos(out);
		write_meta_section(out, meta, i, c);
	}
	compressor_free(c);
	write_section_names(out);
	dat_out_patch_u64(out, first_options, dat_out_pos(out));
	write_meta_options(out, meta, sections);
}

void write_meta(struct dat_out *out, const struct dat_meta *meta)
{
	if (meta->file_version == 6)
		write_meta6(out, meta);
	else
		write_meta7(out, meta);
}

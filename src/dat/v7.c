/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 7: sections, and options that say where they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dat/sections.h"
#include "dat/write_stream.h"
#include "util/io.h"
#include "util/mem.h"

#define SECTION_HEADER 16
#define SECTION_COMPRESSED 1
/* Each options section is visited once; no writer makes more than a handful, but for streams, where each
 * lies behind the one before. */
#define OPTION_SECTIONS_MOST 4096
/* No metadata is larger; a damaged size must not eat the memory. */
#define SECTION_MOST (1ULL << 30)

struct section {
	uint16_t id;
	bool compressed;
	uint64_t body;
	uint64_t size;
};

/* Where the sections are that the options name. */
struct v7 {
	struct dat_reader *r;
	uint64_t at[DAT_OPTION_NR];
	uint64_t visited[64]; /* the first ones; a cycle is short or caught by the count */
	size_t nr_visited;
	bool is_broken; /* the options end before they are done */
	uint64_t last;
	bool goes_back;
};

/* False, without a finding, when there is no section header at @offset. */
static bool read_section(struct dat_reader *r, uint64_t offset, struct section *out)
{
	uint8_t raw[SECTION_HEADER];

	if (offset < r->body || offset > r->size || r->size - offset < sizeof(raw) ||
	    io_pread_all(r->fd, raw, sizeof(raw), offset) != (ssize_t)sizeof(raw))
		return false;
	out->id = get_u16(raw, r->big_endian);
	out->compressed = get_u16(raw + 2, r->big_endian) & SECTION_COMPRESSED;
	out->size = get_u64(raw + 8, r->big_endian);
	out->body = offset + sizeof(raw);
	return true;
}

static bool load_compressed(struct dat_reader *r, const uint8_t *in, uint64_t size,
			    const char *what, struct dat_text *out)
{
	uint32_t packed = size >= 8 ? get_u32(in, r->big_endian) : 0;
	uint32_t full = size >= 8 ? get_u32(in + 4, r->big_endian) : 0;
	uint8_t *text;

	if (size < 8 || packed > size - 8 || full > SECTION_MOST) {
		dat_finding(r, "%s: the compressed block is cut off or damaged", what);
		return false;
	}
	text = dat_arena_alloc(&r->arena, full);
	if (decompress_block(r->compress, in + 8, packed, text, full) < 0) {
		dat_finding(r, "%s: %" PRIu32 " bytes do not decompress with %s", what, packed,
			    r->compress_name);
		return false;
	}
	*out = (struct dat_text){(const char *)text, full};
	return true;
}

bool v7_load(struct dat_reader *r, const struct dat_lazy *where, const char *what,
	     struct dat_text *out)
{
	uint64_t size = where->size;
	const uint8_t *body;
	struct cursor c;

	if (size > r->size - where->offset) {
		dat_finding(r,
			    "offset %" PRIu64 ": %s needs %" PRIu64 " bytes, %" PRIu64 " are left",
			    where->offset, what, size, r->size - where->offset);
		size = r->size - where->offset;
	}
	if (size > SECTION_MOST) {
		dat_finding(r, "offset %" PRIu64 ": %s is too large: %" PRIu64 " bytes",
			    where->offset, what, size);
		return false;
	}
	cursor_init_file(&c, r->fd, where->offset, where->offset + size, r->big_endian, &r->arena);
	if (!cursor_bytes(&c, size, &body)) {
		dat_finding(r, "offset %" PRIu64 ": %s cannot be read", where->offset, what);
		return false;
	}
	if (where->compressed)
		return load_compressed(r, body, size, what, out);
	*out = (struct dat_text){(const char *)body, (size_t)size};
	return true;
}

/* The header of the section of kind @id at @offset, with a finding when another is there. */
static bool find_section(struct dat_reader *r, uint64_t offset, unsigned int id, const char *what,
			 struct dat_lazy *out)
{
	struct section section;

	if (!read_section(r, offset, &section) || section.id != id) {
		dat_finding(r, "offset %" PRIu64 ": no %s where the options say", offset, what);
		return false;
	}
	*out = (struct dat_lazy){section.body, section.size, section.compressed, true};
	return true;
}

/* Option BUFFER behind the offset and the name: the clock, and where each CPU's data are. */
static void read_buffer_cpus(struct dat_reader *r, struct cursor *c, struct dat_buffer *buffer)
{
	uint32_t page_size;
	uint32_t nr;

	if (!cursor_u32(c, &page_size) || !cursor_u32(c, &nr)) {
		dat_finding(r, "option BUFFER of %s is cut off", buffer->name);
		return;
	}
	if (page_size >= 64 && page_size <= (64u << 20) && !(page_size & (page_size - 1)))
		buffer->page_size = page_size;
	else
		dat_finding(r,
			    "buffer %s: the page size of %" PRIu32 " cannot be, %" PRIu32
			    " is taken",
			    buffer->name, page_size, buffer->page_size);
	if (nr > cursor_left(c) / 20) {
		dat_finding(r, "option BUFFER of %s names %" PRIu32 " CPUs and is cut off",
			    buffer->name, nr);
		nr = (uint32_t)(cursor_left(c) / 20);
	}
	if (cursor_left(c) - 20ULL * nr >= 20) {
		dat_finding(r, "option BUFFER of %s names %" PRIu32 " CPUs and has room for %zu",
			    buffer->name, nr, (size_t)(cursor_left(c) / 20));
		nr = (uint32_t)(cursor_left(c) / 20);
	}
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t cpu;
		uint64_t offset;
		uint64_t size;

		if (!cursor_u32(c, &cpu) || !cursor_u64(c, &offset) || !cursor_u64(c, &size))
			return;
		if (cpu >= DAT_CPUS_MOST || (i && cpu == buffer->cpu[buffer->nr_cpus - 1].cpu))
			dat_finding(r, "option BUFFER of %s names a CPU %" PRIu32 " that cannot be",
				    buffer->name, cpu);
		dat_add_cpu(r, buffer, cpu, offset, size);
	}
}

/* The buffer among the first @nr that @part goes on with; NULL when it is one of its own. */
static struct dat_buffer *find_whole(struct dat_reader *r, size_t nr, const struct dat_buffer *part)
{
	for (size_t i = 0; i < nr && !part->compressed && !part->is_text; i++) {
		struct dat_buffer *whole = &r->buffer[i];

		if (dat_stream_is_part(part->name, whole->name) &&
		    whole->page_size == part->page_size && !whole->compressed)
			return whole;
	}
	return NULL;
}

static struct dat_cpu *find_cpu(struct dat_buffer *buffer, uint32_t cpu)
{
	for (size_t i = 0; i < buffer->nr_cpus; i++)
		if (buffer->cpu[i].cpu == cpu)
			return &buffer->cpu[i];
	return NULL;
}

static void add_extent(struct dat_cpu *cpu, uint64_t offset, uint64_t size)
{
	if (!size)
		return;
	if ((cpu->nr_extents & (cpu->nr_extents - 1)) == 0)
		cpu->extent = xrealloc(cpu->extent, (cpu->nr_extents ? cpu->nr_extents * 2 : 1) *
							    sizeof(*cpu->extent));
	cpu->extent[cpu->nr_extents++] = (struct dat_extent){offset, size};
}

/* Makes each CPU of a buffer a list of pieces. */
static void begin_extents(struct dat_buffer *first)
{
	for (size_t i = 0; i < first->nr_cpus; i++)
		add_extent(&first->cpu[i], first->cpu[i].offset, first->cpu[i].size);
}

static void add_part(struct dat_buffer *first, struct dat_buffer *part)
{
	for (size_t i = 0; i < part->nr_cpus; i++) {
		const struct dat_cpu *from = &part->cpu[i];
		struct dat_cpu *to = find_cpu(first, from->cpu);

		if (!to)
			continue;
		add_extent(to, from->offset, from->size);
		to->size += from->size;
	}
	free(part->cpu);
}

/* ft writes to a pipe in parts, which write_stream.h tells of. */
static void join_parts(struct dat_reader *r)
{
	size_t kept = 0;

	if (r->nr_buffers < 2 || !r->recorder || !str_ends(r->recorder, DAT_STREAM_SUFFIX))
		return;
	for (size_t i = 0; i < r->nr_buffers; i++) {
		struct dat_buffer *whole = find_whole(r, kept, &r->buffer[i]);

		if (whole) {
			add_part(whole, &r->buffer[i]);
			continue;
		}
		begin_extents(&r->buffer[i]);
		r->buffer[kept++] = r->buffer[i];
	}
	r->nr_buffers = kept;
}

/* The last option for a name holds: a recording writes it anew as it grows. */
static struct dat_buffer *replace_buffer(struct dat_reader *r, const char *name)
{
	for (size_t i = 0; i < r->nr_buffers; i++) {
		if (strcmp(r->buffer[i].name, name) != 0)
			continue;
		r->buffer[i].nr_cpus = 0;
		return &r->buffer[i];
	}
	return dat_add_buffer(r, name);
}

/* Compressed texts of tracers come in chunks, as events do. */
static bool unpack_chunks(struct dat_reader *r, const struct dat_text *body, struct strbuf *out)
{
	struct cursor c;
	uint32_t nr;

	cursor_init_mem(&c, body->text, body->len, r->big_endian);
	if (!cursor_u32(&c, &nr))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		cleanup_free uint8_t *text = NULL;
		const uint8_t *packed;
		uint32_t size;
		uint32_t full;

		if (!cursor_u32(&c, &size) || !cursor_u32(&c, &full) ||
		    !cursor_bytes(&c, size, &packed) || full > SECTION_MOST)
			return false;
		text = xmalloc(full);
		if (decompress_block(r->compress, packed, size, text, full) < 0)
			return false;
		strbuf_add_mem(out, text, full);
	}
	return true;
}

static void load_trace_text(struct dat_reader *r, struct dat_lazy where, struct dat_buffer *buffer)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	bool compressed = where.compressed;
	struct dat_text body;

	where.compressed = false;
	if (!v7_load(r, &where, "text of a tracer", &body))
		return;
	if (!compressed) {
		buffer->text = body;
		return;
	}
	if (!unpack_chunks(r, &body, &text))
		dat_finding(r, "offset %" PRIu64 ": the text of a tracer is damaged", where.offset);
	buffer->text.text = dat_keep_string(r, strbuf_str(&text), text.len);
	buffer->text.len = text.len;
}

static void take_buffer(struct dat_reader *r, const uint8_t *data, uint32_t size, bool is_text)
{
	struct dat_buffer *buffer;
	struct dat_lazy where;
	struct cursor c;
	const char *name;
	const char *clock;
	uint64_t offset;

	cursor_init_mem(&c, data, size, r->big_endian);
	if (!cursor_u64(&c, &offset) || !cursor_string(&c, &name) || !cursor_string(&c, &clock)) {
		dat_finding(r, "an option BUFFER of %" PRIu32 " bytes is damaged", size);
		return;
	}
	buffer = replace_buffer(r, name);
	buffer->clock = dat_keep_string(r, clock, strlen(clock));
	buffer->is_text = is_text;
	if (!find_section(r, offset, is_text ? DAT_BUFFER_TEXT : DAT_BUFFER, "section of a buffer",
			  &where))
		where = (struct dat_lazy){.compressed = r->compress != COMPRESS_NONE};
	buffer->compressed = where.compressed;
	buffer->data_at = where.offset;
	if (!add_ok(where.offset, where.size, &buffer->data_end))
		buffer->data_end = UINT64_MAX;
	if (!is_text)
		read_buffer_cpus(r, &c, buffer);
	else if (where.present)
		load_trace_text(r, where, buffer);
}

static void take_option(struct v7 *v, uint16_t id, const uint8_t *data, uint32_t size)
{
	struct dat_reader *r = v->r;

	switch (id) {
	case DAT_BUFFER:
	case DAT_BUFFER_TEXT:
		take_buffer(r, data, size, id == DAT_BUFFER_TEXT);
		break;
	case DAT_HEADER_INFO:
	case DAT_FTRACE_EVENTS:
	case DAT_EVENT_FORMATS:
	case DAT_KALLSYMS:
	case DAT_PRINTK:
	case DAT_CMDLINES:
	case DAT_BTF_FILE:
		if (size >= 8)
			v->at[id] = get_u64(data, r->big_endian);
		break;
	default:
		option_common(r, id, data, size);
	}
}

/* One options section; *next is where the next one begins, 0 at the end. */
static void read_options(struct v7 *v, struct dat_text body, uint64_t *next)
{
	struct dat_reader *r = v->r;
	struct cursor c;

	*next = 0;
	cursor_init_mem(&c, body.text, body.len, r->big_endian);
	while (cursor_left(&c) >= 6) {
		const uint8_t *data;
		uint32_t size;
		uint16_t id;

		if (!cursor_u16(&c, &id) || !cursor_u32(&c, &size) ||
		    !cursor_bytes(&c, size, &data)) {
			dat_finding(r, "an option of kind %u is cut off", id);
			v->is_broken = true;
			return;
		}
		if (id == DAT_DONE) {
			if (size >= 8)
				*next = get_u64(data, r->big_endian);
			return;
		}
		take_option(v, id, data, size);
	}
	dat_finding(r, "the options end without a word where others are");
	v->is_broken = true;
}

static bool seen_before(struct v7 *v, uint64_t offset)
{
	for (size_t i = 0; i < v->nr_visited && i < array_size(v->visited); i++)
		if (v->visited[i] == offset)
			return true;
	if (v->nr_visited < array_size(v->visited))
		v->visited[v->nr_visited] = offset;
	v->goes_back |= offset <= v->last;
	v->last = offset;
	return ++v->nr_visited > OPTION_SECTIONS_MOST && v->goes_back;
}

static void follow_options(struct v7 *v, uint64_t offset)
{
	struct dat_reader *r = v->r;

	while (offset) {
		struct dat_lazy where;
		struct dat_text body;

		if (seen_before(v, offset)) {
			dat_finding(r, "offset %" PRIu64 ": the options lead in a circle", offset);
			v->is_broken = true;
			return;
		}
		if (!find_section(r, offset, DAT_DONE, "options section", &where) ||
		    !v7_load(r, &where, "options section", &body)) {
			v->is_broken = true;
			return;
		}
		read_options(v, body, &offset);
	}
}

/* For recordings that were cut short: metadata sections that no option names. */
static void walk_sections(struct v7 *v, bool *has_buffer)
{
	struct dat_reader *r = v->r;
	struct section section;
	uint64_t at = r->body;

	while (read_section(r, at, &section) && section.id < DAT_OPTION_NR) {
		uint64_t next;

		if (section.id >= DAT_HEADER_INFO && section.id <= DAT_CMDLINES &&
		    !v->at[section.id])
			v->at[section.id] = at;
		*has_buffer |= section.id == DAT_BUFFER;
		if (!add_ok(section.body, section.size, &next) || next <= at)
			return;
		at = next;
	}
}

static bool load_kind(struct v7 *v, unsigned int id, const char *what, struct cursor *c)
{
	struct dat_reader *r = v->r;
	struct dat_lazy where;
	struct dat_text body;

	if (!v->at[id]) {
		dat_finding(r, "the file has no section of %s", what);
		return false;
	}
	if (!find_section(r, v->at[id], id, what, &where))
		return false;
	if (id == DAT_KALLSYMS) {
		r->kallsyms = where;
		return true;
	}
	if (!v7_load(r, &where, what, &body))
		return false;
	cursor_init_mem(c, body.text, body.len, r->big_endian);
	return true;
}

/* A section that has one text, with its size before it. */
static void load_text(struct v7 *v, unsigned int id, unsigned int width, const char *what,
		      struct dat_text *out)
{
	struct cursor c;

	if (load_kind(v, id, what, &c) && body_text(v->r, &c, width, what, out) && cursor_left(&c))
		dat_finding(v->r, "%s: %zu bytes are counted, %" PRIu64 " more are there", what,
			    out->len, (uint64_t)cursor_left(&c));
}

static void load_sections(struct v7 *v)
{
	struct dat_reader *r = v->r;
	struct cursor c;

	if (load_kind(v, DAT_HEADER_INFO, "header information", &c))
		body_header_info(r, &c);
	if (load_kind(v, DAT_FTRACE_EVENTS, "ftrace event formats", &c))
		body_ftrace_events(r, &c);
	if (load_kind(v, DAT_EVENT_FORMATS, "event formats", &c))
		body_event_formats(r, &c);
	load_kind(v, DAT_KALLSYMS, "kallsyms", &c);
	load_text(v, DAT_PRINTK, 4, "printk formats", &r->printk);
	/* They are only known at the end. */
	if (v->at[DAT_CMDLINES] || !dat_is_open(r))
		load_text(v, DAT_CMDLINES, 8, "saved command lines", &r->cmdlines);
	if (v->at[DAT_BTF_FILE]) {
		struct dat_lazy where;

		if (find_section(r, v->at[DAT_BTF_FILE], DAT_BTF_FILE, "BTF", &where))
			v7_load(r, &where, "BTF", &r->btf);
	}
}

/* CPUs without data are in no table: the highest number tells how many there are at least. */
static void count_cpus(struct dat_reader *r)
{
	for (size_t b = 0; b < r->nr_buffers; b++)
		for (size_t i = 0; i < r->buffer[b].nr_cpus; i++)
			if (r->buffer[b].cpu[i].cpu >= r->cpu_count &&
			    r->buffer[b].cpu[i].cpu < DAT_CPUS_MOST)
				r->cpu_count = r->buffer[b].cpu[i].cpu + 1;
	for (size_t b = 0; b < r->nr_buffers; b++)
		r->buffer[b].cpu_count = r->cpu_count;
}

static void top_buffer_first(struct dat_reader *r)
{
	for (size_t i = 1; i < r->nr_buffers; i++) {
		struct dat_buffer top = r->buffer[i];

		if (*top.name)
			continue;
		memmove(&r->buffer[1], &r->buffer[0], i * sizeof(top));
		r->buffer[0] = top;
		return;
	}
}

int v7_read(struct dat_reader *r, uint64_t options, struct err *err)
{
	struct v7 v = {.r = r};
	bool has_buffer = false;
	int ret;

	if (!options)
		dat_finding(r, "the recording was cut short: the file does not tell where its "
			       "options are");
	follow_options(&v, options);
	if (!options || !r->nr_buffers || !v.at[DAT_HEADER_INFO] || !v.at[DAT_EVENT_FORMATS])
		walk_sections(&v, &has_buffer);
	load_sections(&v);
	if (!r->header_page.len && !r->nr_formats)
		return err_set(err, EPROTO, "%s holds no event formats, nothing can be decoded: %s",
			       r->path, r->findings.item[0]);
	ret = dat_check_header_page(r, err);
	if (ret < 0)
		return ret;
	if (has_buffer || r->nr_buffers)
		dat_salvage(r, v.at[DAT_CMDLINES] != 0, v.is_broken);
	join_parts(r);
	count_cpus(r);
	top_buffer_first(r);
	return 0;
}

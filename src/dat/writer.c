/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes trace.dat version 7 so that the file can be read at every moment. */
#include "dat/writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/closeup.h"
#include "dat/put.h"
#include "dat/sections.h"
#include "util/io.h"
#include "util/mem.h"

#define FILE_BLOCK 4096u
#define SECTION_HEADER 16u
/* Wanted distance between two regions: 256 GiB; halved until the file system takes the file. */
#define REGION_SHIFT 38
#define REGION_SHIFT_LEAST 30

/* What each kind of section is called; readers show it, and some complain where it is missing. The
 * STRINGS section holds them one after the other, and a section names its own by the offset. */
struct section_name {
	unsigned int id;
	const char *name;
};

static const struct section_name section_names[] = {
	{DAT_HEADER_INFO, "headers"},
	{DAT_FTRACE_EVENTS, "ftrace events"},
	{DAT_EVENT_FORMATS, "event formats"},
	{DAT_KALLSYMS, "kallsyms"},
	{DAT_PRINTK, "printk"},
	{DAT_CMDLINES, "command lines"},
	{DAT_DONE, "options"},
	{DAT_BUFFER, "buffer"},
	{DAT_STRINGS, "strings"},
};

struct region {
	uint64_t start;
	uint64_t len;
	uint32_t cpu;
};

struct buffer {
	char *name;
	char *clock;
	uint32_t page_size;
	uint64_t header; /* offset of its section */
	struct region *region;
	size_t nr;
};

struct dat_writer {
	char *path;
	int fd;
	bool big_endian;
	uint64_t end;	/* where the next section goes */
	uint64_t link;	/* offset of the u64 that leads to the next options section */
	uint64_t table; /* offset of the options section that is kept up to date */
	uint64_t region_size;
	struct strbuf options; /* options gathered for the next options section */
	struct buffer *buffer;
	size_t nr_buffers;
};

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

static int write_at(struct dat_writer *w, const void *data, size_t len, uint64_t at,
		    struct err *err)
{
	int r = io_pwrite_all(w->fd, data, len, at);

	return r < 0 ? err_sys(err, -r, "cannot write %s", w->path) : 0;
}

static uint32_t find_name(unsigned int id)
{
	uint32_t at = 0;

	for (size_t i = 0; i < array_size(section_names); i++) {
		if (section_names[i].id == id)
			return at;
		at += (uint32_t)strlen(section_names[i].name) + 1;
	}
	return UINT32_MAX;
}

static void put_section_header(const struct dat_writer *w, struct strbuf *out, unsigned int id,
			       uint64_t size)
{
	put_u16(out, w->big_endian, (uint16_t)id);
	put_u16(out, w->big_endian, 0);
	put_u32(out, w->big_endian, find_name(id));
	put_u64(out, w->big_endian, size);
}

/* Header and body of one section, in memory. */
static void put_section(const struct dat_writer *w, struct strbuf *out, unsigned int id,
			const struct strbuf *body)
{
	put_section_header(w, out, id, body->len);
	strbuf_add_mem(out, strbuf_str(body), body->len);
}

static void put_option(const struct dat_writer *w, struct strbuf *out, unsigned int id,
		       const void *data, size_t len)
{
	put_u16(out, w->big_endian, (uint16_t)id);
	put_u32(out, w->big_endian, (uint32_t)len);
	strbuf_add_mem(out, data, len);
}

static void add_text_option(struct dat_writer *w, unsigned int id, const char *text)
{
	if (text)
		put_option(w, &w->options, id, text, strlen(text) + 1);
}

static void add_number_option(struct dat_writer *w, unsigned int id, unsigned int size,
			      uint64_t value)
{
	cleanup(strbuf_fini) struct strbuf data = {0};

	put_number(&data, w->big_endian, size, value);
	put_option(w, &w->options, id, data.text, data.len);
}

/* Writes a section at the end of the file and notes the option that leads to it. */
static int add_section(struct dat_writer *w, unsigned int id, const struct strbuf *body,
		       struct err *err)
{
	cleanup(strbuf_fini) struct strbuf section = {0};
	int r;

	put_section(w, &section, id, body);
	r = write_at(w, section.text, section.len, w->end, err);
	if (r < 0)
		return r;
	add_number_option(w, id, 8, w->end);
	w->end += section.len;
	return 0;
}

static void put_sized(const struct dat_writer *w, struct strbuf *out, unsigned int width,
		      const char *text)
{
	size_t len = text ? strlen(text) : 0;

	put_number(out, w->big_endian, width, len);
	strbuf_add_mem(out, text ? text : "", len);
}

static int add_header_info(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf body = {0};

	put_name(&body, "header_page");
	put_sized(w, &body, 8, meta->header_page);
	put_name(&body, "header_event");
	put_sized(w, &body, 8, meta->header_event);
	return add_section(w, DAT_HEADER_INFO, &body, err);
}

static void put_formats(const struct dat_writer *w, struct strbuf *body, const struct strv *formats)
{
	put_u32(body, w->big_endian, (uint32_t)formats->nr);
	for (size_t i = 0; i < formats->nr; i++)
		put_sized(w, body, 8, formats->item[i]);
}

static int add_formats(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf ftrace = {0};
	cleanup(strbuf_fini) struct strbuf events = {0};
	int r;

	put_formats(w, &ftrace, &meta->ftrace_formats);
	r = add_section(w, DAT_FTRACE_EVENTS, &ftrace, err);
	if (r < 0)
		return r;
	put_u32(&events, w->big_endian, (uint32_t)meta->nr_systems);
	for (size_t i = 0; i < meta->nr_systems; i++) {
		put_name(&events, meta->system[i].name);
		put_formats(w, &events, &meta->system[i].formats);
	}
	return add_section(w, DAT_EVENT_FORMATS, &events, err);
}

static int add_sized_text(struct dat_writer *w, unsigned int id, unsigned int width,
			  const char *text, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf body = {0};

	put_sized(w, &body, width, text);
	return add_section(w, id, &body, err);
}

/* The gathered options as a section at @at, which the last one is made to lead to. Its own DONE
 * leads nowhere yet. */
static int write_options(struct dat_writer *w, uint64_t at, uint64_t *link, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf body = {0};
	cleanup(strbuf_fini) struct strbuf section = {0};
	static const uint64_t nowhere;
	int r;

	strbuf_add_mem(&body, strbuf_str(&w->options), w->options.len);
	put_option(w, &body, DAT_DONE, &nowhere, sizeof(nowhere));
	put_section(w, &section, DAT_DONE, &body);
	r = write_at(w, section.text, section.len, at, err);
	*link = at + section.len - sizeof(nowhere);
	strbuf_fini(&w->options);
	return r;
}

static int link_to(struct dat_writer *w, uint64_t link, uint64_t target, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf word = {0};

	put_u64(&word, w->big_endian, target);
	return write_at(w, word.text, word.len, link, err);
}

static int write_file_header(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	static const char magic[] = "\x17\x08\x44tracing";
	cleanup(strbuf_fini) struct strbuf head = {0};
	int r;

	strbuf_add_mem(&head, magic, sizeof(magic) - 1);
	put_name(&head, "7");
	put_number(&head, w->big_endian, 1, meta->big_endian);
	put_number(&head, w->big_endian, 1, meta->long_size);
	put_u32(&head, w->big_endian, meta->page_size);
	put_name(&head, "none");
	put_name(&head, "");
	w->link = head.len;
	put_u64(&head, w->big_endian, 0);
	w->end = head.len;
	r = write_at(w, head.text, head.len, 0, err);
	return r;
}

/* No option leads to it: readers find it by walking the sections. */
static int write_strings(struct dat_writer *w, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf body = {0};
	cleanup(strbuf_fini) struct strbuf section = {0};
	int r;

	for (size_t i = 0; i < array_size(section_names); i++)
		put_name(&body, section_names[i].name);
	put_section(w, &section, DAT_STRINGS, &body);
	r = write_at(w, section.text, section.len, w->end, err);
	w->end += section.len;
	return r;
}

/* All that is known before the first event, and the options section that leads to it. */
static int write_metadata(struct dat_writer *w, const struct dat_meta *meta, struct err *err)
{
	uint64_t at;
	uint64_t link;
	int r = write_file_header(w, meta, err);

	if (r == 0)
		r = add_header_info(w, meta, err);
	if (r == 0)
		r = add_formats(w, meta, err);
	if (r == 0)
		r = add_sized_text(w, DAT_KALLSYMS, 4, meta->kallsyms, err);
	if (r == 0)
		r = add_sized_text(w, DAT_PRINTK, 4, meta->printk_formats, err);
	if (r == 0)
		r = write_strings(w, err);
	if (r < 0)
		return r;
	add_number_option(w, DAT_CPUCOUNT, 4, meta->cpu_count);
	add_number_option(w, DAT_TRACEID, 8, meta->trace_id);
	add_text_option(w, DAT_TRACECLOCK, meta->trace_clock);
	add_text_option(w, DAT_UNAME, meta->uname);
	add_text_option(w, DAT_VERSION, meta->version);
	at = w->end;
	r = write_options(w, at, &link, err);
	if (r < 0)
		return r;
	w->end = link + 8;
	r = link_to(w, w->link, at, err);
	w->link = link;
	return r;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* A buffer option; CPUs without data are left out once the recording is @final. */
static void add_buffer_option(struct dat_writer *w, const struct buffer *buffer, bool final)
{
	cleanup(strbuf_fini) struct strbuf data = {0};
	uint32_t listed = 0;

	for (size_t i = 0; i < buffer->nr; i++)
		listed += !final || buffer->region[i].len;
	put_u64(&data, w->big_endian, buffer->header);
	put_name(&data, buffer->name);
	put_name(&data, buffer->clock);
	put_u32(&data, w->big_endian, buffer->page_size);
	put_u32(&data, w->big_endian, listed);
	for (size_t i = 0; i < buffer->nr; i++) {
		const struct region *region = &buffer->region[i];

		if (final && !region->len)
			continue;
		put_u32(&data, w->big_endian, region->cpu);
		put_u64(&data, w->big_endian, region->start);
		put_u64(&data, w->big_endian, region->len);
	}
	put_option(w, &w->options, DAT_BUFFER, data.text, data.len);
}

/* The section header of a buffer covers all up to @end, holes included: readers that walk the
 * sections would creep through a gap 16 bytes at a time. */
static int write_buffer_header(struct dat_writer *w, const struct buffer *buffer, uint64_t end,
			       struct err *err)
{
	cleanup(strbuf_fini) struct strbuf head = {0};

	put_section_header(w, &head, DAT_BUFFER, end - buffer->header - SECTION_HEADER);
	return write_at(w, head.text, head.len, buffer->header, err);
}

static uint64_t region_end(const struct region *region)
{
	return region->start + region->len;
}

/* Where the section of buffer @i ends: at the next one's header, or where its data ends. */
static uint64_t buffer_end(const struct dat_writer *w, size_t i)
{
	const struct buffer *buffer = &w->buffer[i];
	uint64_t end = buffer->header + SECTION_HEADER;

	if (i + 1 < w->nr_buffers)
		return w->buffer[i + 1].header;
	for (size_t n = 0; n < buffer->nr; n++)
		if (buffer->region[n].len && region_end(&buffer->region[n]) > end)
			end = region_end(&buffer->region[n]);
	return end;
}

int dat_writer_checkpoint(struct dat_writer *w, struct err *err)
{
	uint64_t link;
	int r = 0;

	for (size_t i = 0; i < w->nr_buffers; i++)
		add_buffer_option(w, &w->buffer[i], false);
	r = write_options(w, w->table, &link, err);
	for (size_t i = 0; r == 0 && i < w->nr_buffers; i++)
		r = write_buffer_header(w, &w->buffer[i], buffer_end(w, i), err);
	return r;
}

/* The table of buffers comes right behind the metadata, at its full size: keeping it up to date
 * later needs no room on the disk. */
static int reserve_table(struct dat_writer *w, struct err *err)
{
	uint64_t link;
	int r;

	w->table = w->end;
	for (size_t i = 0; i < w->nr_buffers; i++)
		add_buffer_option(w, &w->buffer[i], false);
	r = write_options(w, w->table, &link, err);
	w->end = link + 8;
	return r;
}

static size_t count_regions(const struct dat_writer *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->nr_buffers; i++)
		nr += w->buffer[i].nr ? w->buffer[i].nr : 1;
	return nr;
}

/* Halves the distance until the file may be as long as all regions together. */
static int choose_region_size(struct dat_writer *w, struct err *err)
{
	size_t nr = count_regions(w);

	for (int shift = REGION_SHIFT; shift >= REGION_SHIFT_LEAST; shift--) {
		uint64_t total;

		w->region_size = 1ull << shift;
		if (!mul_ok(w->region_size, nr + 1, &total) || total > INT64_MAX)
			continue;
		if (ftruncate(w->fd, (off_t)total) == 0)
			break;
		if (errno != EFBIG && errno != EINVAL)
			return err_sys(err, errno, "cannot make %s a sparse file", w->path);
		if (shift == REGION_SHIFT_LEAST)
			return err_sys(err, errno, "%s cannot hold a file of %zu regions", w->path,
				       nr);
	}
	if (ftruncate(w->fd, (off_t)w->end) < 0)
		return err_sys(err, errno, "cannot cut %s", w->path);
	return 0;
}

/* Each buffer has a block of its own for its section header, and its first region behind it. */
static void lay_out(struct dat_writer *w)
{
	uint64_t at = round_up(w->end + SECTION_HEADER, FILE_BLOCK);

	w->buffer[0].header = w->end;
	for (size_t i = 0; i < w->nr_buffers; i++) {
		struct buffer *buffer = &w->buffer[i];
		uint64_t next = at;

		if (i) {
			buffer->header = at;
			next = at + FILE_BLOCK;
		}
		for (size_t n = 0; n < buffer->nr; n++) {
			buffer->region[n].start = round_up(next, buffer->page_size);
			next = at + (n + 1) * w->region_size;
		}
		at += (buffer->nr ? buffer->nr : 1) * w->region_size;
	}
	/* The first block and the rounding above take something from a region. */
	w->region_size -= 1 << 20;
}

static void add_buffers(struct dat_writer *w, const struct dat_buffer_spec *specs, size_t nr)
{
	w->buffer = xcalloc(nr, sizeof(*w->buffer));
	w->nr_buffers = nr;
	for (size_t i = 0; i < nr; i++) {
		struct buffer *buffer = &w->buffer[i];

		buffer->name = xstrdup(specs[i].name);
		buffer->clock = xstrdup(specs[i].clock);
		buffer->page_size = specs[i].page_size;
		buffer->nr = specs[i].nr_cpus;
		buffer->region = xcalloc(buffer->nr, sizeof(*buffer->region));
		for (size_t n = 0; n < buffer->nr; n++)
			buffer->region[n].cpu = specs[i].cpu[n];
	}
}

static int open_file(struct dat_writer *w, struct err *err)
{
	struct stat st;

	w->fd = open(w->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (w->fd < 0)
		return err_sys(err, errno, "cannot create %s", w->path);
	if (fstat(w->fd, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", w->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s is not a regular file", w->path);
	return 0;
}

static int start_file(struct dat_writer *w, const struct dat_meta *meta,
		      const struct dat_buffer_spec *specs, size_t nr, struct err *err)
{
	int r = write_metadata(w, meta, err);

	if (r < 0)
		return r;
	add_buffers(w, specs, nr);
	r = choose_region_size(w, err);
	if (r < 0)
		return r;
	r = reserve_table(w, err);
	if (r < 0)
		return r;
	lay_out(w);
	/* Only now that it is there may the metadata lead to the table. */
	r = dat_writer_checkpoint(w, err);
	return r < 0 ? r : link_to(w, w->link, w->table, err);
}

struct dat_writer *dat_writer_create(const char *path, const struct dat_meta *meta,
				     const struct dat_buffer_spec *buffers, size_t nr_buffers,
				     struct err *err)
{
	cleanup(dat_writer_freep) struct dat_writer *w = xzalloc(sizeof(*w));

	w->path = xstrdup(path);
	w->big_endian = meta->big_endian;
	w->fd = -1;
	if (open_file(w, err) < 0)
		return NULL;
	if (start_file(w, meta, buffers, nr_buffers, err) < 0) {
		unlink(path);
		return NULL;
	}
	return take_ptr(w);
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
	w->buffer[buffer].region[index].len = bytes;
}

/* Everything from the first buffer's header on, as extents without the holes between. A header and
 * the region right behind it are one. */
static struct extent *collect_extents(const struct dat_writer *w, size_t *nr)
{
	struct extent *extents = xcalloc(count_regions(w) + w->nr_buffers, sizeof(*extents));

	*nr = 0;
	for (size_t i = 0; i < w->nr_buffers; i++) {
		const struct buffer *buffer = &w->buffer[i];
		uint64_t head = i ? buffer->header : 0;
		uint64_t head_end = round_up(buffer->header + SECTION_HEADER, FILE_BLOCK);

		extents[(*nr)++] = (struct extent){head, head_end - head};
		for (size_t n = 0; n < buffer->nr; n++)
			if (buffer->region[n].len)
				extents[(*nr)++] = (struct extent){buffer->region[n].start,
								   buffer->region[n].len};
	}
	return extents;
}

/* The same walk again: headers and regions get the places their extents have now. */
static void take_new_places(struct dat_writer *w, const struct extent *extents)
{
	size_t at = 0;

	for (size_t i = 0; i < w->nr_buffers; i++) {
		struct buffer *buffer = &w->buffer[i];

		if (i)
			buffer->header = extents[at].start;
		at++;
		for (size_t n = 0; n < buffer->nr; n++) {
			struct region *region = &buffer->region[n];

			if (region->len)
				region->start = extents[at++].start;
			else
				region->start = buffer->header;
		}
		w->end = extents[at - 1].start + extents[at - 1].len;
	}
}

static int close_up(struct dat_writer *w, struct err *err)
{
	size_t nr;
	cleanup_free struct extent *extents = collect_extents(w, &nr);
	int r;

	/* The header's block must be there as a whole before the file is cut behind it. */
	r = closeup_extents(w->fd, extents, nr, err);
	if (r < 0)
		return err_wrap(err, "%s", w->path);
	take_new_places(w, extents);
	return dat_writer_checkpoint(w, err);
}

static int write_tail(struct dat_writer *w, const struct dat_tail *tail, struct err *err)
{
	uint64_t at;
	uint64_t link;
	int r;

	for (size_t i = 0; i < w->nr_buffers; i++) {
		r = write_buffer_header(w, &w->buffer[i],
					i + 1 < w->nr_buffers ? w->buffer[i + 1].header : w->end,
					err);
		if (r < 0)
			return r;
	}
	r = add_sized_text(w, DAT_CMDLINES, 8, tail->cmdlines, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < tail->cpustat->nr; i++)
		add_text_option(w, DAT_CPUSTAT, tail->cpustat->item[i]);
	for (size_t i = 0; i < w->nr_buffers; i++)
		add_buffer_option(w, &w->buffer[i], true);
	at = w->end;
	r = write_options(w, at, &link, err);
	if (r < 0)
		return r;
	w->end = link + 8;
	/* From here on the final table counts, and the one kept up to date is passed by. */
	return link_to(w, w->link, at, err);
}

int dat_writer_finish(struct dat_writer *w, const struct dat_tail *tail, uint64_t *size,
		      struct err *err)
{
	int r = dat_writer_checkpoint(w, err);

	if (r == 0)
		r = close_up(w, err);
	if (r == 0)
		r = write_tail(w, tail, err);
	*size = w->end;
	return r;
}

static void free_writer(struct dat_writer *w)
{
	for (size_t i = 0; i < w->nr_buffers; i++) {
		free(w->buffer[i].name);
		free(w->buffer[i].clock);
		free(w->buffer[i].region);
	}
	free(w->buffer);
	strbuf_fini(&w->options);
	free(w->path);
	free(w);
}

int dat_writer_close(struct dat_writer *w, struct err *err)
{
	int r = 0;

	if (w->fd >= 0 && close(w->fd) < 0)
		r = err_sys(err, errno, "cannot close %s", w->path);
	free_writer(w);
	return r;
}

void dat_writer_freep(struct dat_writer **w)
{
	if (*w)
		dat_writer_close(*w, NULL);
}

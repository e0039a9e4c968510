/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a trace.dat: its header, and what every part of the reader needs. */
#include "dat/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat/sections.h"
#include "util/io.h"
#include "util/mem.h"

/* More lines than anyone reads; a damaged file may have one for each page. */
#define FINDINGS_MOST 1000

/* Headers have 50 bytes; reading more of a file that is then read from elsewhere is wasted. */
#define HEADER_MOST 4096

void dat_finding(struct dat_reader *r, const char *fmt, ...)
{
	va_list ap;

	if (r->findings.nr >= FINDINGS_MOST)
		return;
	va_start(ap, fmt);
	strv_add_take(&r->findings, xvasprintf(fmt, ap));
	va_end(ap);
	if (r->findings.nr == FINDINGS_MOST)
		strv_add(&r->findings, "more is damaged than is listed here");
}

void dat_reader_close(struct dat_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_buffers; i++) {
		for (size_t c = 0; c < r->buffer[i].nr_cpus; c++)
			free(r->buffer[i].cpu[c].extent);
		free(r->buffer[i].cpu);
	}
	free(r->buffer);
	free(r->format);
	free(r->cpustat);
	free(r->hook);
	dat_arena_fini(&r->arena);
	strv_fini(&r->facts);
	strv_fini(&r->findings);
	mem_closep(&r->fd);
	free(r->path);
	free(r);
}

void dat_reader_closep(struct dat_reader **r)
{
	dat_reader_close(*r);
}

struct dat_buffer *dat_add_buffer(struct dat_reader *r, const char *name)
{
	struct dat_buffer *buffer;

	r->buffer = xrealloc(r->buffer, (r->nr_buffers + 1) * sizeof(*r->buffer));
	buffer = &r->buffer[r->nr_buffers++];
	*buffer = (struct dat_buffer){
		.name = dat_keep_string(r, name, strlen(name)),
		.clock = dat_keep_string(r, "", 0),
		.page_size = r->page_size,
		.cpu_count = r->cpu_count,
	};
	return buffer;
}

void dat_add_cpu(struct dat_reader *r, struct dat_buffer *buffer, uint32_t cpu, uint64_t offset,
		 uint64_t size)
{
	const char *name = *buffer->name ? buffer->name : "top";
	uint64_t end;

	if (size && !buffer->compressed && offset % buffer->page_size)
		dat_finding(r,
			    "CPU %" PRIu32 " of buffer %s: its data begin at %" PRIu64
			    ", which is no multiple of the page size %" PRIu32,
			    cpu, name, offset, buffer->page_size);
	if (size && (!add_ok(offset, size, &end) || end > r->size)) {
		uint64_t kept = offset < r->size ? r->size - offset : 0;

		dat_finding(r,
			    "CPU %" PRIu32 " of buffer %s: %" PRIu64 " bytes at offset %" PRIu64
			    " are promised, %" PRIu64 " are there (the file has %" PRIu64 ")",
			    cpu, name, size, offset, kept, r->size);
		size = kept;
		buffer->is_cut = true;
	}
	buffer->cpu = xrealloc(buffer->cpu, (buffer->nr_cpus + 1) * sizeof(*buffer->cpu));
	buffer->cpu[buffer->nr_cpus++] =
		(struct dat_cpu){.cpu = cpu, .offset = offset, .size = size};
}

/* Reads the file header; *options is where version 7 says its options begin. */
static int read_header(struct dat_reader *r, uint64_t *options, struct err *err)
{
	static const uint8_t magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	struct cursor c;
	const uint8_t *p;
	const char *version;
	uint8_t endian;
	uint8_t word;

	cursor_init_file(&c, r->fd, 0, r->size < HEADER_MOST ? r->size : HEADER_MOST, false,
			 &r->arena);
	if (!r->size)
		return err_set(err, EPROTO, "%s is empty", r->path);
	if (!cursor_bytes(&c, sizeof(magic), &p) || memcmp(p, magic, sizeof(magic)) != 0)
		return err_set(err, EPROTO, "%s is no trace.dat file: it does not begin like one",
			       r->path);
	if (!cursor_string(&c, &version))
		return err_set(err, EPROTO, "%s is cut off after %" PRIu64 " bytes, in its header",
			       r->path, r->size);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return err_set(err, EPROTO,
			       "%s is of trace.dat version '%.16s'; only 6 and 7 are known",
			       r->path, version);
	r->version = version[0] - '0';
	if (!cursor_u8(&c, &endian) || !cursor_u8(&c, &word))
		return err_set(err, EPROTO, "%s is cut off after %" PRIu64 " bytes, in its header",
			       r->path, r->size);
	if (endian > 1)
		return err_set(err, EPROTO,
			       "%s: byte order %u at offset %" PRIu64
			       " is neither 0 (little endian) nor 1 (big endian)",
			       r->path, endian, c.pos - 2);
	c.big_endian = r->big_endian = endian == 1;
	r->long_size = word == 4 ? 4 : 8;
	if (word != 4 && word != 8)
		dat_finding(r, "offset %" PRIu64 ": a word of %u bytes cannot be", c.pos - 1, word);
	if (!cursor_u32(&c, &r->page_size))
		return err_set(err, EPROTO, "%s is cut off after %" PRIu64 " bytes, in its header",
			       r->path, r->size);
	r->body = c.pos;
	if (r->version == 6)
		return 0;
	if (!cursor_string(&c, &r->compress_name) || !cursor_string(&c, &version) ||
	    !cursor_u64(&c, options))
		return err_set(err, EPROTO, "%s is cut off after %" PRIu64 " bytes, in its header",
			       r->path, r->size);
	r->compress = compress_by_name(r->compress_name);
	if (r->compress == COMPRESS_UNKNOWN)
		return err_set(err, EPROTO,
			       "%s is compressed with '%.32s'; only zstd and zlib are known",
			       r->path, r->compress_name);
	r->body = c.pos;
	return 0;
}

struct dat_reader *dat_reader_open(const char *path, struct err *err)
{
	return dat_reader_open_as(path, path, err);
}

struct dat_reader *dat_reader_open_as(const char *path, const char *name, struct err *err)
{
	cleanup(dat_reader_closep) struct dat_reader *r = xzalloc(sizeof(*r));
	uint64_t options = 0;
	struct stat st;
	int ret;

	r->path = xstrdup(name);
	r->compress_name = "none";
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0) {
		err_sys(err, errno, "cannot open %s", name);
		return NULL;
	}
	if (fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(err, EINVAL, "%s is no regular file", name);
		return NULL;
	}
	r->size = (uint64_t)st.st_size;
	if (read_header(r, &options, err) < 0)
		return NULL;
	ret = r->version == 6 ? v6_read(r, err) : v7_read(r, options, err);
	return ret < 0 ? NULL : take_ptr(r);
}

char *dat_reader_kallsyms(struct dat_reader *r, size_t *len)
{
	struct dat_text text;
	struct cursor c;

	*len = 0;
	if (!r->kallsyms.present)
		return NULL;
	if (r->version == 7) {
		struct dat_text body;

		if (!v7_load(r, &r->kallsyms, "kallsyms", &body))
			return NULL;
		cursor_init_mem(&c, body.text, body.len, r->big_endian);
	} else {
		cursor_init_file(&c, r->fd, r->kallsyms.offset,
				 r->kallsyms.offset + r->kallsyms.size, r->big_endian, &r->arena);
	}
	if (!body_text(r, &c, 4, "kallsyms", &text))
		return NULL;
	*len = text.len;
	/* It lies in the arena, read for this call alone. */
	return (char *)text.text;
}

bool dat_clock_is_raw(const struct dat_reader *r, const struct dat_buffer *buffer)
{
	static const char *const raw[] = {"counter", "x86-tsc", "ppc-tb", "s390-tod"};
	char current[32] = "";
	const char *open = r->trace_clock ? strchr(r->trace_clock, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	if (r->has_tsc2nsec)
		return false;
	if (*buffer->clock) {
		strncpy(current, buffer->clock, sizeof(current) - 1);
	} else if (close && (size_t)(close - open) < sizeof(current)) {
		memcpy(current, open + 1, (size_t)(close - open) - 1);
	}
	for (size_t i = 0; i < array_size(raw); i++)
		if (!strcmp(current, raw[i]))
			return true;
	return false;
}

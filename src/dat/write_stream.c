/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat for a pipe. */
#include "dat/write_stream.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "dat/sections.h"
#include "dat/write_meta.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"

#define COPY_BUFFER (256u << 10)

struct dat_stream {
	int fd;
	char *name;
	bool big_endian;
	uint64_t at; /* bytes written */
	unsigned int parts;
	uint32_t align; /* the largest sub-buffer */
	struct stream_buffer {
		char *name;
		char *clock;
		uint32_t page_size;
		size_t nr; /* of its CPUs */
	} * buffer;
	size_t nr_buffers;
	uint64_t *sent; /* of each region of the spool, one buffer after the other */
	size_t nr;
};

uint64_t dat_stream_bytes(const struct dat_stream *s)
{
	return s->at;
}

static int cannot_write(const struct dat_stream *s, int code, struct err *err)
{
	return err_sys(err, code, "cannot write %s", s->name);
}

static int put_bytes(struct dat_stream *s, const void *data, size_t len, struct err *err)
{
	int r = io_write_all(s->fd, data, len);

	if (r < 0)
		return cannot_write(s, -r, err);
	s->at += len;
	return 0;
}

static void add_buffer(struct dat_stream *s, const struct dat_buffer_spec *spec)
{
	s->buffer[s->nr_buffers++] = (struct stream_buffer){
		.name = xstrdup(spec->name),
		.clock = xstrdup(spec->clock),
		.page_size = spec->page_size,
		.nr = spec->nr_cpus,
	};
	s->nr += spec->nr_cpus;
	if (spec->page_size > s->align)
		s->align = spec->page_size;
}

bool dat_stream_is_part(const char *name, const char *whole)
{
	size_t len = strlen(whole);

	if (strncmp(name, whole, len) != 0 || name[len] != '+')
		return false;
	name += len + 1;
	/* No number begins with 0, and the first part has none. */
	return *name >= '1' && *name <= '9' && strcmp(name, "1") != 0 &&
	       name[strspn(name, "0123456789")] == '\0';
}

static int check_names(const struct dat_buffer_spec *specs, size_t nr, struct err *err)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++)
			if (dat_stream_is_part(specs[i].name, specs[k].name))
				return err_set(
					err, EINVAL,
					"in a stream, %s is a part of %s: name that instance "
					"otherwise, or record into a file",
					specs[i].name,
					*specs[k].name ? specs[k].name : "the top level");
	return 0;
}

struct dat_stream *dat_stream_new(int fd, const char *name, const struct dat_meta *meta,
				  const struct dat_buffer_spec *specs, size_t nr_specs,
				  struct err *err)
{
	struct dat_stream *s = xzalloc(sizeof(*s));
	struct dat_out out;
	int r;

	s->fd = fd;
	s->name = xstrdup(name);
	s->big_endian = meta->big_endian;
	s->buffer = xcalloc(nr_specs, sizeof(*s->buffer));
	for (size_t b = 0; b < nr_specs; b++)
		add_buffer(s, &specs[b]);
	s->sent = xcalloc(s->nr, sizeof(*s->sent));
	dat_out_init(&out, -1, 0, s->big_endian);
	write_meta(&out, meta);
	r = check_names(specs, nr_specs, err);
	if (r == 0)
		r = put_bytes(s, out.buf, out.len, err);
	dat_out_fini(&out);
	if (r == 0)
		return s;
	dat_stream_free(s);
	return NULL;
}

/* By the kernel, or through memory where it does not. */
static int copy_data(struct dat_stream *s, int from, uint64_t offset, uint64_t len, struct err *err)
{
	cleanup_free char *buf = NULL;

	while (len) {
		off_t at = (off_t)offset;
		ssize_t n = buf ? -1
				: sendfile(s->fd, from, &at, len > INT32_MAX ? INT32_MAX : len);
		int r = 0;

		if (n < 0 && !buf && errno != EINVAL && errno != ENOSYS && errno != EINTR)
			return cannot_write(s, errno, err);
		if (n <= 0) {
			if (!buf)
				buf = xmalloc(COPY_BUFFER);
			n = io_pread_all(from, buf, len < COPY_BUFFER ? len : COPY_BUFFER, offset);
			r = n > 0 ? io_write_all(s->fd, buf, (size_t)n) : -EIO;
		}
		if (r < 0)
			return cannot_write(s, -r, err);
		offset += (uint64_t)n;
		len -= (uint64_t)n;
		s->at += (uint64_t)n;
	}
	return 0;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

/* What a part holds. */
struct part {
	const struct dat_writer *from;
	bool frees;
	uint64_t *len; /* of each CPU */
	uint64_t total;
};

static void write_names(struct dat_out *out, const char *cmdlines)
{
	uint64_t section = write_section(out, DAT_CMDLINES);
	size_t len = strlen(cmdlines);

	dat_out_u64(out, len);
	dat_out_mem(out, cmdlines, len);
	write_section_end(out, section);
}

/* Writes the option of a buffer, with @len of its CPUs. Returns where the offset of its section goes;
 * that of the data of the first CPU goes to *first, and the others' follow. */
static uint64_t write_table(struct dat_out *out, const struct dat_stream *s,
			    const struct part *part, size_t b, const uint64_t *len, uint64_t *first)
{
	const struct stream_buffer *buffer = &s->buffer[b];
	uint64_t option = write_option_begin(out, DAT_BUFFER);
	cleanup_free char *name = s->parts ? xasprintf("%s+%u", buffer->name, s->parts + 1)
					   : xstrdup(buffer->name);

	dat_out_u64(out, 0);
	dat_out_string(out, name);
	dat_out_string(out, buffer->clock);
	dat_out_u32(out, buffer->page_size);
	dat_out_u32(out, (uint32_t)buffer->nr);
	*first = dat_out_pos(out) + 4;
	for (size_t i = 0; i < buffer->nr; i++) {
		dat_out_u32(out, part->from->buffer[b].region[i].cpu);
		dat_out_u64(out, 0);
		dat_out_u64(out, len[i]);
	}
	write_option_end(out, option);
	return option;
}

/* Sums up what a buffer has in a part. */
static uint64_t part_bytes(const struct stream_buffer *buffer, const uint64_t *len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < buffer->nr; i++)
		sum += len[i];
	return sum;
}

/* All buffers with something in this part, and in the first one all there are. */
static bool is_in_part(const struct dat_stream *s, size_t b, const uint64_t *len)
{
	return !s->parts || part_bytes(&s->buffer[b], len);
}

/* Each buffer's data begin at a multiple of the largest sub-buffer, those of its CPUs lie close. Returns
 * where they end. */
static uint64_t place_data(struct dat_out *out, const struct dat_stream *s, const struct part *part,
			   const uint64_t *tables, uint64_t at)
{
	const uint64_t *len = part->len;

	for (size_t b = 0; b < s->nr_buffers; len += s->buffer[b++].nr) {
		if (!part_bytes(&s->buffer[b], len))
			continue;
		at = align_up(at, s->align);
		for (size_t i = 0; i < s->buffer[b].nr; i++) {
			dat_out_patch_u64(out, tables[b] + 20 * i, len[i] ? at : 0);
			at += len[i];
		}
	}
	return at;
}

/* Options, names, and the header of the section of events with the padding behind it. */
static void write_part_head(struct dat_out *out, const struct dat_stream *s,
			    const struct part *part, const char *cmdlines)
{
	cleanup_free uint64_t *options = xcalloc(s->nr_buffers, sizeof(*options));
	cleanup_free uint64_t *tables = xcalloc(s->nr_buffers, sizeof(*tables));
	uint64_t section = write_section(out, DAT_DONE);
	const uint64_t *len = part->len;
	uint64_t names = 0;
	uint64_t at;
	uint64_t done;
	uint64_t events;

	for (size_t b = 0; b < s->nr_buffers; len += s->buffer[b++].nr)
		if (is_in_part(s, b, len))
			options[b] = write_table(out, s, part, b, len, &tables[b]);
	if (cmdlines) {
		names = write_option_begin(out, DAT_CMDLINES);
		dat_out_u64(out, 0);
		write_option_end(out, names);
	}
	done = write_option_begin(out, DAT_DONE);
	dat_out_u64(out, 0);
	write_option_end(out, done);
	write_section_end(out, section);
	if (cmdlines) {
		dat_out_patch_u64(out, names, dat_out_pos(out));
		write_names(out, cmdlines);
	}
	/* One section for the data of all. */
	for (size_t b = 0; b < s->nr_buffers; b++)
		if (options[b])
			dat_out_patch_u64(out, options[b], dat_out_pos(out));
	events = write_section(out, DAT_BUFFER);
	dat_out_zeros(out, align_up(events, s->align) - events);
	at = place_data(out, s, part, tables, dat_out_pos(out));
	dat_out_patch_u64(out, events - 8, at - events);
	dat_out_patch_u64(out, done, at);
}

static int put_padding(struct dat_stream *s, struct err *err)
{
	size_t len = (size_t)(align_up(s->at, s->align) - s->at);
	cleanup_free char *zeros = xzalloc(len + 1);

	return put_bytes(s, zeros, len, err);
}

static int put_buffer(struct dat_stream *s, const struct part *part, size_t b, const uint64_t *len,
		      uint64_t *sent, struct err *err)
{
	int r = part_bytes(&s->buffer[b], len) ? put_padding(s, err) : 0;

	for (size_t i = 0; r == 0 && i < s->buffer[b].nr; i++) {
		uint64_t at = part->from->buffer[b].region[i].start + sent[i];

		r = copy_data(s, part->from->fd, at, len[i], err);
		if (r == 0 && len[i] && part->frees)
			fallocate(part->from->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)at, (off_t)len[i]);
		sent[i] += len[i];
	}
	return r;
}

static int put_data(struct dat_stream *s, const struct part *part, struct err *err)
{
	size_t at = 0;
	int r = 0;

	for (size_t b = 0; r == 0 && b < s->nr_buffers; at += s->buffer[b++].nr)
		r = put_buffer(s, part, b, part->len + at, s->sent + at, err);
	return r;
}

void dat_stream_sizes(const struct dat_writer *from, uint64_t *sizes)
{
	for (size_t b = 0; b < from->nr_buffers; b++)
		for (size_t i = 0; i < from->buffer[b].nr_regions; i++)
			*sizes++ = writer_data(from, &from->buffer[b], i);
}

int dat_stream_part(struct dat_stream *s, const struct dat_writer *from, const uint64_t *sizes,
		    bool frees, const char *cmdlines, struct err *err)
{
	cleanup_free uint64_t *len = xcalloc(s->nr, sizeof(*len));
	struct part part = {.from = from, .frees = frees, .len = len};
	struct dat_out out;
	int r;

	for (size_t i = 0; i < s->nr; i++) {
		len[i] = sizes[i] - s->sent[i];
		part.total += len[i];
	}
	/* A stream without a part would be no recording. */
	if (!part.total && (s->parts || !cmdlines))
		return 0;
	dat_out_init(&out, -1, s->at, s->big_endian);
	write_part_head(&out, s, &part, cmdlines);
	r = put_bytes(s, out.buf, out.len, err);
	dat_out_fini(&out);
	if (r == 0)
		r = put_data(s, &part, err);
	s->parts++;
	return r < 0 ? r : 1;
}

int dat_stream_pause(struct dat_stream *s, struct err *err)
{
	struct dat_out out;
	uint64_t section;
	int r;

	dat_out_init(&out, -1, s->at, s->big_endian);
	section = write_section(&out, DAT_DONE);
	write_option_u64(&out, DAT_DONE, dat_out_pos(&out) + 14);
	write_section_end(&out, section);
	r = put_bytes(s, out.buf, out.len, err);
	dat_out_fini(&out);
	return r;
}

/* The options come first: the last part leads to them. */
static void write_stream_tail(struct dat_out *out, const struct dat_tail *tail)
{
	uint64_t section = write_section(out, DAT_DONE);
	uint64_t names = write_option_begin(out, DAT_CMDLINES);

	dat_out_u64(out, 0);
	write_option_end(out, names);
	for (size_t i = 0; tail->cpustat && i < tail->cpustat->nr; i++)
		write_option_string(out, DAT_CPUSTAT, tail->cpustat->item[i]);
	for (size_t i = 0; i < tail->nr_options; i++)
		write_option(out, tail->option[i].id, tail->option[i].data, tail->option[i].len);
	write_option_u64(out, DAT_DONE, 0);
	write_section_end(out, section);
	dat_out_patch_u64(out, names, dat_out_pos(out));
	write_names(out, tail->cmdlines ? tail->cmdlines : "");
}

int dat_stream_finish(struct dat_stream *s, const struct dat_tail *tail, struct err *err)
{
	struct dat_out out;
	int r;

	dat_out_init(&out, -1, s->at, s->big_endian);
	write_stream_tail(&out, tail);
	r = put_bytes(s, out.buf, out.len, err);
	dat_out_fini(&out);
	return r;
}

void dat_stream_free(struct dat_stream *s)
{
	if (!s)
		return;
	free(s->name);
	for (size_t b = 0; b < s->nr_buffers; b++) {
		free(s->buffer[b].name);
		free(s->buffer[b].clock);
	}
	free(s->buffer);
	free(s->sent);
	free(s);
}

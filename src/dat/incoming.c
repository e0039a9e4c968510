/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat that comes through a pipe. */
#include "dat/incoming.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dat/sections.h"
#include "dat/write_meta.h"
#include "dat/write_stream.h"
#include "util/io.h"
#include "util/mem.h"

/* Before the names of the compression: magic, version, byte order, sizes. */
#define FIRST_BYTES 18
#define BYTE_ORDER_AT 12
#define NAME_MOST 64
/* A damaged size must not eat the memory. */
#define SECTION_MOST (1ULL << 30)
#define PART_MOST (8ULL << 30)

/* Sub-buffers of one CPU that wait. */
struct incoming_cpu {
	size_t buffer;
	uint32_t cpu;
	bool asked; /* somebody wants them */
	uint64_t offset;
	struct strbuf data;
	size_t taken;
	uint64_t coming; /* bytes that the part at hand has of it */
};

struct dat_incoming {
	int fd;
	char *name;
	int spool; /* of the metadata, or of all */
	uint64_t at;
	bool big_endian;
	bool is_stream;
	bool ended;
	bool asked; /* for some CPU */
	struct incoming_buffer {
		char *name;
		uint32_t page_size;
	} * buffer;
	size_t nr_buffers;
	struct dat_reader *reader;
	struct incoming_cpu *cpu;
	size_t nr_cpus;
	char *cmdlines;
};

/* The parts' options: what is wanted of them. */
struct part_options {
	bool has_table;
	uint64_t next;
};

static int cut_off(const struct dat_incoming *in, struct err *err)
{
	return err_set(err, EPROTO, "%s is cut off after %" PRIu64 " bytes", in->name, in->at);
}

static int read_bytes(struct dat_incoming *in, void *data, size_t len, struct err *err)
{
	uint8_t *to = data;

	while (len) {
		ssize_t n = read(in->fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read %s", in->name);
		if (n == 0)
			return cut_off(in, err);
		to += n;
		len -= (size_t)n;
		in->at += (uint64_t)n;
	}
	return 0;
}

static int keep(struct dat_incoming *in, const void *data, size_t len, struct err *err)
{
	int r = io_write_all(in->spool, data, len);

	return r < 0 ? err_sys(err, -r, "cannot write a spool file") : 0;
}

/* Reads on into the spool. */
static int take(struct dat_incoming *in, void *data, size_t len, struct err *err)
{
	int r = read_bytes(in, data, len, err);

	return r < 0 ? r : keep(in, data, len, err);
}

/* A file of its own on the disk: it may be large. */
static int open_spool(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("ft-spool", MFD_CLOEXEC);
	return fd < 0 ? err_sys(err, errno, "cannot make a spool file") : fd;
}

static int spool_rest(struct dat_incoming *in, struct err *err)
{
	cleanup_free char *buf = xmalloc(1u << 20);

	for (;;) {
		ssize_t n = read(in->fd, buf, 1u << 20);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read %s", in->name);
		if (n == 0)
			return 0;
		r = keep(in, buf, (size_t)n, err);
		if (r < 0)
			return r;
	}
}

static int open_reader(struct dat_incoming *in, struct err *err)
{
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", in->spool);

	in->reader = dat_reader_open_as(path, in->name, err);
	return in->reader ? 0 : -err->code;
}

/* The header of version 7 up to the offset of the options. 1 when it is one, 0 for another file. */
static int take_header(struct dat_incoming *in, struct err *err)
{
	uint8_t first[FIRST_BYTES];
	uint8_t word[8];
	int r = take(in, first, sizeof(first), err);

	if (r < 0)
		return r;
	if (memcmp(first, "\x17\x08\x44tracing7", 12) != 0)
		return 0;
	in->big_endian = first[BYTE_ORDER_AT] == 1;
	for (int names = 0, len = 0; names < 2; len++) {
		r = take(in, word, 1, err);
		if (r < 0)
			return r;
		names += !word[0];
		if (len > NAME_MOST)
			return 0;
	}
	r = take(in, word, sizeof(word), err);
	return r < 0 ? r : 1;
}

struct section_head {
	uint16_t id;
	uint64_t size;
	uint8_t raw[DAT_SECTION_HEADER];
};

static int read_section_head(struct dat_incoming *in, struct section_head *out, struct err *err)
{
	int r = read_bytes(in, out->raw, sizeof(out->raw), err);

	if (r < 0)
		return r;
	out->id = get_u16(out->raw, in->big_endian);
	out->size = get_u64(out->raw + 8, in->big_endian);
	if (out->id != DAT_BUFFER && out->size > SECTION_MOST)
		return err_set(err, EPROTO, "%s: a section of %" PRIu64 " bytes cannot be",
			       in->name, out->size);
	return 0;
}

static int read_body(struct dat_incoming *in, const struct section_head *head, uint8_t **body,
		     struct err *err)
{
	*body = xmalloc((size_t)head->size + 1);
	return read_bytes(in, *body, (size_t)head->size, err);
}

/* A name of any part is that of the buffer in the first. */
static size_t find_buffer(struct dat_incoming *in, const char *name, uint32_t page_size)
{
	for (size_t i = 0; i < in->nr_buffers; i++) {
		const char *known = in->buffer[i].name;

		if (!strcmp(known, name) || dat_stream_is_part(name, known))
			return i;
	}
	in->buffer = xrealloc(in->buffer, (in->nr_buffers + 1) * sizeof(*in->buffer));
	in->buffer[in->nr_buffers] = (struct incoming_buffer){xstrdup(name), page_size};
	return in->nr_buffers++;
}

static struct incoming_cpu *find_cpu(struct dat_incoming *in, size_t buffer, uint32_t cpu)
{
	for (size_t i = 0; i < in->nr_cpus; i++)
		if (in->cpu[i].buffer == buffer && in->cpu[i].cpu == cpu)
			return &in->cpu[i];
	in->cpu = xrealloc(in->cpu, (in->nr_cpus + 1) * sizeof(*in->cpu));
	in->cpu[in->nr_cpus] = (struct incoming_cpu){.buffer = buffer, .cpu = cpu};
	return &in->cpu[in->nr_cpus++];
}

static void expect(struct incoming_cpu *cpu, uint64_t offset, uint64_t len)
{
	cpu->offset = offset;
	cpu->coming = len;
}

/* Also takes the sizes out of the text, for the reader of the metadata. */
static bool take_table(struct dat_incoming *in, uint8_t *data, uint32_t size,
		       struct part_options *out)
{
	const char *name;
	const char *clock;
	struct cursor c;
	size_t buffer;
	uint64_t total = 0;
	uint32_t page;
	uint32_t nr;

	cursor_init_mem(&c, data, size, in->big_endian);
	if (!cursor_skip(&c, 8) || !cursor_string(&c, &name) || !cursor_string(&c, &clock) ||
	    !cursor_u32(&c, &page) || !cursor_u32(&c, &nr) || nr > cursor_left(&c) / 20 ||
	    page < 64 || page > SECTION_MOST)
		return false;
	buffer = find_buffer(in, name, page);
	if (in->buffer[buffer].page_size != page)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *place = data + (size - cursor_left(&c)) + 4;
		uint64_t offset;
		uint64_t len;
		uint32_t cpu;

		if (!cursor_u32(&c, &cpu) || !cursor_u64(&c, &offset) || !cursor_u64(&c, &len) ||
		    len % page || !add_ok(total, len, &total) || total > PART_MOST)
			return false;
		memset(place, 0, 16);
		expect(find_cpu(in, buffer, cpu), offset, len);
	}
	out->has_table = true;
	return true;
}

static bool take_options(struct dat_incoming *in, uint8_t *body, uint64_t size,
			 struct part_options *out)
{
	struct cursor c;
	const uint8_t *data;
	uint32_t len;
	uint16_t id;

	*out = (struct part_options){0};
	cursor_init_mem(&c, body, size, in->big_endian);
	while (cursor_u16(&c, &id) && cursor_u32(&c, &len) && cursor_bytes(&c, len, &data)) {
		uint8_t *place = body + (data - body);

		if (id == DAT_BUFFER && !take_table(in, place, len, out))
			return false;
		if (id == DAT_DONE && len >= 8) {
			out->next = get_u64(data, in->big_endian);
			memset(place, 0, 8);
			return true;
		}
	}
	return false;
}

static void take_names(struct dat_incoming *in, const uint8_t *body, uint64_t size)
{
	if (size < 8)
		return;
	free(in->cmdlines);
	in->cmdlines = xstrndup((const char *)body + 8, (size_t)size - 8);
}

static int skip_bytes(struct dat_incoming *in, uint64_t len, struct err *err)
{
	uint8_t waste[4096];
	int r = 0;

	while (len && r == 0) {
		size_t n = len < sizeof(waste) ? (size_t)len : sizeof(waste);

		r = read_bytes(in, waste, n, err);
		len -= n;
	}
	return r;
}

static int take_pages(struct dat_incoming *in, struct incoming_cpu *cpu, struct err *err)
{
	uint64_t len = cpu->coming;
	uint8_t page[4096];

	while (len) {
		size_t n = len < sizeof(page) ? (size_t)len : sizeof(page);
		int r = read_bytes(in, page, n, err);

		if (r < 0)
			return r;
		strbuf_add_mem(&cpu->data, page, n);
		len -= n;
	}
	return 0;
}

/* What nobody has asked for when others were is not wanted. */
static int take_data(struct dat_incoming *in, struct err *err)
{
	for (size_t i = 0; i < in->nr_cpus; i++) {
		struct incoming_cpu *cpu = &in->cpu[i];
		int r;

		if (!cpu->coming)
			continue;
		if (cpu->offset < in->at)
			return err_set(err, EPROTO, "%s: damaged at %" PRIu64, in->name, in->at);
		r = skip_bytes(in, cpu->offset - in->at, err);
		if (r == 0)
			r = in->asked && !cpu->asked ? skip_bytes(in, cpu->coming, err)
						     : take_pages(in, cpu, err);
		if (r < 0)
			return r;
		cpu->coming = 0;
	}
	return 0;
}

/* The events of a part: padding, and each CPU's sub-buffers. The header, without a size, goes into
 * the spool of the first part. */
static int take_events(struct dat_incoming *in, const struct section_head *head, bool first,
		       struct err *err)
{
	uint64_t end;
	int r = 0;

	if (first) {
		uint8_t raw[DAT_SECTION_HEADER];

		memcpy(raw, head->raw, sizeof(raw));
		memset(raw + 8, 0, 8);
		r = keep(in, raw, sizeof(raw), err);
	}
	if (r < 0)
		return r;
	if (!add_ok(in->at, head->size, &end))
		return err_set(err, EPROTO, "%s: damaged at %" PRIu64, in->name, in->at);
	r = take_data(in, err);
	if (r == 0 && in->at > end)
		return err_set(err, EPROTO, "%s: damaged at %" PRIu64, in->name, in->at);
	return r < 0 ? r : skip_bytes(in, end - in->at, err);
}

/* What belongs to a part behind its options. */
static int take_part(struct dat_incoming *in, const struct part_options *options, bool first,
		     struct err *err)
{
	int r = 0;

	while (r == 0 && in->at < options->next) {
		cleanup_free uint8_t *body = NULL;
		struct section_head head;

		r = read_section_head(in, &head, err);
		if (r < 0)
			return r;
		if (head.id == DAT_BUFFER) {
			r = take_events(in, &head, first, err);
			continue;
		}
		r = read_body(in, &head, &body, err);
		if (r == 0 && first && (r = keep(in, head.raw, sizeof(head.raw), err)) == 0)
			r = keep(in, body, (size_t)head.size, err);
		if (r == 0 && head.id == DAT_CMDLINES)
			take_names(in, body, head.size);
	}
	return r;
}

/* The end: the names of tasks lie behind the last options. */
static int take_tail(struct dat_incoming *in, struct err *err)
{
	cleanup_free uint8_t *body = NULL;
	struct section_head head;
	int r;

	in->ended = true;
	r = read_section_head(in, &head, err);
	if (r == 0)
		r = read_body(in, &head, &body, err);
	if (r == 0 && head.id == DAT_CMDLINES)
		take_names(in, body, head.size);
	return r;
}

int dat_incoming_part(struct dat_incoming *in, struct err *err)
{
	cleanup_free uint8_t *body = NULL;
	struct part_options options;
	struct section_head head;
	int r;

	if (in->ended)
		return 0;
	r = read_section_head(in, &head, err);
	if (r == 0)
		r = read_body(in, &head, &body, err);
	if (r < 0)
		return r;
	if (head.id != DAT_DONE || !take_options(in, body, head.size, &options))
		return err_set(err, EPROTO,
			       "%s: no options at %" PRIu64 ", where a part should begin", in->name,
			       in->at);
	if (!options.has_table)
		return options.next ? 1 : take_tail(in, err);
	r = take_part(in, &options, false, err);
	return r < 0 ? r : 1;
}

/* True when the text of the recorder's version says that a stream begins. */
static bool says_stream(const struct dat_incoming *in, const uint8_t *body, uint64_t size)
{
	const char *text;
	const uint8_t *data;
	struct cursor c;
	uint32_t len;
	uint16_t id;

	cursor_init_mem(&c, body, size, in->big_endian);
	while (cursor_u16(&c, &id) && cursor_u32(&c, &len) && cursor_bytes(&c, len, &data)) {
		text = (const char *)data;
		if (id == DAT_VERSION && len > 1 && !text[len - 1])
			return str_ends(text, DAT_STREAM_SUFFIX);
	}
	return false;
}

/* Sections up to the first options. 1 when a stream's parts follow, 0 for another file. */
static int take_metadata(struct dat_incoming *in, struct err *err)
{
	for (;;) {
		cleanup_free uint8_t *body = NULL;
		struct section_head head;
		int r = read_section_head(in, &head, err);

		if (r == 0)
			r = keep(in, head.raw, sizeof(head.raw), err);
		if (r < 0)
			return r;
		if (head.id == DAT_BUFFER)
			return 0;
		r = read_body(in, &head, &body, err);
		if (r == 0)
			r = keep(in, body, (size_t)head.size, err);
		if (r < 0)
			return r;
		if (head.id == DAT_DONE)
			return says_stream(in, body, head.size);
	}
}

/* The first part tells the reader what CPUs there are. */
static int take_first_part(struct dat_incoming *in, struct err *err)
{
	cleanup_free uint8_t *body = NULL;
	struct part_options options;
	struct section_head head;
	int r = read_section_head(in, &head, err);

	if (r == 0)
		r = read_body(in, &head, &body, err);
	if (r < 0)
		return r;
	if (head.id != DAT_DONE || !take_options(in, body, head.size, &options) ||
	    !options.has_table)
		return err_set(err, EPROTO, "%s: the stream has no first part", in->name);
	r = keep(in, head.raw, sizeof(head.raw), err);
	if (r == 0)
		r = keep(in, body, (size_t)head.size, err);
	return r < 0 ? r : take_part(in, &options, true, err);
}

static int open_incoming(struct dat_incoming *in, struct err *err)
{
	int r;

	in->spool = open_spool(err);
	if (in->spool < 0)
		return in->spool;
	r = take_header(in, err);
	if (r > 0)
		r = take_metadata(in, err);
	if (r < 0)
		return r;
	in->is_stream = r > 0;
	r = in->is_stream ? take_first_part(in, err) : spool_rest(in, err);
	return r < 0 ? r : open_reader(in, err);
}

struct dat_incoming *dat_incoming_new(int fd, const char *name, struct err *err)
{
	struct dat_incoming *in = xzalloc(sizeof(*in));

	in->fd = fd;
	in->name = xstrdup(name);
	if (open_incoming(in, err) == 0)
		return in;
	dat_incoming_free(in);
	return NULL;
}

struct dat_reader *dat_incoming_reader(struct dat_incoming *in)
{
	return take_ptr(in->reader);
}

bool dat_incoming_is_stream(const struct dat_incoming *in)
{
	return in->is_stream;
}

bool dat_incoming_page(struct dat_incoming *in, const char *buffer, uint32_t number, uint8_t *page)
{
	size_t b = find_buffer(in, buffer, 0);
	struct incoming_cpu *cpu = find_cpu(in, b, number);
	uint32_t size = in->buffer[b].page_size;

	in->asked = true;
	cpu->asked = true;
	if (!size || cpu->data.len - cpu->taken < size)
		return false;
	memcpy(page, cpu->data.text + cpu->taken, size);
	cpu->taken += size;
	if (cpu->taken == cpu->data.len) {
		strbuf_fini(&cpu->data);
		cpu->taken = 0;
	}
	return true;
}

bool dat_incoming_has_pages(const struct dat_incoming *in)
{
	for (size_t i = 0; i < in->nr_cpus; i++) {
		const struct incoming_cpu *cpu = &in->cpu[i];

		if ((cpu->asked || !in->asked) &&
		    cpu->data.len - cpu->taken >= in->buffer[cpu->buffer].page_size)
			return true;
	}
	return false;
}

const char *dat_incoming_cmdlines(const struct dat_incoming *in)
{
	return in->cmdlines ? in->cmdlines : "";
}

void dat_incoming_free(struct dat_incoming *in)
{
	if (!in)
		return;
	dat_reader_close(in->reader);
	if (in->spool >= 0)
		close(in->spool);
	for (size_t i = 0; i < in->nr_cpus; i++)
		strbuf_fini(&in->cpu[i].data);
	for (size_t i = 0; i < in->nr_buffers; i++)
		free(in->buffer[i].name);
	free(in->buffer);
	free(in->cpu);
	free(in->cmdlines);
	free(in->name);
	free(in);
}

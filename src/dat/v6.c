/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 6: one part after the other, without an index. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dat/facts.h"
#include "dat/sections.h"
#include "util/mem.h"

#define TAG_LEN 10

/* What is gathered while the options are read. */
struct v6 {
	struct dat_reader *r;
	struct cursor c;
	bool has_clock;
	/* Instances, in order; their CPU tables are read after the top buffer's. */
	struct v6_instance {
		const char *name;
		uint64_t offset;
		uint32_t cpu_count;
	} * instance;
	size_t nr_instances;
};

static void v6_fini(struct v6 *v)
{
	free(v->instance);
}

static bool read_tag(struct cursor *c, char tag[TAG_LEN + 1])
{
	const uint8_t *p;

	if (!cursor_bytes(c, TAG_LEN, &p))
		return false;
	memcpy(tag, p, TAG_LEN);
	tag[TAG_LEN] = '\0';
	return true;
}

static void take_instance(struct v6 *v, const uint8_t *data, uint32_t size)
{
	struct dat_reader *r = v->r;

	if (size < 9) {
		dat_finding(r, "option BUFFER has %" PRIu32 " bytes, 9 are needed", size);
		return;
	}
	v->instance = xrealloc(v->instance, (v->nr_instances + 1) * sizeof(*v->instance));
	v->instance[v->nr_instances++] = (struct v6_instance){
		.name = dat_keep_string(r, data + 8, size - 8),
		.offset = get_u64(data, r->big_endian),
		.cpu_count = r->cpu_count,
	};
}

/* A CPUCOUNT behind a BUFFER is about that instance. */
static void take_count(struct v6 *v, const uint8_t *data, uint32_t size)
{
	uint32_t count = size >= 4 ? get_u32(data, v->r->big_endian) : 0;

	if (!v->nr_instances)
		option_common(v->r, DAT_CPUCOUNT, data, size);
	else if (count && count <= DAT_CPUS_MOST)
		v->instance[v->nr_instances - 1].cpu_count = count;
}

static bool read_options(struct v6 *v)
{
	for (;;) {
		const uint8_t *data;
		uint32_t size;
		uint16_t id;

		if (!cursor_u16(&v->c, &id))
			break;
		if (id == DAT_DONE)
			return true;
		if (!cursor_u32(&v->c, &size) || !cursor_bytes(&v->c, size, &data))
			break;
		if (id == DAT_BUFFER)
			take_instance(v, data, size);
		else if (id == DAT_CPUCOUNT)
			take_count(v, data, size);
		else
			option_common(v->r, id, data, size);
		v->has_clock |= id == DAT_TRACECLOCK;
	}
	dat_finding(v->r, "offset %" PRIu64 ": the options are cut off", v->c.pos);
	return false;
}

static void read_cpu_table(struct v6 *v, struct cursor *c, struct dat_buffer *buffer)
{
	struct dat_reader *r = v->r;
	const uint8_t *text;
	uint64_t len;

	if (buffer->cpu_count > cursor_left(c) / 16) {
		dat_finding(r,
			    "offset %" PRIu64 ": the table of %" PRIu32
			    " CPUs does not fit into the %" PRIu64 " bytes that are left",
			    c->pos, buffer->cpu_count, cursor_left(c));
		return;
	}
	for (uint32_t cpu = 0; cpu < buffer->cpu_count; cpu++) {
		uint64_t offset;
		uint64_t size;

		if (!cursor_u64(c, &offset) || !cursor_u64(c, &size))
			return;
		dat_add_cpu(r, buffer, cpu, offset, size);
	}
	if (!buffer->cpu_count && cursor_left(c))
		dat_finding(
			r, "the file says it has no CPU, %" PRIu64 " bytes of it are not described",
			cursor_left(c));
	if (v->has_clock && cursor_u64(c, &len) && len < 256 && cursor_bytes(c, len, &text)) {
		char *clock = dat_keep_string(r, text, len);

		clock[strcspn(clock, "]")] = '\0';
		buffer->clock = *clock == '[' ? clock + 1 : clock;
	}
}

static void read_instance(struct v6 *v, const struct v6_instance *instance)
{
	struct dat_buffer *buffer = dat_add_buffer(v->r, instance->name);
	char tag[TAG_LEN + 1];
	struct cursor c;

	buffer->cpu_count = instance->cpu_count;
	cursor_init_file(&c, v->r->fd, instance->offset, v->r->size, v->r->big_endian,
			 &v->r->arena);
	if (instance->offset >= v->r->size || !read_tag(&c, tag) || strcmp(tag, "flyrecord") != 0) {
		dat_finding(v->r, "offset %" PRIu64 ": no CPU table of instance %s",
			    instance->offset, instance->name);
		return;
	}
	read_cpu_table(v, &c, buffer);
}

/* Kallsyms are only looked at when a symbol is needed. */
static bool skip_kallsyms(struct v6 *v)
{
	struct dat_reader *r = v->r;
	uint64_t start = v->c.pos;
	uint32_t size;

	if (!cursor_u32(&v->c, &size) || !cursor_skip(&v->c, size)) {
		dat_finding(r, "offset %" PRIu64 ": kallsyms are cut off", start);
		return false;
	}
	r->kallsyms = (struct dat_lazy){.offset = start, .size = size + 4ULL, .present = true};
	return true;
}

static bool read_metadata(struct v6 *v)
{
	struct dat_reader *r = v->r;

	if (!body_header_info(r, &v->c) || !body_ftrace_events(r, &v->c) ||
	    !body_event_formats(r, &v->c) || !skip_kallsyms(v) ||
	    !body_text(r, &v->c, 4, "printk formats", &r->printk) ||
	    !body_text(r, &v->c, 8, "saved command lines", &r->cmdlines))
		return false;
	if (cursor_u32(&v->c, &r->cpu_count))
		return true;
	dat_finding(r, "offset %" PRIu64 ": the file ends before its count of CPUs", v->c.pos);
	return false;
}

/* Latency tracers: the rest of the file is text. */
static void read_latency(struct v6 *v, struct dat_buffer *buffer)
{
	const uint8_t *text;
	uint64_t len = cursor_left(&v->c);

	buffer->is_text = true;
	if (cursor_bytes(&v->c, len, &text))
		buffer->text = (struct dat_text){(const char *)text, (size_t)len};
	/* Nothing says how long it is, but the kernel ends every line. */
	if (!buffer->text.len || buffer->text.text[buffer->text.len - 1] != '\n')
		dat_finding(v->r, "offset %" PRIu64 ": the file ends in the text of a tracer",
			    v->c.pos);
}

/* Up to and with the CPU table of the top buffer. */
static bool read_top(struct v6 *v)
{
	struct dat_buffer *buffer;
	char tag[TAG_LEN + 1];

	if (!read_tag(&v->c, tag)) {
		dat_finding(v->r, "offset %" PRIu64 ": the file ends before its events", v->c.pos);
		return false;
	}
	if (!strcmp(tag, "options  ") && (!read_options(v) || !read_tag(&v->c, tag))) {
		dat_finding(v->r, "offset %" PRIu64 ": the file ends before its events", v->c.pos);
		return false;
	}
	buffer = dat_add_buffer(v->r, "");
	if (!strcmp(tag, "latency  ")) {
		read_latency(v, buffer);
		return true;
	}
	if (strcmp(tag, "flyrecord") != 0) {
		dat_finding(v->r, "offset %" PRIu64 ": no table of CPUs where it should be",
			    v->c.pos - TAG_LEN);
		return false;
	}
	read_cpu_table(v, &v->c, buffer);
	return true;
}

/* ft has not come to end it. */
static void salvage_open(struct dat_reader *r)
{
	for (size_t b = 0; b < r->nr_buffers; b++)
		r->buffer[b].data_end = UINT64_MAX;
	dat_salvage(r, false, false);
}

int v6_read(struct dat_reader *r, struct err *err)
{
	cleanup(v6_fini) struct v6 v = {.r = r};
	int ret;

	cursor_init_file(&v.c, r->fd, r->body, r->size, r->big_endian, &r->arena);
	/* Without the parts before it, the place of the events is not known: version 6 has no index. */
	if (!read_metadata(&v))
		return err_set(err, EPROTO, "%s is damaged: %s", r->path,
			       r->findings.item[r->findings.nr - 1]);
	ret = dat_check_header_page(r, err);
	if (ret < 0)
		return ret;
	if (!read_top(&v))
		return 0;
	for (size_t i = 0; i < v.nr_instances; i++)
		read_instance(&v, &v.instance[i]);
	if (dat_has_fact(r, DAT_FACT_OPEN))
		salvage_open(r);
	return 0;
}

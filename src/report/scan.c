/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads every record of a file, and decodes none. */
#include "report/scan.h"

#include "report/input.h"
#include "dat/cursor.h"

void scan_want(struct scan *scan, int id)
{
	scan->wanted[id / 8] |= (uint8_t)(1u << id % 8);
}

static void scan_cpu(const struct scan *scan, const struct input_source *source,
		     const struct input_cpu *cpu,
		     void (*see)(void *ctx, int id, const struct raw_event *raw), void *ctx)
{
	bool big_endian = source->file->r->big_endian;
	const struct stream_slot *slot;
	struct stream s;

	stream_init(&s, cpu->src, cpu->cpu, &source->layout, &source->time);
	for (; (slot = stream_head(&s)); stream_pop(&s)) {
		unsigned int id;

		if (slot->raw.size < 2)
			continue;
		id = get_u16(slot->raw.data, big_endian);
		if (__builtin_expect(scan->wanted[id / 8] >> id % 8 & 1, 0))
			see(ctx, (int)id, &slot->raw);
	}
	stream_fini(&s);
}

void scan_file(const struct scan *scan, const struct input *in, const struct input_file *file,
	       void (*see)(void *ctx, int id, const struct raw_event *raw), void *ctx)
{
	for (size_t i = 0; i < in->nr_sources; i++)
		for (size_t c = 0; in->source[i].file == file && c < in->source[i].nr_cpus; c++)
			scan_cpu(scan, &in->source[i], &in->source[i].cpu[c], see, ctx);
}

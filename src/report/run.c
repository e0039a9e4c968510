/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_run(): the whole of a report, on one thread or several. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/slice.h"
#include "util/io.h"
#include "util/mem.h"

/* The first lines should be seen at once; later on, large writes are cheap ones. */
#define FIRST_WRITE (16u << 10)
#define LARGEST_WRITE (1u << 20)

static int write_out(struct outbuf *out, int fd)
{
	int ret = io_write_all(fd, out->buf, out->len);

	out->len = 0;
	return ret;
}

/* Everything that stands before the first event. */
static void put_preface(const struct input *in, struct outbuf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < in->nr_files; i++) {
		const struct input_file *file = &in->file[i];
		const struct input_source *source = &in->source[at];
		uint32_t cpus = file->r->cpu_count;

		if (at < in->nr_sources && source->file == file) {
			/* A single file is not known to have instances yet, for trace-cmd. */
			if (in->nr_files > 1)
				outbuf_add(out, source->prefix);
			if (!*source->buffer->name)
				cpus = source->buffer->cpu_count;
		}
		outbuf_addf(out, "cpus=%" PRIu32 "\n", cpus);
		for (; at < in->nr_sources && in->source[at].file == file; at++) {
			const struct dat_buffer *buffer = in->source[at].buffer;

			if (buffer->is_text)
				outbuf_add_mem(out, buffer->text.text, buffer->text.len);
		}
	}
}

static int run_serial(struct walk *w, int fd, struct outbuf *preface)
{
	size_t room = FIRST_WRITE;
	bool more = true;
	int ret = 0;

	outbuf_add_mem(&w->out, preface->buf, preface->len);
	while (more && ret == 0) {
		more = walk_some(w, room, UINT64_MAX);
		ret = write_out(&w->out, fd);
		if (room < LARGEST_WRITE)
			room *= 4;
	}
	return ret;
}

static bool find_time(const struct report_time *time, uint64_t first, uint64_t last, uint64_t *out)
{
	switch (time->kind) {
	case REPORT_TIME_ABSOLUTE:
		*out = time->ns;
		return true;
	case REPORT_TIME_FROM_START:
		*out = first + time->ns;
		return true;
	case REPORT_TIME_FROM_END:
		*out = last > time->ns ? last - time->ns : 0;
		return true;
	case REPORT_TIME_NONE:
		break;
	}
	return false;
}

void report_window_find(const struct report_config *config, const struct input *in,
			struct report_window *window)
{
	uint64_t first = 0;
	uint64_t last = 0;
	uint64_t until;

	*window = (struct report_window){0, UINT64_MAX};
	if (config->since.kind > REPORT_TIME_ABSOLUTE || config->until.kind > REPORT_TIME_ABSOLUTE)
		input_time_span(in, &first, &last);
	find_time(&config->since, first, last, &window->since);
	if (find_time(&config->until, first, last, &until) && until < UINT64_MAX)
		window->end = until + 1;
}

void report_window_enter(struct walk *w, uint64_t since)
{
	for (uint32_t i = 0; since && i < w->merge.nr_lanes; i++) {
		struct stream *s = &w->merge.lane[i].stream;
		const struct stream_slot *slot;

		stream_seek(s, since);
		while ((slot = stream_head(s)) && slot->raw.ts < since)
			stream_skip(s);
	}
	merge_start(&w->merge);
}

static int run_events(const struct report_config *config, struct input *in, int out_fd)
{
	const struct sink_ops *ops = config->sink ? config->sink : &text_sink;
	cleanup(outbuf_fini) struct outbuf preface = {0};
	struct sink_shared *shared = ops->share ? ops->share() : NULL;
	struct report_window window;
	struct walk w;
	int ret;

	report_window_find(config, in, &window);
	walk_init(&w, config, in, shared);
	if (ops == &text_sink)
		put_preface(in, &preface);
	if (ops->begin)
		ops->begin(w.sink, &preface);
	w.until = window.end;
	report_window_enter(&w, window.since);
	ret = run_serial(&w, out_fd, &preface);
	if (ops->end && ret == 0) {
		ops->end(w.sink, &w.out);
		ret = write_out(&w.out, out_fd);
	}
	walk_fini(&w);
	if (ops->unshare)
		ops->unshare(shared);
	return ret;
}

int report_run(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret < 0)
		return ret;
	ret = run_events(config, &in, out_fd);
	if (ret == -EPIPE)
		return 0;
	if (ret < 0)
		return err_sys(err, -ret, "cannot write the report");
	return input_tell(&in, config) ? 1 : 0;
}

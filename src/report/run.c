/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_run(): the whole of a report, on one thread or several. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/follow.h"
#include "report/overlay.h"
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
	for (size_t i = 0; i < in->nr_files; i++) {
		const struct input_file *file = &in->file[i];

		input_put_cpus(in, file, out);
		for (size_t s = 0; s < in->nr_sources; s++) {
			const struct dat_buffer *buffer = in->source[s].buffer;

			if (in->source[s].file != file || !buffer->is_text)
				continue;
			outbuf_add_mem(out, buffer->text.text, buffer->text.len);
			outbuf_add_char(out, '\n');
		}
	}
	/* It has names of tasks in it, and those of files. */
	if (out->len)
		clean_text(out, 0, true);
}

static int run_serial(struct walk *w, int fd, struct outbuf *preface)
{
	size_t room = FIRST_WRITE;
	bool more = true;
	int ret = 0;

	outbuf_add_mem(&w->out, preface->buf, preface->len);
	while (more && ret == 0) {
		more = walk_some(w, room, UINT64_MAX);
		if (!more)
			walk_tail(w);
		ret = write_out(&w->out, fd);
		if (room < LARGEST_WRITE)
			room *= 4;
	}
	return ret;
}

static bool find_time(const struct report_time *time, bool raw_clock, uint64_t first, uint64_t last,
		      uint64_t *out)
{
	uint64_t value = raw_clock && time->is_whole ? time->ticks : time->ns;

	switch (time->kind) {
	case REPORT_TIME_ABSOLUTE:
		*out = value;
		return true;
	case REPORT_TIME_FROM_START:
		*out = first + value;
		return true;
	case REPORT_TIME_FROM_END:
		*out = last > value ? last - value : 0;
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
	bool raw_clock = in->nr_sources && in->about[0].raw_clock;

	*window = (struct report_window){0, UINT64_MAX};
	if (config->since.kind > REPORT_TIME_ABSOLUTE || config->until.kind > REPORT_TIME_ABSOLUTE)
		input_time_span(in, &first, &last);
	find_time(&config->since, raw_clock, first, last, &window->since);
	if (config->since.is_printed && !raw_clock)
		window->since -= window->since < PRINTED_BELOW ? window->since : PRINTED_BELOW;
	if (!find_time(&config->until, raw_clock, first, last, &until))
		return;
	if (config->until.is_printed && !raw_clock && !add_ok(until, PRINTED_ABOVE, &until))
		return;
	if (until < UINT64_MAX)
		window->end = until + 1;
}

void report_window_enter(struct walk *w, uint64_t since)
{
	for (uint32_t i = 0; i < w->merge.nr_lanes; i++) {
		struct stream *s = &w->merge.lane[i].stream;
		const struct stream_slot *slot;

		if (!since) {
			stream_seek_pos(s, 0);
			continue;
		}
		stream_seek(s, since);
		while ((slot = stream_head(s)) && slot->raw.ts < since)
			stream_skip(s);
	}
	merge_start(&w->merge);
}

static bool has_choice(const struct report_config *config)
{
	return config->pids || config->comms.nr || config->events.nr || config->match ||
	       config->cpus || config->instances.nr || config->since.kind != REPORT_TIME_NONE ||
	       config->until.kind != REPORT_TIME_NONE;
}

/* Nobody records nothing on purpose. */
static void tell_empty(const struct report_config *config, const struct input *in, bool any)
{
	for (size_t i = 0; i < in->nr_files; i++)
		any |= in->file[i].r->findings.nr > 0;
	if (config->live && (config->live->read || config->live->source)) {
		if (!any && !config->live->read && config->message) {
			config->message(config->message_ctx, "the kernel's buffer holds no events");
			if (config->live->tell_idle)
				config->live->tell_idle(config->live->ctx);
		}
		return;
	}
	if (has_choice(config))
		input_tell_text(in, config, "which is printed as it is, without a choice");
	if (any || in->has_text || !config->message || has_choice(config))
		return;
	for (size_t i = 0; i < in->nr_files; i++) {
		cleanup_free char *text =
			xasprintf("%s: 0 events were recorded (record with -e EVENT or -p TRACER)",
				  in->file[i].name);

		config->message(config->message_ctx, text);
	}
}

#define NAMED_MOST 8

/* Once for all events whose print format is more than anyone can follow. */
static void tell_fields(const struct report_config *config, struct strv *names)
{
	cleanup(strv_fini) struct strv named = {0};
	cleanup_free char *list = NULL;
	cleanup_free char *text = NULL;
	size_t more;

	strv_sort(names);
	strv_uniq(names);
	if (!names->nr || !config->message)
		return;
	for (size_t i = 0; i < names->nr && i < NAMED_MOST; i++)
		strv_add(&named, names->item[i]);
	more = names->nr - named.nr;
	if (more)
		strv_add_take(&named, xasprintf("and %zu more", more));
	list = strv_join(&named, ", ");
	text = xasprintf(
		"these print formats ask for what is not in the file, shown as ? or as name=value: %s",
		list);
	config->message(config->message_ctx, text);
}

bool report_window_is_beside(const struct report_config *config, const struct input *in,
			     const struct report_window *window)
{
	bool raw_clock = in->nr_sources && in->about[0].raw_clock;
	cleanup_free char *text = NULL;
	uint64_t first;
	uint64_t last;

	if (config->since.kind == REPORT_TIME_NONE && config->until.kind == REPORT_TIME_NONE)
		return false;
	if (!input_time_span(in, &first, &last) || (window->since <= last && window->end > first))
		return false;
	if (!config->message)
		return true;
	if (raw_clock)
		text = xasprintf("no event at that time: the first one is at %" PRIu64
				 ", the last one at %" PRIu64,
				 first, last);
	else
		text = xasprintf("no event at that time: the first one is at %" PRIu64 ".%09" PRIu64
				 ", the last one at %" PRIu64 ".%09" PRIu64,
				 first / 1000000000, first % 1000000000, last / 1000000000,
				 last % 1000000000);
	config->message(config->message_ctx, text);
	return true;
}

static bool is_following(const struct report_config *config)
{
	return config->live && config->live->read;
}

/* One sink, one event after the other. */
static int run_alone(struct walk *w, const struct report_window *window, int out_fd,
		     struct outbuf *preface, struct err *err)
{
	if (is_following(w->config))
		return follow_run(w, out_fd, preface, err);
	report_window_enter(w, window->since);
	return run_serial(w, out_fd, preface);
}

static int run_events(const struct report_config *config, struct input *in, int out_fd,
		      struct err *err)
{
	const struct sink_ops *ops = config->sink ? config->sink : &text_sink;
	cleanup(outbuf_fini) struct outbuf preface = {0};
	struct sink_shared *shared = ops->share ? ops->share() : config->sink_shared;
	unsigned int nr = is_following(config) ? 1 : slice_threads(config, in);
	unsigned int nr_walks = nr > 1 ? nr + 1 : 1;
	struct walk *w = xzalloc_apart(nr_walks * sizeof(*w));
	cleanup(strv_fini) struct strv fields = {0};
	struct report_window window;
	bool any = false;
	int ret;

	report_window_find(config, in, &window);
	for (unsigned int i = 0; i < nr_walks; i++) {
		walk_init(&w[i], config, in, shared);
		w[i].until = window.end;
	}
	if (ops == &text_sink || ops == &overlay_sink)
		put_preface(in, &preface);
	if (ops->begin)
		ops->begin(w->sink, &preface);
	if (nr > 1 && (config->threads > 0 || nr > 2 || !slice_needs_scan(w)))
		ret = slice_run(w, nr, &window, out_fd, &preface);
	else
		ret = run_alone(w, &window, out_fd, &preface, err);
	if (ops->end && ret == 0) {
		ops->end(w->sink, &w->out);
		ret = write_out(&w->out, out_fd);
	}
	for (unsigned int i = 0; i < nr_walks; i++) {
		any |= w[i].nr_events > 0;
		walk_tell_unknown(&w[i]);
		walk_list_fields(&w[i], &fields);
		walk_fini(&w[i]);
	}
	free(w);
	if (ops->unshare)
		ops->unshare(shared);
	if (ret < 0)
		return ret;
	tell_empty(config, in, any);
	if (ops == &text_sink && !config->style.raw)
		tell_fields(config, &fields);
	return report_window_is_beside(config, in, &window) ? 1 : 0;
}

int report_run(const struct report_config *config, int out_fd, struct err *err)
{
	cleanup(input_close) struct input in = {0};
	int ret = input_open(&in, config, err);

	if (ret == 0 && config->prepare)
		ret = config->prepare(config->prepare_ctx, &in, err);
	if (ret < 0)
		return ret;
	ret = run_events(config, &in, out_fd, err);
	if (ret < 0 && err->code)
		return ret;
	if (ret == -EPIPE)
		return 0;
	if (ret < 0)
		return err_sys(err, -ret, "cannot write the report");
	return input_tell(&in, config) ? 1 : ret;
}

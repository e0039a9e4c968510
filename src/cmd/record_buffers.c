/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffers of a recording, each with its config, its place in the kernel and its threads. */
#include "cmd/record_buffers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "dat/facts.h"
#include "record/facts.h"
#include "record/metadata.h"
#include "util/mem.h"

static int add_buffer(const struct record_args *args, const struct buffer_args *want,
		      const struct tfs *top, struct record_buffers *out, struct strv *notes,
		      struct err *err)
{
	struct record_buffer *buffer;

	for (size_t i = 0; i < out->nr; i++)
		if (want->instance && !strcmp(out->buffer[i].name, want->instance))
			return err_set(err, EINVAL, "--instance %s is there twice", want->instance);
	out->buffer = xrealloc(out->buffer, (out->nr + 1) * sizeof(*out->buffer));
	buffer = &out->buffer[out->nr++];
	*buffer =
		(struct record_buffer){.want = want, .name = want->instance ? want->instance : ""};
	return record_config_build(args, want, top, &buffer->config, notes, err);
}

int record_buffers_build(const struct record_args *args, const struct tfs *top,
			 struct record_buffers *out, const char **why, struct strv *notes,
			 struct err *err)
{
	const struct buffer_args *more = args->more.item;
	int r = tfs_cpus(top, &out->cpus, &out->nr_cpus, err);

	if (r == 0 && !record_main_is_idle(args)) {
		r = add_buffer(args, &args->main, top, out, notes, err);
		if (r == 0)
			r = record_config_place(top, &out->buffer[0].config, why, notes, err);
		if (r == 0)
			r = record_config_printk(top, &out->buffer[0].config, err);
	}
	for (size_t i = 0; r == 0 && i < args->more.nr; i++) {
		r = add_buffer(args, &more[i], top, out, notes, err);
		if (r == 0)
			r = record_config_instance(top, &more[i], &out->buffer[out->nr - 1].config,
						   err);
		if (r == 0 && strv_has(&more[i].options, "trace_printk_dest"))
			r = record_config_printk(top, &out->buffer[out->nr - 1].config, err);
	}
	return r;
}

void record_buffers_fini(struct record_buffers *buffers)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		recorder_free(buffers->buffer[i].recorder);
		trace_config_fini(&buffers->buffer[i].config);
		free(buffers->buffer[i].counts);
		free(buffers->buffer[i].text);
	}
	free(buffers->buffer);
	free(buffers->cpus);
	if (buffers->wake > 0)
		close(buffers->wake);
	*buffers = (struct record_buffers){0};
}

void record_buffers_places(const struct record_buffers *buffers, struct strv *out)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		const struct record_buffer *buffer = &buffers->buffer[i];

		if (buffer->name[0] || !buffer->config.instance)
			strv_add(out, buffer->name);
	}
}

static int watch_all(struct record_buffers *buffers, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN};

	buffers->wake = epoll_create1(EPOLL_CLOEXEC);
	if (buffers->wake < 0)
		return err_sys(err, errno, "cannot watch the threads");
	for (size_t i = 0; i < buffers->nr; i++)
		if (buffers->buffer[i].recorder &&
		    epoll_ctl(buffers->wake, EPOLL_CTL_ADD,
			      recorder_wake_fd(buffers->buffer[i].recorder), &event) < 0)
			return err_sys(err, errno, "cannot watch the threads");
	return 0;
}

int record_buffers_recorders(struct record_buffers *buffers, const struct record_args *args,
			     struct err *err)
{
	int r = recorder_reserve(buffers->nr, buffers->nr_cpus, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < buffers->nr; i++) {
		/* What it kept is the longest time so far; reading it away would lose that. */
		if (is_latency_tracer(buffers->buffer[i].config.tracer))
			continue;
		buffers->buffer[i].recorder = recorder_new(buffers->cpus, buffers->nr_cpus,
							   args->ring > 0, args->compress_kind,
							   args->compress_level, err);
		if (!buffers->buffer[i].recorder)
			return -err->code;
	}
	return watch_all(buffers, err);
}

/* The list is put back as a whole at the end: it was remembered when it was written. */
static int add_to_list(const struct tfs *tfs, const char *file, const char *pid, struct err *err)
{
	cleanup_free char *line = xasprintf("%s\n", pid);

	return tfs_write(tfs, file, line, 0, err);
}

int record_buffers_add_pids(struct record_buffers *buffers, const struct strv *pids,
			    struct err *err)
{
	int r = 0;

	for (size_t b = 0; b < buffers->nr; b++) {
		const struct record_buffer *buffer = &buffers->buffer[b];
		const struct trace_config *config = &buffer->config;

		for (size_t i = 0; r == 0 && i < pids->nr; i++) {
			if (strv_has(&config->pids, pids->item[i]))
				continue;
			if (config->systems.nr || config->events.nr)
				r = add_to_list(buffer->tfs, "set_event_pid", pids->item[i], err);
			if (r == 0 && is_function_tracer(config->tracer))
				r = add_to_list(buffer->tfs, "set_ftrace_pid", pids->item[i], err);
		}
	}
	return r;
}

void record_buffers_pids(struct record_buffers *buffers, const struct strv *pids,
			 const struct strv *own_pids)
{
	cleanup(strv_fini) struct strv own = {0};

	strv_copy(&own, own_pids);
	for (size_t i = 0; i < buffers->nr; i++)
		if (buffers->buffer[i].recorder)
			recorder_tids(buffers->buffer[i].recorder, &own);
	for (size_t i = 0; i < buffers->nr; i++) {
		strv_copy(&buffers->buffer[i].config.pids, pids);
		strv_copy(&buffers->buffer[i].config.own_pids, &own);
	}
}

/* Events that somebody else has on where this buffer is to be. */
static int read_enabled(const struct tfs *top, const struct trace_config *config, struct strv *out,
			struct err *err)
{
	struct tfs *instance = config->is_there ? tfs_open_instance(top, config->instance, err)
						: NULL;
	cleanup_free char *text = NULL;
	int r;

	if (config->is_there && !instance)
		return -err->code;
	r = tfs_read(instance ? instance : top, "set_event", &text, err);
	tfs_free(instance);
	if (r == 0)
		strv_split(out, text, "\n");
	return r;
}

static int build_steps(const struct record_buffers *buffers, size_t i, const struct tfs *top,
		       struct steps *steps, struct err *err)
{
	const struct trace_config *config = &buffers->buffer[i].config;
	cleanup(strv_fini) struct strv enabled = {0};
	cleanup(strv_fini) struct strv options = {0};
	cleanup_free char *mask = format_full_cpumask(buffers->nr_cpus);
	const struct kernel_facts facts = {&enabled, &options, mask};
	int r = read_enabled(top, config, &enabled, err);

	if (r == 0)
		r = tfs_options(top, &options, err);
	if (r == 0)
		steps_build(config, &facts, steps);
	return r;
}

int record_buffers_apply(struct record_buffers *buffers, const struct tfs *top,
			 struct session *session, struct err *err)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		struct record_buffer *buffer = &buffers->buffer[i];
		cleanup(steps_fini) struct steps steps = {0};
		int r = build_steps(buffers, i, top, &steps, err);

		if (r == 0)
			r = session_apply(session, &steps, err);
		if (r < 0)
			return buffer->name[0] ? err_wrap(err, "instance %s", buffer->name) : r;
		buffer->tfs = session_place(session, buffer->config.instance);
	}
	return 0;
}

int record_buffers_print(struct record_buffers *buffers, const struct tfs *top, struct strbuf *out,
			 struct err *err)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		const struct trace_config *config = &buffers->buffer[i].config;
		cleanup_free char *dir =
			config->instance
				? xasprintf("%s/instances/%s", tfs_dir(top), config->instance)
				: xstrdup(tfs_dir(top));
		cleanup(steps_fini) struct steps steps = {0};
		int r = build_steps(buffers, i, top, &steps, err);

		if (r < 0)
			return r;
		steps_build_last(config, &steps);
		steps_build_start(config, &steps);
		steps_print(&steps, tfs_dir(top), dir, out);
	}
	return 0;
}

/* How many buffers lie before the first in the file: one without ft's own gets an empty one all the
 * same, which readers expect. */
static size_t first_in_file(const struct record_buffers *buffers)
{
	return buffers->buffer[0].name[0] ? 1 : 0;
}

static int describe_buffers(const struct record_buffers *buffers, struct record_contents *out,
			    struct err *err)
{
	size_t first = first_in_file(buffers);

	out->nr = buffers->nr + first;
	out->spec = xcalloc(out->nr, sizeof(*out->spec));
	for (size_t i = 0; i < buffers->nr; i++) {
		const struct tfs *tfs = buffers->buffer[i].tfs;
		char *clock = metadata_clock(tfs, err);

		if (!clock)
			return -err->code;
		strv_add_take(&out->clocks, clock);
		out->spec[first + i] = (struct dat_buffer_spec){
			.name = buffers->buffer[i].name,
			.clock = clock,
			.page_size = metadata_subbuf_size(tfs),
			.cpu = buffers->cpus,
			.nr_cpus = buffers->buffer[i].recorder ? buffers->nr_cpus : 0,
			.is_text = !buffers->buffer[i].recorder,
		};
	}
	if (first)
		out->spec[0] = (struct dat_buffer_spec){.name = "",
							.clock = out->spec[1].clock,
							.page_size = out->spec[1].page_size};
	return 0;
}

static void describe_facts(const struct record_args *args, struct record_contents *out)
{
	if (args->ring)
		strbuf_add(&out->facts, DAT_FACT_RING "\n");
	/* The clock of ft's own buffer, or of the first instance. */
	facts_add_begin(out->clocks.item[0], &out->facts);
	out->option = (struct dat_meta_option){DAT_FACTS, strbuf_str(&out->facts), out->facts.len};
	out->meta.option = &out->option;
	out->meta.nr_options = 1;
}

int record_buffers_describe(const struct record_buffers *buffers, const struct tfs *top,
			    const struct record_args *args, struct record_contents *out,
			    struct strv *notes, struct err *err)
{
	cleanup(strv_fini) struct strv systems = {0};
	int r = describe_buffers(buffers, out, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < buffers->nr; i++)
		record_config_systems(&buffers->buffer[i].config, &systems);
	strv_sort(&systems);
	strv_uniq(&systems);
	r = metadata_gather(buffers->buffer[0].tfs, top, &systems,
			    buffers->cpus[buffers->nr_cpus - 1] + 1, &out->meta, notes, err);
	describe_facts(args, out);
	out->meta.compress = args->compress_kind;
	out->meta.level = args->compress_level;
	out->meta.file_version = (unsigned int)args->file_version;
	if (args->file_version == 6)
		out->meta.cmdlines_most = metadata_names_most(top);
	return r;
}

void record_contents_fini(struct record_contents *contents)
{
	dat_meta_fini(&contents->meta);
	free(contents->spec);
	strv_fini(&contents->clocks);
	strbuf_fini(&contents->facts);
	*contents = (struct record_contents){0};
}

int record_buffers_begin(struct record_buffers *buffers, struct dat_writer *writer, struct err *err)
{
	size_t first = first_in_file(buffers);
	int r = 0;

	for (size_t i = 0; r == 0 && i < buffers->nr; i++)
		if (buffers->buffer[i].recorder)
			r = recorder_begin(buffers->buffer[i].recorder, buffers->buffer[i].tfs,
					   writer, first + i, err);
	return r;
}

int record_buffers_arm(const struct record_buffers *buffers, struct session *session,
		       struct err *err)
{
	cleanup(steps_fini) struct steps steps = {0};

	for (size_t i = 0; i < buffers->nr; i++)
		steps_build_last(&buffers->buffer[i].config, &steps);
	return session_apply(session, &steps, err);
}

void record_buffers_switches(const struct record_buffers *buffers, struct strv *out)
{
	for (size_t i = 0; i < buffers->nr; i++)
		strv_add_take(out, xasprintf("%s/tracing_on", tfs_dir(buffers->buffer[i].tfs)));
}

uint64_t record_buffers_bytes(const struct record_buffers *buffers)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < buffers->nr; i++)
		if (buffers->buffer[i].recorder)
			bytes += recorder_bytes(buffers->buffer[i].recorder);
	return bytes;
}

void record_buffers_note_sizes(const struct record_buffers *buffers)
{
	for (size_t i = 0; i < buffers->nr; i++)
		if (buffers->buffer[i].recorder)
			recorder_note_sizes(buffers->buffer[i].recorder);
}

void record_buffers_flush(const struct record_buffers *buffers)
{
	for (size_t i = 0; i < buffers->nr; i++)
		if (buffers->buffer[i].recorder)
			recorder_flush(buffers->buffer[i].recorder);
}

int record_buffers_totals(const struct record_buffers *buffers, struct recorder_totals *out)
{
	*out = (struct recorder_totals){0};
	for (size_t i = 0; i < buffers->nr; i++) {
		struct recorder_totals one;
		int r;

		if (!buffers->buffer[i].recorder)
			continue;
		r = recorder_totals(buffers->buffer[i].recorder, buffers->buffer[i].tfs, &one);

		if (r < 0)
			return r;
		out->events += one.events;
		out->lost += one.lost;
		out->overwritten += one.overwritten;
	}
	return 0;
}

bool record_buffers_are_off(const struct record_buffers *buffers)
{
	for (size_t i = 0; i < buffers->nr; i++) {
		long on;

		if (tfs_read_number(buffers->buffer[i].tfs, "tracing_on", &on, NULL) == 0 && !on)
			return true;
	}
	return false;
}

/* Keeps the first failure; later ones are only its consequences. */
static int first_failure(int code, int next)
{
	return code < 0 ? code : next;
}

int record_buffers_stop(struct record_buffers *buffers, struct strv *cpustat, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < buffers->nr; i++) {
		const struct tfs *tfs = buffers->buffer[i].tfs;

		/* A marker that cannot be copied into a buffer fails for the program that writes it. */
		if (buffers->buffer[i].config.instance && tfs_has(tfs, STEPS_COPY_MARKER))
			code = first_failure(code, tfs_write(tfs, STEPS_COPY_MARKER, "0", 0,
							     code < 0 ? NULL : err));
		/* Back to whom it was taken from; where it was here before, it stays. */
		if (buffers->buffer[i].config.printk && !buffers->buffer[i].config.is_there)
			code = first_failure(
				code, tfs_write(tfs, STEPS_PRINTK, "0", 0, code < 0 ? NULL : err));
		code = first_failure(code,
				     tfs_write(tfs, "tracing_on", "0", 0, code < 0 ? NULL : err));
	}
	for (size_t i = 0; i < buffers->nr; i++) {
		struct record_buffer *buffer = &buffers->buffer[i];
		cleanup(strv_fini) struct strv texts = {0};

		if (!buffer->recorder) {
			code = first_failure(code, tfs_read(buffer->tfs, "trace", &buffer->text,
							    code < 0 ? NULL : err));
			continue;
		}
		code = first_failure(code,
				     recorder_finish(buffer->recorder, code < 0 ? NULL : err));
		code = first_failure(code,
				     recorder_count(buffer->recorder, buffer->tfs, &buffer->counts,
						    &texts, code < 0 ? NULL : err));
		for (size_t t = 0; t < texts.nr; t++)
			strv_add_take(cpustat, buffer->name[0] ? xasprintf("%s, %s", buffer->name,
									   texts.item[t])
							       : xstrdup(texts.item[t]));
	}
	return code;
}

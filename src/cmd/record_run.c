/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording itself: from a checked config to a closed file and a restored kernel. */
#include "cmd/record_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record_pipe.h"
#include "cmd/record_tell.h"
#include "dat/recover.h"
#include "dat/write_stream.h"
#include "record/metadata.h"
#include "record/recorder.h"
#include "record/wait.h"
#include "record/workload.h"
#include "session/rundir.h"
#include "session/session.h"
#include "util/mem.h"

enum { STATUS_LOST = 3, STATUS_FT_FAILED = 125 };

#define CHECKPOINT_MS 1000
/* Between two parts of a stream. */
#define SEND_MS 250

/* All that a recording holds; each part frees itself in record_fini(). */
struct recording {
	struct record_args *args;
	const char *program;
	const char *path;
	struct tfs *top;
	struct trace_config config;
	struct strv notes;
	struct record_pipe *pipe; /* NULL: into a file */
	struct record_tell *tell;
	struct waiter waiter;
	struct workload work;
	unsigned int *cpus;
	size_t nr_cpus;
	struct recorder *recorder;
	struct session *session;
	struct dat_writer *writer;
	struct cpu_count *counts;
	struct strv cpustat;
	char *cmdlines;
	uint64_t file_size;
	uint64_t kept;		/* bytes of events in the file */
	unsigned int waited_ms; /* since the last checkpoint */
	bool started;
	int status; /* of the command, -1 while it runs */
	enum wait_end end;
};

void record_say(const struct record_args *args, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	if (args->quiet)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "ft record: %s\n", text);
}

static void say_notes(struct recording *r)
{
	for (size_t i = 0; i < r->notes.nr; i++)
		record_say(r->args, "%s", r->notes.item[i]);
	strv_fini(&r->notes);
}

/* For the file of a recording that was killed, in the guardian or in the next ft. */
static char *read_names(void)
{
	struct tfs *top = tfs_open(NULL, NULL);
	char *text = NULL;

	if (top)
		tfs_read(top, "saved_cmdlines", &text, NULL);
	tfs_free(top);
	return text;
}

const struct orphan_ops record_orphans = {read_names, dat_recover};

static int read_enabled(const struct tfs *top, struct strv *out, struct err *err)
{
	cleanup_free char *text = NULL;
	int r = tfs_read(top, "set_event", &text, err);

	if (r == 0)
		strv_split(out, text, "\n");
	return r;
}

static int build_steps(struct recording *r, struct steps *steps, struct err *err)
{
	cleanup(strv_fini) struct strv enabled = {0};
	cleanup(strv_fini) struct strv options = {0};
	cleanup_free char *mask = format_full_cpumask(r->nr_cpus);
	const struct kernel_facts facts = {&enabled, &options, mask};
	int code = read_enabled(r->top, &enabled, err);

	if (code == 0)
		code = tfs_options(r->top, &options, err);
	if (code == 0)
		steps_build(&r->config, &facts, steps);
	return code;
}

static int dry_run(struct recording *r, struct err *err)
{
	cleanup(steps_fini) struct steps steps = {0};
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_free char *dir = r->config.instance ? xasprintf("%s/instances/%s", tfs_dir(r->top),
								r->config.instance)
						    : xstrdup(tfs_dir(r->top));
	int code;

	if (r->program && !r->args->all)
		strv_add(&r->config.pids, "$$");
	code = build_steps(r, &steps, err);
	if (code < 0)
		return code;
	steps_build_start(&r->config, &steps);
	steps_print(&steps, tfs_dir(r->top), dir, &text);
	say_notes(r);
	fputs(strbuf_str(&text), stdout);
	return 0;
}

static void add_pid(struct strv *list, pid_t pid)
{
	strv_add_take(list, xasprintf("%d", (int)pid));
}

/* Everything that can fail without touching the kernel. */
static int prepare(struct recording *r, const char **why, struct err *err)
{
	int code;

	r->top = tfs_open(r->args->tracefs, err);
	if (!r->top)
		return -err->code;
	code = tfs_cpus(r->top, &r->cpus, &r->nr_cpus, err);
	if (code == 0)
		code = record_config_build(r->args, r->top, &r->config, &r->notes, err);
	if (code == 0)
		code = record_config_place(r->top, &r->config, why, &r->notes, err);
	return code;
}

/* Processes and threads, all of them still waiting: their ids go into the steps. */
static int start_parts(struct recording *r, struct err *err)
{
	int code = waiter_init(&r->waiter, err);

	if (code < 0)
		return code;
	/* Before any descriptor that the command must not inherit even for a moment: the kernel
	 * takes the closing of its copy for the end of the reader. */
	if (r->program) {
		code = workload_start(&r->work, r->program, &r->args->common.words,
				      &r->waiter.before, err);
		if (code < 0)
			return code;
	}
	r->session = session_begin(r->top, r->config.instance, &record_orphans, err);
	if (!r->session)
		return -err->code;
	r->recorder = recorder_new(r->cpus, r->nr_cpus, r->args->compress_kind,
				   r->args->compress_level, err);
	if (!r->recorder)
		return -err->code;
	if (r->program && !r->args->all)
		add_pid(&r->config.pids, r->work.pid);
	add_pid(&r->config.own_pids, getpid());
	add_pid(&r->config.own_pids, session_guardian(r->session));
	recorder_tids(r->recorder, &r->config.own_pids);
	return 0;
}

/* The kernel's state, up to but without the start. */
static int apply_steps(struct recording *r, struct err *err)
{
	cleanup(steps_fini) struct steps steps = {0};
	int code = build_steps(r, &steps, err);

	return code < 0 ? code : session_apply(r->session, &steps, err);
}

/* The file as long as it has no name of its own. */
static int begin_part(struct recording *r, const char *path, const struct dat_meta *meta,
		      const struct dat_buffer_spec *spec, struct err *err)
{
	cleanup_free char *part = dat_writer_part(path);
	int code = session_note_file(r->session, part, "", err);

	if (code < 0)
		return code;
	r->writer = dat_writer_begin(path, meta, spec, 1, err);
	return r->writer ? 0 : -err->code;
}

static int begin_file(struct recording *r, const char *path, const struct dat_meta *meta,
		      const struct dat_buffer_spec *spec, struct err *err)
{
	cleanup_free char *where = NULL;
	int code = begin_part(r, path, meta, spec, err);

	if (code < 0)
		return code;
	where = dat_writer_where(r->writer);
	code = session_note_file(r->session, path, where, err);
	return code < 0 ? code : dat_writer_publish(r->writer, err);
}

static int begin_pipe(struct recording *r, struct dat_meta *meta,
		      const struct dat_buffer_spec *spec, struct err *err)
{
	cleanup_free char *path = record_pipe_spool();
	cleanup_free char *version = NULL;
	cleanup_free char *part = dat_writer_part(path);
	int code = begin_part(r, path, meta, spec, err);

	if (code < 0)
		return code;
	/* It goes when its last descriptor is closed, whatever happens. */
	unlink(part);
	version = take_ptr(meta->version);
	meta->version = xasprintf("%s" DAT_STREAM_SUFFIX, version);
	return record_pipe_begin(r->pipe, meta, spec, r->writer, err);
}

static int create_file(struct recording *r, struct err *err)
{
	const struct tfs *tfs = session_tfs(r->session);
	cleanup(dat_meta_fini) struct dat_meta meta = {0};
	cleanup(strv_fini) struct strv systems = {0};
	cleanup_free char *clock = metadata_clock(tfs, err);
	struct dat_buffer_spec spec = {.name = "", .cpu = r->cpus, .nr_cpus = r->nr_cpus};
	int code;

	if (!clock)
		return -err->code;
	record_config_systems(&r->config, &systems);
	code = metadata_gather(tfs, &systems, r->cpus[r->nr_cpus - 1] + 1, &meta, &r->notes, err);
	if (code < 0)
		return code;
	meta.compress = r->args->compress_kind;
	meta.level = r->args->compress_level;
	spec.clock = clock;
	spec.page_size = meta.page_size;
	return r->pipe ? begin_pipe(r, &meta, &spec, err)
		       : begin_file(r, r->path, &meta, &spec, err);
}

static int start_trace(struct recording *r, struct err *err)
{
	const struct tfs *tfs = session_tfs(r->session);
	cleanup(steps_fini) struct steps steps = {0};
	cleanup_free char *tracing_on = xasprintf("%s/tracing_on", tfs_dir(tfs));
	int code = recorder_begin(r->recorder, tfs, r->writer, 0, err);

	if (code < 0)
		return code;
	/* The session has noted what tracing_on was when it turned it off. */
	if (r->program)
		return workload_release(&r->work, tracing_on, err);
	steps_build_start(&r->config, &steps);
	return session_apply(r->session, &steps, err);
}

static unsigned int tick_ms(const struct recording *r)
{
	unsigned int ms = record_tell_interval(r->tell);

	if (r->pipe)
		return SEND_MS;
	return ms ? ms : CHECKPOINT_MS;
}

/* What has reached the file can be found in it from now on. */
static void checkpoint(struct recording *r)
{
	recorder_note_sizes(r->recorder);
	dat_writer_checkpoint(r->writer, NULL);
}

static void read_cmdlines(struct recording *r)
{
	/* Instances share the one list of the top level. */
	const struct tfs *tfs = tfs_has(session_tfs(r->session), "saved_cmdlines")
					? session_tfs(r->session)
					: r->top;

	free(take_ptr(r->cmdlines));
	tfs_read(tfs, "saved_cmdlines", &r->cmdlines, NULL);
}

/* Everything up to now goes into one part: so a reader can put the events of all CPUs in order. */
static void send_part(struct recording *r)
{
	cleanup_free char *before = take_ptr(r->cmdlines);

	read_cmdlines(r);
	recorder_flush(r->recorder);
	recorder_note_sizes(r->recorder);
	if (record_pipe_send(r->pipe, before && r->cmdlines && !strcmp(before, r->cmdlines)
					      ? NULL
					      : r->cmdlines) < 0)
		eventfd_write(recorder_wake_fd(r->recorder), 1);
}

static void on_tick(void *ctx)
{
	struct recording *r = ctx;

	if (r->pipe) {
		send_part(r);
		return;
	}
	r->waited_ms += tick_ms(r);
	if (r->waited_ms >= CHECKPOINT_MS) {
		r->waited_ms = 0;
		checkpoint(r);
	}
	record_tell_progress(r->tell, r->recorder, session_tfs(r->session));
}

static void on_flush(void *ctx)
{
	struct recording *r = ctx;

	if (r->pipe) {
		send_part(r);
		return;
	}
	recorder_flush(r->recorder);
	checkpoint(r);
}

/* Stops the trace, drains the buffers and reads the counters. The first failure is returned. */
static int stop_trace(struct recording *r, struct err *err)
{
	const struct tfs *tfs = session_tfs(r->session);
	int code = tfs_write(tfs, "tracing_on", "0", 0, err);
	int next = recorder_finish(r->recorder, code < 0 ? NULL : err);

	if (code == 0)
		code = next;
	next = recorder_count(r->recorder, tfs, &r->counts, &r->cpustat, code < 0 ? NULL : err);
	if (code == 0)
		code = next;
	read_cmdlines(r);
	return code;
}

static int finish_file(struct recording *r, struct err *err)
{
	const struct dat_tail tail = {.cmdlines = r->cmdlines, .cpustat = &r->cpustat};
	int code;
	int closed;

	if (r->pipe) {
		code = record_pipe_finish(r->pipe, &tail, &r->file_size, err);
		dat_writer_discard(take_ptr(r->writer));
		return code;
	}
	code = dat_writer_finish(r->writer, &tail, &r->file_size, err);
	closed = dat_writer_close(take_ptr(r->writer), code < 0 ? NULL : err);

	return code < 0 ? code : closed;
}

static void say_losses(const struct recording *r, uint64_t events, uint64_t lost)
{
	cleanup(strbuf_fini) struct strbuf each = {0};
	char count[32];
	char all[32];

	for (size_t i = 0; i < r->nr_cpus; i++)
		if (r->counts[i].lost)
			strbuf_addf(&each, "%sCPU %u %s", each.len ? ", " : "", r->counts[i].cpu,
				    format_count(r->counts[i].lost, count, sizeof(count)));
	format_count(events + lost, all, sizeof(all));
	record_say(r->args,
		   "lost %s of %s events (%.1f %%): %s; a larger buffer helps: -b %" PRIu64 "M",
		   format_count(lost, count, sizeof(count)), all,
		   100.0 * (double)lost / (double)(events + lost), strbuf_str(&each),
		   r->config.buffer_kb * 4 / 1024 + 1);
}

/* The one line at the end, and a second one when there is something to regret. True when events
 * were lost. */
static bool say_summary(const struct recording *r)
{
	uint64_t events = 0;
	uint64_t lost = 0;
	char count[32];
	char size[32];

	for (size_t i = 0; r->counts && i < r->nr_cpus; i++) {
		events += r->counts[i].events;
		lost += r->counts[i].lost;
	}
	record_say(r->args, "%s events in %s (%s), %s", format_count(events, count, sizeof(count)),
		   r->path, format_bytes(r->file_size, size, sizeof(size)),
		   lost ? "with losses" : "none lost");
	if (lost)
		say_losses(r, events, lost);
	else if (!events && !r->args->events.nr && !r->config.tracer)
		record_say(r->args,
			   "nothing was asked for: -e EVENT and -p TRACER say what to record");
	return lost > 0;
}

/* After a failure: what there is, all the same. */
static void say_kept(const struct recording *r, struct err *err)
{
	char text[32];

	if (r->kept)
		err_add(err, "; %s holds the %s of events that were recorded before", r->path,
			format_bytes(r->kept, text, sizeof(text)));
	else if (r->file_size)
		err_add(err, "; %s holds no events", r->path);
}

/* The trace is over in any case when this returns: state put back, file closed. */
static int record_and_stop(struct recording *r, struct err *err)
{
	const struct wait_hooks hooks = {
		.tick = on_tick, .tick_ms = tick_ms(r), .flush = on_flush, .ctx = r};
	int code = start_trace(r, err);
	int next;

	r->started = true;
	if (code == 0)
		code = record_tell_ready(r->tell, err);
	if (code == 0) {
		r->end = waiter_wait(&r->waiter, &r->work, r->args->duration,
				     recorder_wake_fd(r->recorder), &hooks, &r->status);
		record_tell_clear(r->tell);
		code = workload_check(&r->work, &r->args->fail_status, err);
	}
	next = stop_trace(r, code < 0 ? NULL : err);
	if (code == 0)
		code = next;
	next = session_undo(r->session, code < 0 ? NULL : err);
	if (code == 0)
		code = next;
	r->kept = dat_writer_bytes(r->writer);
	next = finish_file(r, code < 0 ? NULL : err);
	session_end(take_ptr(r->session), NULL);
	if (code < 0)
		say_kept(r, err);
	return code < 0 ? code : next;
}

/* The command that is left when the time is over, or after the second signal, is told to end. */
static void end_command(struct recording *r)
{
	if (r->work.pid <= 0)
		return;
	kill(r->work.pid, SIGTERM);
	while (!workload_reap(&r->work, &r->status)) {
		struct timespec pause = {0, 5000000};

		if (r->end == END_SIGNAL || waiter_is_told(&r->waiter)) {
			r->status = STATUS_SIGNAL + SIGTERM;
			return;
		}
		nanosleep(&pause, NULL);
	}
}

static int record(struct recording *r, struct err *err)
{
	const char *why = NULL;
	bool lost;
	int code = prepare(r, &why, err);

	if (code < 0)
		return code;
	if (r->args->dry_run)
		return dry_run(r, err);
	if (r->args->verbose)
		record_say(r->args, "recording in %s", why);
	code = record_pipe_open(r->args, &r->pipe, err);
	if (code < 0)
		return code;
	if (r->pipe)
		r->path = record_pipe_name(r->pipe);
	r->tell = record_tell_new(r->args, err);
	code = r->tell ? start_parts(r, err) : -err->code;
	if (code == 0)
		code = apply_steps(r, err);
	if (code == 0)
		code = create_file(r, err);
	if (code == 0 && waiter_is_told(&r->waiter))
		code = err_set(err, EINTR, "stopped by a signal before the recording began");
	if (code < 0)
		return code;
	say_notes(r);
	code = record_and_stop(r, err);
	if (code < 0)
		return code;
	end_command(r);
	lost = say_summary(r);
	if (lost && r->args->fail_on_lost)
		return STATUS_LOST;
	return r->status < 0 ? 0 : r->status;
}

static void say_repairs(struct recording *r)
{
	cleanup_free char *dir = rundir_open();
	struct err err = {0};

	if (rundir_repair(dir, &record_orphans, &r->notes, &err) < 0)
		record_say(r->args, "a recording that was killed has left changes: %s", err.text);
	say_notes(r);
}

static void recording_fini(struct recording *r)
{
	recorder_free(r->recorder);
	if (r->writer && !r->started)
		dat_writer_discard(take_ptr(r->writer));
	dat_writer_freep(&r->writer);
	record_pipe_free(r->pipe);
	session_endp(&r->session);
	workload_fini(&r->work);
	record_tell_free(r->tell);
	waiter_fini(&r->waiter);
	trace_config_fini(&r->config);
	strv_fini(&r->notes);
	strv_fini(&r->cpustat);
	free(r->counts);
	free(r->cmdlines);
	free(r->cpus);
	tfs_free(r->top);
}

int record_run(struct record_args *args, const char *program, struct err *err)
{
	struct recording r = {
		.args = args,
		.program = program,
		.path = args->output ? args->output : "trace.dat",
		.work = {.door = -1},
		.status = -1,
	};
	int code;

	if (!args->dry_run)
		say_repairs(&r);
	code = record(&r, err);
	recording_fini(&r);
	return code;
}

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

#include "cmd/record_buffers.h"
#include "cmd/record_pipe.h"
#include "cmd/record_summary.h"
#include "cmd/record_tell.h"
#include "dat/facts.h"
#include "dat/recover.h"
#include "dat/write_stream.h"
#include "record/facts.h"
#include "record/metadata.h"
#include "record/targets.h"
#include "record/wait.h"
#include "record/workload.h"
#include "session/rundir.h"
#include "session/session.h"
#include "util/mem.h"

enum { STATUS_LOST = 3, STATUS_FT_FAILED = 125 };

#define CHECKPOINT_MS 1000
/* Between two parts of a stream, and of one that somebody reads now. */
#define SEND_MS 250
#define LIVE_MS 25
/* How often it is looked whether a recording has reached its limit. */
#define LIMIT_MS 50

/* All that a recording holds; each part frees itself in record_fini(). */
struct recording {
	struct record_args *args;
	const char *program;
	const char *path; /* NULL: --live without a file */
	struct tfs *top;
	struct record_buffers buffers;
	struct targets targets;
	struct workload_user user;
	struct strv notes;
	struct record_pipe *pipe; /* NULL: into a file only */
	struct record_tell *tell;
	struct waiter waiter;
	struct workload work;
	struct session *session;
	struct dat_writer *writer;
	struct strv cpustat;
	char *cmdlines;
	struct strbuf facts; /* of the end */
	uint64_t file_size;
	uint64_t kept;		/* bytes of events in the file */
	uint64_t sent;		/* bytes of events when they were last sent */
	unsigned int waited_ms; /* since the last checkpoint */
	unsigned int untold_ms; /* since the last line of progress */
	bool is_dumped;		/* a ring has been read since the last tick */
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

static int dry_run(struct recording *r, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strv_fini) struct strv pids = {0};
	const struct strv nobody = {0};
	int code;

	if (r->program && !r->args->all)
		strv_add(&pids, "$$");
	targets_threads(&r->targets, &pids);
	record_buffers_pids(&r->buffers, &pids, &nobody);
	code = record_buffers_print(&r->buffers, r->top, &text, err);
	if (code < 0)
		return code;
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
	int code = 0;

	if (r->args->user)
		code = workload_user_find(r->args->user, &r->user, err);
	if (code == 0 && r->args->pids.nr)
		code = targets_open(&r->args->pids, &r->targets, err);
	if (code < 0)
		return code;
	r->top = tfs_open(r->args->tracefs, err);
	if (!r->top)
		return -err->code;
	return record_buffers_build(r->args, r->top, &r->buffers, why, &r->notes, err);
}

static void tell_pids(struct recording *r)
{
	cleanup(strv_fini) struct strv pids = {0};
	cleanup(strv_fini) struct strv own = {0};

	if (r->program && !r->args->all)
		add_pid(&pids, r->work.pid);
	targets_threads(&r->targets, &pids);
	add_pid(&own, getpid());
	add_pid(&own, session_guardian(r->session));
	if (r->pipe)
		record_pipe_tids(r->pipe, &own);
	record_buffers_pids(&r->buffers, &pids, &own);
}

/* Processes and threads, all of them still waiting: their ids go into the steps. */
static int start_parts(struct recording *r, struct err *err)
{
	cleanup(strv_fini) struct strv places = {0};
	int code = waiter_init(&r->waiter, err);

	if (code < 0)
		return code;
	/* Before any descriptor that the command must not inherit even for a moment: the kernel
	 * takes the closing of its copy for the end of the reader. */
	if (r->program) {
		code = workload_start(&r->work, r->program, &r->args->common.words,
				      r->args->user ? &r->user : NULL, &r->waiter.before, err);
		if (code < 0)
			return code;
	}
	record_buffers_places(&r->buffers, &places);
	r->session = session_begin(r->top, &places, &record_orphans, err);
	if (!r->session)
		return -err->code;
	code = record_buffers_recorders(&r->buffers, r->args, err);
	if (code == 0 && r->pipe)
		code = record_pipe_start(r->pipe, recorder_wake_fd(r->buffers.buffer[0].recorder),
					 err);
	if (code == 0)
		tell_pids(r);
	return code;
}

/* Children and threads that came while the list of the processes was written are added to it; from
 * then on the kernel itself adds them. */
static int add_late_targets(struct recording *r, struct err *err)
{
	cleanup(strv_fini) struct strv now = {0};

	targets_threads(&r->targets, &now);
	return record_buffers_add_pids(&r->buffers, &now, err);
}

/* The kernel's state, up to but without the start. */
static int apply_steps(struct recording *r, struct err *err)
{
	int code = record_buffers_apply(&r->buffers, r->top, r->session, err);

	if (code == 0 && r->targets.nr)
		code = add_late_targets(r, err);
	return code;
}

/* The file as long as it has no name of its own. */
static int begin_part(struct recording *r, const char *path, const struct record_contents *contents,
		      struct err *err)
{
	cleanup_free char *part = dat_writer_part(path);
	int code = session_note_file(r->session, part, "", err);

	if (code < 0)
		return code;
	r->writer = dat_writer_begin(path, &contents->meta, contents->spec, contents->nr, err);
	return r->writer ? 0 : -err->code;
}

static int begin_file(struct recording *r, const char *path, const struct record_contents *contents,
		      struct err *err)
{
	cleanup_free char *where = NULL;
	int code = begin_part(r, path, contents, err);

	if (code < 0)
		return code;
	where = dat_writer_where(r->writer);
	code = session_note_file(r->session, path, where, err);
	return code < 0 ? code : dat_writer_publish(r->writer, err);
}

static int begin_spool(struct recording *r, const struct record_contents *contents, struct err *err)
{
	cleanup_free char *path = record_pipe_spool();
	cleanup_free char *part = dat_writer_part(path);
	int code = begin_part(r, path, contents, err);

	/* It goes when its last descriptor is closed, whatever happens. */
	if (code == 0)
		unlink(part);
	return code;
}

static bool has_file(const struct recording *r)
{
	return !r->pipe || record_pipe_has_file(r->pipe);
}

static int begin_pipe(struct recording *r, struct record_contents *contents, struct err *err)
{
	cleanup_free char *version = take_ptr(contents->meta.version);

	contents->meta.version = xasprintf("%s" DAT_STREAM_SUFFIX, version);
	contents->meta.file_version = 7;
	return record_pipe_begin(r->pipe, &contents->meta, contents->spec, contents->nr, r->writer,
				 err);
}

static int create_file(struct recording *r, struct err *err)
{
	cleanup(record_contents_fini) struct record_contents contents = {0};
	int code = record_buffers_describe(&r->buffers, r->top, r->args, &contents, &r->notes, err);

	if (code < 0)
		return code;
	code = has_file(r) ? begin_file(r, r->path, &contents, err)
			   : begin_spool(r, &contents, err);
	return code == 0 && r->pipe ? begin_pipe(r, &contents, err) : code;
}

static int start_trace(struct recording *r, struct err *err)
{
	cleanup(strv_fini) struct strv switches = {0};
	int code = record_buffers_begin(&r->buffers, r->writer, err);

	if (code == 0)
		code = record_buffers_arm(&r->buffers, r->session, err);
	if (code < 0)
		return code;
	/* The session has noted what tracing_on was when it turned it off. */
	if (r->program) {
		record_buffers_switches(&r->buffers, &switches);
		return workload_release(&r->work, &switches, err);
	}
	for (size_t i = 0; code == 0 && i < r->buffers.nr; i++)
		code = tfs_write(r->buffers.buffer[i].tfs, "tracing_on", "1", 0, err);
	return code;
}

static unsigned int tick_ms(const struct recording *r)
{
	unsigned int ms = record_tell_interval(r->tell);

	if (r->pipe)
		return r->args->live ? LIVE_MS : SEND_MS;
	if (r->args->max_size || r->args->until || r->targets.nr)
		return LIMIT_MS;
	return ms ? ms : CHECKPOINT_MS;
}

/* What has reached the file can be found in it from now on. */
static void checkpoint(struct recording *r)
{
	record_buffers_note_sizes(&r->buffers);
	dat_writer_checkpoint(r->writer, NULL);
}

static void read_cmdlines(struct recording *r)
{
	/* Instances share the one list of the top level. */
	const struct tfs *own = r->buffers.buffer[0].tfs;
	const struct tfs *tfs = tfs_has(own, "saved_cmdlines") ? own : r->top;

	free(take_ptr(r->cmdlines));
	tfs_read(tfs, "saved_cmdlines", &r->cmdlines, NULL);
}

/* Everything up to now goes into one part: so a reader can put the events of all CPUs in order. */
static void send_part(struct recording *r)
{
	cleanup_free char *before = NULL;
	uint64_t bytes;
	bool is_same = true;

	record_buffers_flush(&r->buffers);
	record_buffers_note_sizes(&r->buffers);
	bytes = record_buffers_bytes(&r->buffers);
	/* Nobody needs names without events. */
	if (bytes != r->sent || !r->cmdlines) {
		before = take_ptr(r->cmdlines);
		read_cmdlines(r);
		is_same = before && r->cmdlines && !strcmp(before, r->cmdlines);
	}
	r->sent = bytes;
	record_pipe_send(r->pipe, is_same ? NULL : r->cmdlines);
}

static bool is_at_limit(const struct recording *r)
{
	if (r->args->max_size && record_buffers_bytes(&r->buffers) >= r->args->max_size)
		return true;
	return r->args->until && record_buffers_are_off(&r->buffers);
}

static bool on_tick(void *ctx)
{
	struct recording *r = ctx;
	unsigned int progress_ms = record_tell_interval(r->tell);

	/* A ring is read when that is asked for, and once more: what comes then tells the reader that
	 * nothing is missing before it. */
	if (r->pipe && (!r->args->ring || (r->is_dumped && record_pipe_is_taken(r->pipe)))) {
		send_part(r);
		r->is_dumped = false;
	}
	if (!has_file(r))
		return is_at_limit(r);
	r->waited_ms += tick_ms(r);
	r->untold_ms += tick_ms(r);
	if (r->waited_ms >= CHECKPOINT_MS) {
		r->waited_ms = 0;
		checkpoint(r);
	}
	if (progress_ms && r->untold_ms >= progress_ms) {
		r->untold_ms = 0;
		record_tell_progress(r->tell, &r->buffers);
	}
	return is_at_limit(r);
}

static void on_flush(void *ctx)
{
	struct recording *r = ctx;

	if (r->pipe)
		send_part(r);
	r->is_dumped = true;
	if (!has_file(r))
		return;
	record_buffers_flush(&r->buffers);
	checkpoint(r);
}

static bool on_ended(void *ctx)
{
	struct recording *r = ctx;

	return targets_have_ended(&r->targets);
}

static void read_facts(struct recording *r)
{
	cleanup_free char *clock = metadata_clock(r->buffers.buffer[0].tfs, NULL);

	facts_add_end(r->top, clock ? clock : "", &r->facts);
}

/* Stops the trace, drains the buffers and reads the counters. The first failure is returned. */
static int stop_trace(struct recording *r, struct err *err)
{
	int code = record_buffers_stop(&r->buffers, &r->cpustat, err);

	read_cmdlines(r);
	read_facts(r);
	return code;
}

static int finish_file(struct recording *r, struct err *err)
{
	const struct dat_meta_option facts = {DAT_FACTS, strbuf_str(&r->facts), r->facts.len};
	const struct dat_tail tail = {
		.cmdlines = r->cmdlines,
		.cpustat = &r->cpustat,
		.text = r->buffers.buffer[0].text,
		.option = &facts,
		.nr_options = 1,
	};
	int code = 0;
	int next;

	/* Before the file is closed up: it sends from there. */
	if (r->pipe)
		code = record_pipe_finish(r->pipe, &tail, &r->waiter, &r->file_size, err);
	if (!has_file(r)) {
		dat_writer_discard(take_ptr(r->writer));
		return code;
	}
	next = dat_writer_finish(r->writer, &tail, &r->file_size, code < 0 ? NULL : err);
	if (code == 0)
		code = next;
	next = dat_writer_close(take_ptr(r->writer), code < 0 ? NULL : err);
	return code < 0 ? code : next;
}

/* After a failure: what there is, all the same. */
static void say_kept(const struct recording *r, struct err *err)
{
	char text[32];

	if (!r->path)
		return;
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
		.tick = on_tick,
		.tick_ms = tick_ms(r),
		.flush = on_flush,
		.dump = on_flush,
		.watch = r->targets.nr ? r->targets.watch : -1,
		.ended = r->targets.nr ? on_ended : NULL,
		.ctx = r,
	};
	int code = start_trace(r, err);
	int next;

	r->started = true;
	if (code == 0)
		code = record_tell_ready(r->tell, err);
	if (code == 0) {
		r->end = waiter_wait(&r->waiter, &r->work, r->args->duration, r->buffers.wake,
				     &hooks, &r->status);
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
	if (code == 0)
		code = next;
	/* A recording that broke off is told apart from one that never began. */
	if (code < 0 && !r->args->fail_status)
		r->args->fail_status = STATUS_FT_FAILED;
	return code;
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

static int open_pipe(struct recording *r, struct err *err)
{
	int code = record_pipe_open(r->args, &r->pipe, err);

	if (code == 0 && r->pipe && is_latency_tracer(r->args->main.tracer))
		return err_set(err, EINVAL, "-p %s needs a file: its text comes at the end",
			       r->args->main.tracer);
	return code;
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
	if (r->args->verbose && why)
		record_say(r->args, "recording in %s", why);
	code = open_pipe(r, err);
	if (code < 0)
		return code;
	if (!has_file(r))
		r->path = r->args->live ? NULL : record_pipe_name(r->pipe);
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
	lost = record_summary(r->args, &r->buffers, r->path, r->file_size);
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
	record_pipe_free(r->pipe);
	if (r->writer && !r->started)
		dat_writer_discard(take_ptr(r->writer));
	dat_writer_freep(&r->writer);
	session_endp(&r->session);
	workload_fini(&r->work);
	record_tell_free(r->tell);
	waiter_fini(&r->waiter);
	record_buffers_fini(&r->buffers);
	targets_fini(&r->targets);
	workload_user_fini(&r->user);
	strv_fini(&r->notes);
	strv_fini(&r->cpustat);
	free(r->cmdlines);
	strbuf_fini(&r->facts);
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

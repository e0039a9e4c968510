/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft record --from-kernel: what is in the kernel's buffers already goes into a file. */
#include "cmd/record_save.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record_pipe.h"
#include "dat/facts.h"
#include "dat/memory.h"
#include "dat/write_stream.h"
#include "record/facts.h"
#include "record/metadata.h"
#include "record/saved.h"
#include "session/rundir.h"
#include "util/mem.h"

enum { STATUS_LOST = 3, STATUS_FT_FAILED = 125 };

/* One of the kernel's buffers. */
struct place {
	const char *name; /* in the file; "" for the top level */
	struct tfs *tfs;
	struct saved_from from;
	struct saved_cpu *cpu;
	char *clock;
	int lock;
};

struct saving {
	struct record_args *args;
	const char *path;
	struct tfs *top;
	struct place *place;
	size_t nr;
	unsigned int *cpus;
	size_t nr_cpus;
	struct dat_meta meta;
	struct strv notes;
	struct strv cpustat;
	struct waiter waiter;
	struct record_pipe *pipe; /* NULL: into a file */
	struct dat_writer *writer;
	struct compressor *compressor;
	char *cmdlines;
	struct strbuf begin; /* lines of dat/facts.h */
	struct strbuf end;
	struct dat_meta_option option; /* that holds ->begin */
	uint64_t file_size;
};

static void saving_fini(struct saving *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		saved_free(s->place[i].cpu, s->nr_cpus);
		free(s->place[i].clock);
		tfs_free(s->place[i].tfs);
		if (s->place[i].lock >= 0)
			close(s->place[i].lock);
	}
	free(s->place);
	free(s->cpus);
	record_pipe_free(s->pipe);
	dat_writer_freep(&s->writer);
	compressor_free(s->compressor);
	dat_meta_fini(&s->meta);
	waiter_fini(&s->waiter);
	strv_fini(&s->notes);
	strv_fini(&s->cpustat);
	free(s->cmdlines);
	strbuf_fini(&s->begin);
	strbuf_fini(&s->end);
	tfs_free(s->top);
}

static uint64_t count(const struct saving *s, size_t field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		for (size_t c = 0; c < s->nr_cpus; c++) {
			uint64_t value;

			memcpy(&value, (const char *)&s->place[i].cpu[c] + field, sizeof(value));
			sum = add_ok(sum, value, &sum) ? sum : UINT64_MAX;
		}
	return sum;
}

#define COUNT(s, member) count(s, offsetof(struct saved_cpu, member))

static const char *what_of(const struct saving *s)
{
	return s->args->snapshot ? "snapshot" : "buffer";
}

/* Another recording reads what it holds itself. */
static int take_lock(struct place *place, struct err *err)
{
	cleanup_free char *dir = rundir_open();

	place->lock = *place->name ? rundir_lock_instance(dir, place->name, err)
				   : rundir_lock_top(dir, err);
	return place->lock < -1 ? place->lock : 0;
}

/* The kernel's text of a snapshot begins with what there is none. */
static int check_snapshot(const struct place *place, struct err *err)
{
	cleanup_close int fd = -1;
	char text[256];
	ssize_t n;

	if (!tfs_has(place->tfs, "snapshot"))
		return err_set(err, EOPNOTSUPP,
			       "--snapshot: this kernel was built without CONFIG_TRACER_SNAPSHOT");
	fd = tfs_open_file(place->tfs, "snapshot", O_RDONLY, err);
	if (fd < 0)
		return fd;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return err_sys(err, errno, "cannot read %s/snapshot", tfs_dir(place->tfs));
	text[n] = '\0';
	if (!strstr(text, "Snapshot is freed"))
		return 0;
	return err_set(err, ENODATA,
		       "no snapshot has been taken, nothing was written: 'echo 1 > %s/snapshot' "
		       "takes one, and so does the trigger snapshot",
		       tfs_dir(place->tfs));
}

static int open_place(struct saving *s, const char *instance, struct err *err)
{
	struct place *place = &s->place[s->nr];
	int r;

	*place = (struct place){.name = instance ? instance : "", .lock = -1};
	place->tfs = instance ? tfs_open_instance(s->top, instance, err)
			      : tfs_open(s->args->tracefs, err);
	s->nr++;
	if (!place->tfs)
		return -err->code;
	place->from = (struct saved_from){.tfs = place->tfs,
					  .is_snapshot = s->args->snapshot,
					  .page_size = metadata_subbuf_size(place->tfs)};
	place->clock = metadata_clock(place->tfs, err);
	if (!place->clock)
		return -err->code;
	r = s->args->snapshot ? check_snapshot(place, err) : 0;
	if (r == 0)
		r = take_lock(place, err);
	return r < 0 ? r : saved_look(&place->from, s->cpus, s->nr_cpus, &place->cpu, err);
}

static int open_places(struct saving *s, struct err *err)
{
	const struct buffer_args *more = s->args->more.item;
	int r;

	s->top = tfs_open(s->args->tracefs, err);
	if (!s->top)
		return -err->code;
	r = tfs_cpus(s->top, &s->cpus, &s->nr_cpus, err);
	s->place = xcalloc(s->args->more.nr + 1, sizeof(*s->place));
	if (r == 0 && !s->args->more.nr)
		r = open_place(s, NULL, err);
	for (size_t i = 0; r == 0 && i < s->args->more.nr; i++)
		r = open_place(s, more[i].instance, err);
	return r;
}

static int say_empty(const struct saving *s, struct err *err)
{
	if (s->nr > 1)
		return err_set(err, ENODATA,
			       "the %ss of all these instances are empty: nothing was "
			       "written",
			       what_of(s));
	return err_set(err, ENODATA, "the %s of %s%s is empty: nothing was written", what_of(s),
		       *s->place[0].name ? "instance " : "the kernel", s->place[0].name);
}

/* Where the newest events replace the oldest, as is usual, none of those is lost. */
static bool are_rings(const struct saving *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		long on = 0;

		if (tfs_read_number(s->place[i].tfs, "options/overwrite", &on, NULL) < 0 || !on)
			return false;
	}
	return true;
}

/* The texts and formats. Which events are in the buffer nobody knows, so it is those of all. */
static int gather(struct saving *s, struct err *err)
{
	cleanup(strv_fini) struct strv systems = {0};
	int r = tfs_systems(s->top, &systems, err);

	if (r == 0)
		r = metadata_gather(s->top, s->top, &systems, s->cpus[s->nr_cpus - 1] + 1, &s->meta,
				    &s->notes, err);
	if (r < 0)
		return r;
	free(take_ptr(s->meta.trace_clock));
	s->meta.page_size = s->place[0].from.page_size;
	s->meta.compress = s->args->compress_kind;
	s->meta.level = s->args->compress_level;
	s->meta.file_version = (unsigned int)s->args->file_version;
	if (s->meta.file_version == 6)
		s->meta.cmdlines_most = metadata_names_most(s->top);
	if (s->meta.compress != COMPRESS_NONE)
		s->compressor = compressor_new(s->meta.compress, s->meta.level);
	if (are_rings(s))
		strbuf_add(&s->begin, DAT_FACT_RING "\n");
	facts_add_begin(s->place[0].clock, &s->begin);
	s->option = (struct dat_meta_option){DAT_FACTS, strbuf_str(&s->begin), s->begin.len};
	s->meta.option = &s->option;
	s->meta.nr_options = 1;
	tfs_read(s->top, "saved_cmdlines", &s->cmdlines, NULL);
	return tfs_read(s->place[0].tfs, "trace_clock", &s->meta.trace_clock, err);
}

/* Where events begin in a sub-buffer tells the kernel's header_page. */
static int find_page_data(struct saving *s, const struct dat_buffer_spec *spec, struct err *err)
{
	struct dat_reader *reader = dat_reader_new_memory("the kernel", &s->meta, spec, err);

	for (size_t i = 0; reader && i < s->nr; i++)
		s->place[i].from.page_data = reader->page_data;
	dat_reader_close(reader);
	return reader ? 0 : -err->code;
}

/* The file holds the top buffer first, if only an empty one. */
static size_t first_in_file(const struct saving *s)
{
	return *s->place[0].name ? 1 : 0;
}

static struct dat_buffer_spec *describe(const struct saving *s)
{
	size_t first = first_in_file(s);
	struct dat_buffer_spec *spec = xcalloc(s->nr + first, sizeof(*spec));

	for (size_t i = 0; i < s->nr; i++)
		spec[first + i] = (struct dat_buffer_spec){
			.name = s->place[i].name,
			.clock = s->place[i].clock,
			.page_size = s->place[i].from.page_size,
			.cpu = s->cpus,
			.nr_cpus = s->nr_cpus,
		};
	if (first)
		spec[0] = (struct dat_buffer_spec){
			.name = "", .clock = spec[1].clock, .page_size = spec[1].page_size};
	return spec;
}

static int begin_pipe(struct saving *s, const struct dat_buffer_spec *spec, size_t nr,
		      struct err *err)
{
	cleanup_free char *path = record_pipe_spool();
	cleanup_free char *version = NULL;
	cleanup_free char *part = dat_writer_part(path);

	s->writer = dat_writer_begin(path, &s->meta, spec, nr, err);
	if (!s->writer)
		return -err->code;
	unlink(part);
	version = take_ptr(s->meta.version);
	s->meta.version = xasprintf("%s" DAT_STREAM_SUFFIX, version);
	return record_pipe_begin(s->pipe, &s->meta, spec, nr, s->writer, err);
}

static int begin(struct saving *s, struct err *err)
{
	cleanup_free struct dat_buffer_spec *spec = describe(s);
	size_t first = first_in_file(s);
	int r = find_page_data(s, &spec[first], err);

	if (r < 0)
		return r;
	if (s->pipe)
		return begin_pipe(s, spec, first + s->nr, err);
	s->writer = dat_writer_create(s->path, &s->meta, spec, first + s->nr, err);
	return s->writer ? 0 : -err->code;
}

static int copy_all(struct saving *s, struct err *err)
{
	size_t first = first_in_file(s);
	int r = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct place *place = &s->place[i];

		for (size_t c = 0; r == 0 && c < s->nr_cpus; c++) {
			struct saved_cpu *cpu = &place->cpu[c];

			r = saved_copy(&place->from, cpu, s->writer, first + i, c, s->compressor,
				       &s->waiter, err);
			if (cpu->stats)
				strv_add_take(&s->cpustat, xasprintf("%s%sCPU: %u\n%s", place->name,
								     *place->name ? ", " : "",
								     cpu->cpu, cpu->stats));
		}
	}
	return r;
}

static int finish(struct saving *s, struct err *err)
{
	struct dat_meta_option facts = {.id = DAT_FACTS};
	const struct dat_tail tail = {
		.cmdlines = s->cmdlines,
		.cpustat = &s->cpustat,
		.option = &facts,
		.nr_options = 1,
	};
	int r;
	int closed;

	facts_add_end(s->top, s->place[0].clock, &s->end);
	facts.data = strbuf_str(&s->end);
	facts.len = s->end.len;
	if (s->pipe) {
		r = record_pipe_finish(s->pipe, &tail, &s->waiter, &s->file_size, err);
		dat_writer_discard(take_ptr(s->writer));
		return r;
	}
	r = dat_writer_finish(s->writer, &tail, &s->file_size, err);
	closed = dat_writer_close(take_ptr(s->writer), r < 0 ? NULL : err);
	return r < 0 ? r : closed;
}

static bool is_consumed(const struct saving *s)
{
	for (size_t i = 0; i < s->nr; i++)
		for (size_t c = 0; c < s->nr_cpus; c++)
			if (s->place[i].cpu[c].is_consumed)
				return true;
	return false;
}

static void say_notes(struct saving *s)
{
	if (is_consumed(s))
		strv_add_take(&s->notes,
			      xasprintf("the events are in the %s no more: this kernel gives them "
					"away only by taking them out",
					what_of(s)));
	for (size_t i = 0; i < s->notes.nr; i++)
		record_say(s->args, "%s", s->notes.item[i]);
}

static int summarize(const struct saving *s)
{
	uint64_t lost = COUNT(s, lost);
	uint64_t older = COUNT(s, overwritten);
	char events[32];
	char size[32];
	char text[32];

	record_say(s->args, "%s events in %s (%s), %s%s%s%s",
		   format_count(COUNT(s, events), events, sizeof(events)), s->path,
		   format_bytes(s->file_size, size, sizeof(size)),
		   lost ? "with losses" : "none lost", older ? "; " : "",
		   older ? format_count(older, text, sizeof(text)) : "",
		   older ? " older ones overwritten" : "");
	if (lost)
		record_say(s->args, "the kernel lost %s events when it recorded them",
			   format_count(lost, text, sizeof(text)));
	return lost && s->args->fail_on_lost ? STATUS_LOST : 0;
}

static int save(struct saving *s, struct err *err)
{
	int r = open_places(s, err);
	int finished;

	if (r == 0 && !COUNT(s, entries))
		r = say_empty(s, err);
	if (r == 0)
		r = record_pipe_open(s->args, &s->pipe, err);
	if (r == 0)
		r = waiter_init(&s->waiter, err);
	if (r == 0 && s->pipe)
		r = record_pipe_start(s->pipe, -1, err);
	if (r == 0)
		r = gather(s, err);
	if (r == 0 && waiter_is_told(&s->waiter))
		r = err_set(err, EINTR, "stopped by a signal before anything was saved");
	if (r < 0)
		return r;
	if (s->pipe)
		s->path = record_pipe_name(s->pipe);
	r = begin(s, err);
	if (r < 0)
		return r;
	r = copy_all(s, err);
	if (!COUNT(s, events)) {
		dat_writer_discard(take_ptr(s->writer));
		return r < 0 ? r : say_empty(s, err);
	}
	finished = finish(s, r < 0 ? NULL : err);
	say_notes(s);
	if (r < 0) {
		s->args->fail_status = STATUS_FT_FAILED;
		err_add(err, "; %s holds the %" PRIu64 " events that were saved before", s->path,
			COUNT(s, events));
		return r;
	}
	return finished < 0 ? finished : summarize(s);
}

int record_save(struct record_args *args, struct err *err)
{
	struct saving s = {
		.args = args,
		.path = args->output ? args->output : "trace.dat",
		.waiter = {.signals = -1, .timer = -1, .tick = -1},
	};
	int r = save(&s, err);

	saving_fini(&s);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of one buffer together. */
#include "record/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "record/metadata.h"
#include "record/packer.h"
#include "record/stream.h"
#include "util/mem.h"

#define FLUSH_PAUSE_MS 2
#define FLUSH_TRIES 5000

/* Of a stream: the kernel's file, both ends of the pipe, and what wakes it. */
#define STREAM_FILES 4
/* For all else that ft has open at one time. */
#define OTHER_FILES 32

struct recorder {
	int wake;
	struct stream **stream;
	size_t nr;
	struct packer *packer; /* NULL: the file is not compressed */
	struct dat_writer *writer;
	size_t buffer;
	bool ring;
};

/* What is open already, by whoever started ft, too. */
static size_t count_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

int recorder_reserve(size_t buffers, size_t cpus, struct err *err)
{
	size_t need = buffers * (cpus * STREAM_FILES + 1) + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err_sys(err, errno, "cannot read the limit of open files");
	need += count_open_files();
	if (limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max < need)
		return err_set(
			err, EMFILE,
			"%zu buffers of %zu CPUs take %zu open files, and no more than %ju are "
			"allowed (raise the hard limit, see ulimit -Hn, or record fewer buffers)",
			buffers, cpus, need, (uintmax_t)limit.rlim_max);
	limit.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err_sys(err, errno, "cannot raise the limit of open files to %zu", need);
	return 0;
}

struct recorder *recorder_new(const unsigned int *cpus, size_t nr, bool ring,
			      enum compress_kind compress, int level, struct err *err)
{
	cleanup(recorder_freep) struct recorder *rec = xzalloc(sizeof(*rec));

	rec->ring = ring;
	rec->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->wake < 0) {
		err_sys(err, errno, "cannot make an eventfd");
		return NULL;
	}
	rec->stream = xcalloc(nr, sizeof(struct stream *));
	for (size_t i = 0; i < nr; i++) {
		rec->stream[i] = stream_new(cpus[i], rec->wake, err);
		if (!rec->stream[i])
			return NULL;
		rec->nr++;
	}
	if (compress != COMPRESS_NONE) {
		rec->packer = packer_new(compress, level, nr, rec->wake, err);
		if (!rec->packer)
			return NULL;
	}
	return take_ptr(rec);
}

void recorder_tids(const struct recorder *rec, struct strv *out)
{
	for (size_t i = 0; i < rec->nr; i++)
		strv_add_take(out, xasprintf("%d", (int)stream_tid(rec->stream[i])));
	if (rec->packer)
		packer_tids(rec->packer, out);
}

int recorder_wake_fd(const struct recorder *rec)
{
	return rec->wake;
}

/* What one CPU's buffer can hold, in bytes of sub-buffers: each has a header, which the kernel's size
 * leaves out, and one more is outside of the ring. */
static uint64_t buffer_room(const struct tfs *tfs, unsigned int cpu, size_t subbuf)
{
	cleanup_free char *file = xasprintf("per_cpu/cpu%u/buffer_size_kb", cpu);
	long kb;

	if (tfs_read_number(tfs, file, &kb, NULL) < 0 || kb <= 0)
		return UINT64_MAX / 2;
	return (uint64_t)kb * 1024 + (uint64_t)kb * 1024 / 64 + 4 * subbuf;
}

int recorder_begin(struct recorder *rec, const struct tfs *tfs, struct dat_writer *writer,
		   size_t buffer, struct err *err)
{
	size_t subbuf = metadata_subbuf_size(tfs);

	rec->writer = writer;
	rec->buffer = buffer;
	if (rec->packer)
		packer_begin(rec->packer, writer, buffer);
	for (size_t i = 0; i < rec->nr; i++) {
		cleanup_free char *file =
			xasprintf("per_cpu/cpu%u/trace_pipe_raw", stream_cpu(rec->stream[i]));
		const struct stream_target target = {
			.fd = dat_writer_fd(writer),
			.offset = dat_writer_region(writer, buffer, i),
			.packer = rec->packer,
			.lane = i,
			.room = buffer_room(tfs, stream_cpu(rec->stream[i]), subbuf),
			.waits = rec->ring,
		};
		int raw = tfs_open_file(tfs, file, O_RDONLY | O_NONBLOCK, err);

		if (raw < 0)
			return raw;
		stream_begin(rec->stream[i], raw, subbuf, &target);
	}
	return 0;
}

void recorder_note_sizes(const struct recorder *rec)
{
	/* The packer knows better. */
	for (size_t i = 0; !rec->packer && i < rec->nr; i++)
		dat_writer_set_size(rec->writer, rec->buffer, i, stream_bytes(rec->stream[i]));
}

static bool all_flushed(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->nr; i++)
		if (!stream_is_flushed(rec->stream[i]))
			return false;
	return true;
}

void recorder_flush(const struct recorder *rec)
{
	const struct timespec pause = {0, FLUSH_PAUSE_MS * 1000000L};

	for (size_t i = 0; i < rec->nr; i++)
		stream_flush(rec->stream[i]);
	for (int i = 0; i < FLUSH_TRIES && !all_flushed(rec); i++)
		nanosleep(&pause, NULL);
	if (rec->packer)
		packer_flush(rec->packer);
}

static int finish_packer(struct recorder *rec, struct err *err)
{
	for (size_t i = 0; i < rec->nr; i++)
		stream_wait(rec->stream[i]);
	packer_flush(rec->packer);
	return packer_error(rec->packer, err);
}

int recorder_finish(struct recorder *rec, struct err *err)
{
	int first = 0;

	for (size_t i = 0; i < rec->nr; i++)
		stream_finish(rec->stream[i]);
	/* Only its error has a text when both have one. */
	if (rec->packer)
		first = finish_packer(rec, err);
	for (size_t i = 0; i < rec->nr; i++) {
		int r = stream_join(rec->stream[i], first ? NULL : err);

		if (r < 0 && first == 0)
			first = r;
	}
	recorder_note_sizes(rec);
	return first;
}

static uint64_t lost_of(const struct recorder *rec, const struct tfs_cpu_stats *stats)
{
	return (rec->ring ? 0 : stats->overrun) + stats->commit_overrun + stats->dropped_events;
}

int recorder_totals(const struct recorder *rec, const struct tfs *tfs, struct recorder_totals *out)
{
	*out = (struct recorder_totals){0};
	for (size_t i = 0; i < rec->nr; i++) {
		struct tfs_cpu_stats stats;
		int r = tfs_cpu_stats(tfs, stream_cpu(rec->stream[i]), &stats, NULL);

		if (r < 0)
			return r;
		out->events += stats.entries + stats.read_events;
		out->lost += lost_of(rec, &stats);
		out->overwritten += rec->ring ? stats.overrun : 0;
	}
	return 0;
}

int recorder_count(const struct recorder *rec, const struct tfs *tfs, struct cpu_count **counts,
		   struct strv *cpustat, struct err *err)
{
	cleanup_free struct cpu_count *count = xcalloc(rec->nr, sizeof(*count));

	for (size_t i = 0; i < rec->nr; i++) {
		unsigned int cpu = stream_cpu(rec->stream[i]);
		cleanup_free char *text = NULL;
		struct tfs_cpu_stats stats;
		int r = tfs_cpu_stats(tfs, cpu, &stats, err);

		if (r == 0)
			r = tfs_cpu_stats_text(tfs, cpu, &text, err);
		if (r < 0)
			return r;
		count[i] = (struct cpu_count){
			.cpu = cpu,
			.events = stats.read_events,
			.lost = lost_of(rec, &stats),
			.overwritten = rec->ring ? stats.overrun : 0,
		};
		strv_add_take(cpustat, xasprintf("CPU: %u\n%s", cpu, text));
	}
	*counts = take_ptr(count);
	return 0;
}

size_t recorder_nr(const struct recorder *rec)
{
	return rec->nr;
}

uint64_t recorder_bytes(const struct recorder *rec)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < rec->nr; i++)
		bytes += stream_bytes(rec->stream[i]);
	return bytes;
}

void recorder_free(struct recorder *rec)
{
	if (!rec)
		return;
	for (size_t i = 0; i < rec->nr; i++)
		stream_free(rec->stream[i]);
	free(rec->stream);
	packer_free(rec->packer);
	if (rec->wake >= 0)
		close(rec->wake);
	free(rec);
}

void recorder_freep(struct recorder **rec)
{
	recorder_free(*rec);
}

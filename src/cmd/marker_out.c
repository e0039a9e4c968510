/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffers that a marker is written to: one instance, or each that a recording reads. */
#include "cmd/marker_out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/rundir.h"
#include "util/mem.h"

static void add_buffer(struct marker_out *out, struct tfs *tfs)
{
	out->buffer[out->nr++] = (struct marker_buffer){tfs, -1};
}

static bool has_room(const struct marker_out *out)
{
	return out->nr < MARKER_BUFFERS_MOST;
}

/* Instances that are copied to, and the first of them that takes nothing at present: the kernel
 * goes through them, newest first and the top level last, and stops at the first that refuses. */
static void find_copies(const struct tfs *top, struct strv *copies, char **paused)
{
	cleanup(strv_fini) struct strv names = {0};

	*paused = NULL;
	if (!tfs_has(top, "options/copy_trace_marker") || tfs_instances(top, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.nr; i++) {
		cleanup(tfs_freep) struct tfs *tfs = tfs_open_instance(top, names.item[i], NULL);

		if (!tfs || !tfs_copies_markers(tfs))
			continue;
		strv_add(copies, names.item[i]);
		if (!*paused && !tfs_takes_markers(tfs))
			*paused = xstrdup(names.item[i]);
	}
}

static void add_instances(struct marker_out *out, const struct tfs *top, const struct strv *names,
			  const struct strv *without)
{
	for (size_t i = 0; i < names->nr && has_room(out); i++) {
		cleanup(tfs_freep) struct tfs *tfs = NULL;

		if (strv_has(without, names->item[i]))
			continue;
		/* A recording that has just ended, or that is not ours to write to. */
		tfs = tfs_open_instance(top, names->item[i], NULL);
		if (tfs && tfs_takes_markers(tfs))
			add_buffer(out, take_ptr(tfs));
	}
}

static int find_all(struct marker_out *out, struct tfs *top_taken, struct err *err)
{
	static const struct strv none;
	cleanup(tfs_freep) struct tfs *top = top_taken;
	cleanup(strv_fini) struct strv recordings = {0};
	cleanup(strv_fini) struct strv copies = {0};
	cleanup_free char *paused = NULL;

	rundir_recordings(&recordings);
	find_copies(top, &copies, &paused);
	if (!paused && (tfs_takes_markers(top) || !copies.nr)) {
		add_instances(out, top, &recordings, &copies);
		/* With no recording at all the top level answers that tracing is off. */
		if (!out->nr || tfs_takes_markers(top))
			add_buffer(out, take_ptr(top));
		return 0;
	}
	/* What the kernel would not hand on is written to each directly. */
	add_instances(out, top, &copies, &none);
	add_instances(out, top, &recordings, &copies);
	if (paused && tfs_takes_markers(top))
		out->note = xasprintf("the top-level buffer is left out: instance %s gets copies "
				      "of its markers and is paused, so the kernel passes none on",
				      paused);
	if (!out->nr)
		return err_set(err, EBADF,
			       "no buffer takes markers: instance %s gets copies of all markers "
			       "and is paused (echo 1 > %s/instances/%s/tracing_on)",
			       paused ? paused : copies.item[0], tfs_dir(top),
			       paused ? paused : copies.item[0]);
	return 0;
}

int marker_out_find(struct marker_out *out, const char *tracefs, const char *instance,
		    struct err *err)
{
	cleanup(tfs_freep) struct tfs *top = tfs_open(tracefs, err);
	struct tfs *only;

	*out = (struct marker_out){0};
	if (!top)
		return -err->code;
	out->limit = tfs_marker_limit(top);
	if (!instance)
		return find_all(out, take_ptr(top), err);
	only = tfs_open_instance(top, instance, err);
	if (!only)
		return -err->code;
	add_buffer(out, only);
	return 0;
}

void marker_out_fini(struct marker_out *out)
{
	for (size_t i = 0; i < out->nr; i++) {
		if (out->buffer[i].fd >= 0)
			close(out->buffer[i].fd);
		tfs_free(out->buffer[i].tfs);
	}
	free(out->note);
	*out = (struct marker_out){0};
}

static void drop(struct marker_out *out, size_t i)
{
	tfs_free(out->buffer[i].tfs);
	out->nr--;
	memmove(&out->buffer[i], &out->buffer[i + 1], (out->nr - i) * sizeof(out->buffer[0]));
}

int marker_out_open(struct marker_out *out, struct err *err)
{
	for (size_t i = 0; i < out->nr; i++) {
		struct marker_buffer *buffer = &out->buffer[i];

		if (buffer->fd >= 0)
			continue;
		buffer->fd = tfs_marker_open(buffer->tfs, err);
		if (buffer->fd >= 0)
			continue;
		/* A recording that has ended took its instance along. */
		if (err->code != ENOENT || out->nr == 1 || !tfs_instance_name(buffer->tfs))
			return -err->code;
		*err = (struct err){0};
		drop(out, i--);
	}
	return 0;
}

void marker_out_release(struct marker_out *out)
{
	for (size_t i = 0; i < out->nr; i++)
		if (out->buffer[i].fd >= 0 && tfs_instance_name(out->buffer[i].tfs))
			close(take_fd(out->buffer[i].fd));
}

int marker_out_write(struct marker_out *out, const void *text, size_t len, size_t *took,
		     struct err *err)
{
	bool cut = false;

	*took = len;
	for (size_t i = 0; i < out->nr; i++) {
		size_t n = len;
		int r = tfs_marker_write(out->buffer[i].tfs, out->buffer[i].fd, text, len, &n, err);

		if (r < 0 && r != -EMSGSIZE)
			return r;
		cut |= r < 0;
		if (n < *took)
			*took = n;
	}
	return cut ? -EMSGSIZE : 0;
}

int marker_out_once(struct marker_out *out, const void *text, size_t len, size_t *took,
		    struct err *err)
{
	int r = marker_out_open(out, err);

	if (r == 0)
		r = marker_out_write(out, text, len, took, err);
	marker_out_release(out);
	return r;
}

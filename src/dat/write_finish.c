/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a recording: the regions are brought together and what is known only now is added. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat/write_region.h"
#include "dat/write_state.h"
#include "util/io.h"
#include "util/mem.h"
#include "util/str.h"

/* The data in the order of the file, beside the regions they belong to. */
struct closing {
	struct dat_writer *w;
	struct region_piece *piece;
	struct writer_region **region;
	size_t nr;
};

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

/* Where the data are now, and where they belong: one after the other, and with room for a section
 * header before each buffer but the first. */
static void plan_closing(struct closing *c)
{
	struct dat_writer *w = c->w;
	uint64_t at = w->data_at;

	for (size_t b = 0; b < w->nr_buffers; b++) {
		bool is_first = true;

		for (size_t i = 0; i < w->buffer[b].nr_regions; i++) {
			struct region_piece *piece = &c->piece[c->nr];
			uint64_t size = writer_data(w, &w->buffer[b], i);

			if (!size)
				continue;
			if (is_first && c->nr)
				at += w->align;
			is_first = false;
			*piece = (struct region_piece){w->buffer[b].region[i].start, at, size};
			at = align_up(at + size, w->align);
			c->region[c->nr++] = &w->buffer[b].region[i];
		}
	}
}

static void closing_init(struct closing *c, struct dat_writer *w)
{
	size_t nr = 0;

	for (size_t b = 0; b < w->nr_buffers; b++)
		nr += w->buffer[b].nr_regions;
	*c = (struct closing){.w = w};
	c->piece = xcalloc(nr + 1, sizeof(*c->piece));
	c->region = xcalloc(nr + 1, sizeof(*c->region));
	plan_closing(c);
}

static void closing_fini(struct closing *c)
{
	free(c->piece);
	free(c->region);
}

static uint64_t data_end(const struct closing *c)
{
	if (!c->nr)
		return c->w->data_at;
	return c->piece[c->nr - 1].from + c->piece[c->nr - 1].len;
}

/* Tells the file where the data are after each step, so that it is readable in between. */
static int tell_moved(void *arg)
{
	struct closing *c = arg;
	const struct writer_head head = {.ended = true, .data_end = data_end(c)};

	for (size_t i = 0; i < c->nr; i++)
		c->region[i]->start = c->piece[i].from;
	return put_head(c->w, &head, c->w->data_at, NULL);
}

static int set_size(const struct dat_writer *w, uint64_t size)
{
	return ftruncate(w->fd, (off_t)size) < 0 ? -errno : 0;
}

static int close_up(struct closing *c)
{
	const struct region_watch watch = {tell_moved, c};
	int r = tell_moved(c);
	int cut;

	if (r < 0)
		return r;
	r = set_size(c->w, data_end(c));
	if (r < 0)
		return r;
	r = region_close_up(c->w->fd, c->piece, c->nr, c->w->align, &watch);
	cut = set_size(c->w, data_end(c));
	return r < 0 ? r : cut;
}

/* Behind the data, when the head has no room for it. */
static int put_tail_behind(const struct dat_writer *w, const struct dat_tail *tail, uint64_t at,
			   uint64_t *options, uint64_t *end)
{
	struct dat_out out;
	int r;

	dat_out_init(&out, w->fd, at, w->big_endian);
	*options = write_tail(&out, w, tail);
	r = dat_out_flush(&out);
	*end = dat_out_pos(&out);
	dat_out_fini(&out);
	if (r < 0) {
		set_size(w, at);
		*options = 0;
		*end = at;
	}
	return r;
}

/* What has stayed between the data takes no place. */
static uint64_t holes(const struct closing *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr; i++)
		sum += region_hole(c->piece, i);
	return sum;
}

/* Where there is no other place than the head, as in version 6 and on a full disk: processes of threads
 * are left out, and the last names of tasks. */
static int put_less(const struct dat_writer *w, const struct writer_head *head, uint64_t limit,
		    uint64_t *end)
{
	struct dat_tail tail = *head->tail;
	struct writer_head less = *head;
	cleanup_free char *names = xstrdup(tail.cmdlines ? tail.cmdlines : "");
	size_t len = strlen(names);
	int r;

	less.tail = &tail;
	tail.cmdlines = names;
	tail.nr_options = 0;
	r = put_head(w, &less, limit, end);
	if (r != -EFBIG)
		return r;
	len -= *end - limit < len ? *end - limit : len;
	while (len && names[len - 1] != '\n')
		len--;
	names[len] = '\0';
	return put_head(w, &less, limit, end);
}

static int put_tail(const struct closing *c, const struct dat_tail *tail, uint64_t *file_size)
{
	const struct dat_writer *w = c->w;
	struct writer_head head = {.ended = true, .data_end = data_end(c), .tail = tail};
	uint64_t limit = c->nr ? w->data_at : UINT64_MAX;
	uint64_t end;
	int written = 0;
	int r;

	*file_size = head.data_end;
	r = put_head(w, &head, limit, &end);
	if (r == -EFBIG && w->is_v6) {
		written = r;
		r = put_less(w, &head, limit, &end);
	} else if (r == -EFBIG) {
		written = put_tail_behind(w, tail, head.data_end, &head.more_options, file_size);
		if (written >= 0)
			head.tail = NULL;
		r = written < 0 ? put_less(w, &head, limit, &end) : put_head(w, &head, limit, &end);
	}
	/* Without data, the file ends where the head does. */
	if (!c->nr)
		*file_size = end;
	if (r >= 0)
		r = set_size(w, *file_size);
	*file_size -= holes(c);
	return r < 0 ? r : written;
}

static int finish_error(const struct closing *c, const char *missing, int code, struct err *err)
{
	uint64_t kept = 0;
	char text[32];

	for (size_t i = 0; i < c->nr; i++)
		kept += c->piece[i].len;
	err_sys(err, code, "cannot complete %s", c->w->path);
	err_add(err, "; %s of events are in it, %s", format_bytes(kept, text, sizeof(text)),
		missing);
	return -code;
}

void writer_resume(struct dat_writer *w, uint64_t file_size)
{
	cleanup(closing_fini) struct closing c;
	uint64_t missing;
	size_t i;

	closing_init(&c, w);
	missing = data_end(&c) - file_size;
	i = region_last_hole(c.piece, c.nr);
	/* The last hole is the first to go; each makes the file shorter by its size. */
	if (i == c.nr || data_end(&c) <= file_size || region_hole(c.piece, i) != missing)
		return;
	for (; i < c.nr; i++)
		c.region[i]->start -= missing;
}

int dat_writer_finish(struct dat_writer *w, const struct dat_tail *tail, uint64_t *size,
		      struct err *err)
{
	cleanup(closing_fini) struct closing c;
	int closed;
	int r;

	closing_init(&c, w);
	closed = close_up(&c);
	r = put_tail(&c, tail, size);
	if (closed < 0)
		return finish_error(&c, "some of them may be damaged", -closed, err);
	if (r < 0)
		return finish_error(&c, "names of tasks are missing", -r, err);
	return 0;
}

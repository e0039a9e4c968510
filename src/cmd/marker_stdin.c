/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft marker --stdin: a marker for each line, as fast as they come. */
#include <string.h>
#include <unistd.h>

#include "cmd/marker.h"
#include "util/mem.h"

/* More than the longest marker of any kernel, so that a line is cut only where the kernel would. */
#define CHUNK 65536

struct lines {
	const struct marker_args *args;
	struct marker_out out;
	char chunk[CHUNK];
	size_t kept;   /* bytes of the chunk that are no whole line yet */
	bool skipping; /* in the rest of a line that was longer than the chunk */
	uint64_t number;
	uint64_t written;
	uint64_t empty;
	uint64_t cut;
	uint64_t refused;
	bool said_utf8;
};

/* Why a line is not written, NULL when it can be. */
static const char *find_fault(const struct lines *in, const char *line, size_t len)
{
	if (memchr(line, '\0', len))
		return "it holds a NUL byte, where readers end";
	if (!in->args->strict)
		return NULL;
	if (len > in->out.limit)
		return "it is longer than this kernel takes";
	return marker_is_utf8(line, len) ? NULL : "it is not UTF-8";
}

static int take_line(struct lines *in, const char *line, size_t len, struct err *err)
{
	const char *fault;
	size_t took;
	int r;

	in->number++;
	if (!len) {
		in->empty++;
		return 0;
	}
	fault = find_fault(in, line, len);
	if (fault) {
		if (!in->refused++)
			marker_say("line %llu is left out: %s", (unsigned long long)in->number,
				   fault);
		return 0;
	}
	if (!in->said_utf8 && !marker_is_utf8(line, len)) {
		in->said_utf8 = true;
		marker_say("line %llu is not UTF-8; it is written as it is",
			   (unsigned long long)in->number);
	}
	in->cut += len > in->out.limit;
	r = marker_out_write(&in->out, line, marker_cut(line, len, in->out.limit), &took, err);
	if (r == -EMSGSIZE) {
		/* This kernel takes less than thought. */
		in->out.limit = took;
		in->cut++;
		r = 0;
	}
	in->written += r == 0;
	return r < 0 ? err_wrap(err, "line %llu", (unsigned long long)in->number) : 0;
}

/* The whole lines of the chunk; what is left moves to its beginning. */
static int take_chunk(struct lines *in, size_t len, bool at_end, struct err *err)
{
	char *line = in->chunk;
	char *stop = in->chunk + len;
	char *end;
	int r = 0;

	while (r == 0 && (end = memchr(line, '\n', (size_t)(stop - line)))) {
		if (!in->skipping)
			r = take_line(in, line, (size_t)(end - line), err);
		in->skipping = false;
		line = end + 1;
	}
	if (r < 0)
		return r;
	in->kept = (size_t)(stop - line);
	memmove(in->chunk, line, in->kept);
	if (!in->kept || (!at_end && in->kept < CHUNK))
		return 0;
	if (!in->skipping)
		r = take_line(in, in->chunk, in->kept, err);
	in->skipping = !at_end;
	in->kept = 0;
	return r;
}

/* Bytes read, 0 at the end. */
static ssize_t read_more(struct lines *in)
{
	ssize_t n;

	do {
		n = read(STDIN_FILENO, in->chunk + in->kept, CHUNK - in->kept);
	} while (n < 0 && errno == EINTR);
	return n;
}

static int copy_lines(struct lines *in, struct err *err)
{
	for (;;) {
		ssize_t n = read_more(in);
		int r;

		if (n < 0)
			return err_sys(err, errno, "cannot read standard input");
		r = marker_out_open(&in->out, err);
		if (r == 0)
			r = take_chunk(in, in->kept + (size_t)n, n == 0, err);
		/* While the input rests, a recording must be able to remove its instance. */
		marker_out_release(&in->out);
		if (r < 0 || n == 0)
			return r;
	}
}

static int sum_up(const struct lines *in, struct err *err)
{
	if (in->cut)
		marker_say("%llu of %llu lines were cut: this kernel takes %zu bytes in one marker",
			   (unsigned long long)in->cut, (unsigned long long)in->number,
			   in->out.limit);
	if (in->empty)
		marker_say("empty lines left out: %llu", (unsigned long long)in->empty);
	if (in->refused)
		return err_set(err, EINVAL, "%llu of %llu lines were left out",
			       (unsigned long long)in->refused, (unsigned long long)in->number);
	if (!in->written)
		return err_set(err, ENODATA, "standard input holds no text, nothing was written");
	return 0;
}

int marker_stdin(const struct marker_args *args, struct err *err)
{
	cleanup_free struct lines *in = xzalloc(sizeof(*in));
	int r = marker_out_find(&in->out, args->tracefs, args->instance, err);

	in->args = args;
	/* Without the right to write nothing shall be read. */
	if (r == 0)
		r = marker_out_open(&in->out, err);
	marker_out_release(&in->out);
	if (r == 0 && in->out.note)
		marker_say("%s", in->out.note);
	if (r == 0)
		r = copy_lines(in, err);
	if (r == 0)
		r = sum_up(in, err);
	marker_out_fini(&in->out);
	return r;
}

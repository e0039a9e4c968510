/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffers that a marker is written to: one instance, or each that a recording reads. */
#pragma once

#include "tracefs/marker.h"
#include "util/err.h"

#define MARKER_BUFFERS_MOST 64

struct marker_buffer {
	struct tfs *tfs;
	int fd;
};

struct marker_out {
	struct marker_buffer buffer[MARKER_BUFFERS_MOST];
	size_t nr;
	size_t limit;
	char *note; /* a buffer that is left out and why, NULL for none */
};

/* Finds the buffers. @instance alone if not NULL; else the top level, which hands copies to the
 * instances that want them, and beside it the instances of recordings that get none. A marker
 * comes to each buffer once. */
int marker_out_find(struct marker_out *out, const char *tracefs, const char *instance,
		    struct err *err);
void marker_out_fini(struct marker_out *out);

/* Opens what is to be written to. Instances must be released soon: an open file keeps the recording
 * from removing them. */
int marker_out_open(struct marker_out *out, struct err *err);
void marker_out_release(struct marker_out *out);

/* One write to each buffer. 0 when at least one took it all, and none refused for another reason
 * than that it has gone; -EMSGSIZE when the kernel cut it, with *took; -errno with text. */
int marker_out_write(struct marker_out *out, const void *text, size_t len, size_t *took,
		     struct err *err);
/* Open, write, release. */
int marker_out_once(struct marker_out *out, const void *text, size_t len, size_t *took,
		    struct err *err);

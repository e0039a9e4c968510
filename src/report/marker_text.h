/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers in a recording: their text, and what it means in the grammar of atrace. */
#pragma once

#include "out/sink.h"

enum marker_kind {
	MARKER_TEXT,	    /* none of the others */
	MARKER_BEGIN,	    /* B|pid|name */
	MARKER_END,	    /* E, E|pid, E|pid|... */
	MARKER_ASYNC_BEGIN, /* S|pid|name|cookie */
	MARKER_ASYNC_END,   /* F|pid|name|cookie */
	MARKER_COUNTER,	    /* C|pid|name|value */
	MARKER_INSTANT,	    /* I|pid|name */
};

/* Texts are parts of what was parsed. */
struct marker {
	enum marker_kind kind;
	int pid; /* as the marker says; 0 where it says none */
	const char *name;
	size_t name_len;
	const char *value; /* a cookie or a counter's number; "" without one */
	size_t value_len;
};

/* @text without the newline at its end. */
void marker_parse(const char *text, size_t len, struct marker *out);

struct marker_reader;

struct marker_reader *marker_reader_new(const struct sink_source *source, size_t nr_sources);
void marker_reader_free(struct marker_reader *reader);
/* False when the event is no marker: print, bprint or bputs of ftrace. The text has no newline at its end and is valid
 * until the next call. */
bool marker_read(struct marker_reader *reader, const struct sink_event *event, const char **text,
		 size_t *len);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a report, opened: their decoders, their ring buffers, and the source of each CPU. */
#pragma once

#include "dat/page.h"
#include "out/sink.h"
#include "report/report.h"

struct report_comms;

struct input_file {
	struct dat_reader *r;
	struct decode *dec;
	struct decode_format *format; /* borrowed by @dec */
	const char *name;
	struct report_comms *comms;
};

struct input_cpu {
	uint32_t cpu;
	struct page_source *src;
};

/* One ring buffer with events. */
struct input_source {
	struct input_file *file;
	const struct dat_buffer *buffer;
	char *prefix;
	struct page_layout layout;
	struct time_rule time;
	struct input_cpu *cpu;
	size_t nr_cpus;
};

struct input {
	struct input_file *file;
	size_t nr_files;
	struct input_source *source; /* in the order that decides between equal times */
	struct sink_source *about;   /* of each source, for sinks */
	size_t nr_sources;
	size_t nr_cpus;		 /* of all sources */
	uint64_t nr_bytes;	 /* of all sub-buffers */
	unsigned int nr_threads; /* that pay for so many bytes */
	struct ahead *ahead;	 /* reads compressed sources in advance; NULL without */
	bool has_text;		 /* some buffers hold the text of a tracer */
	int prefix_width;	 /* -1 when lines have none */
};

int input_open(struct input *in, const struct report_config *config, struct err *err);
void input_close(struct input *in);
/* Hands what is damaged to message(). True when there was something. */
bool input_tell(const struct input *in, const struct report_config *config);
/* A line for each buffer that is the text of a tracer: what is done with it, as the half of a sentence. */
void input_tell_text(const struct input *in, const struct report_config *config, const char *what);
/* Moves the notes of a stream to the findings of its file, each once. */
void input_take_notes(struct input_file *file, struct stream *s);
/* What stands behind the last slash. */
const char *input_base_name(const char *path);
/* The line "cpus=N" that each file begins with, in front of it the name of the file where there are several. */
void input_put_cpus(const struct input *in, const struct input_file *file, struct outbuf *out);
/* First and last time of all events. False when there is none. */
bool input_time_span(const struct input *in, uint64_t *first, uint64_t *last);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a writer keeps between its calls. Of no use outside of dat/. */
#pragma once

#include <stdatomic.h>

#include "dat/cursor.h"
#include "dat/write_file.h"
#include "dat/write_out.h"
#include "dat/writer.h"

struct writer_region {
	unsigned int cpu;
	uint64_t start;
	atomic_uint_fast64_t size;
	atomic_uint_fast32_t
		chunks; /* of a compressed file; their count is what a region begins with */
};

struct writer_buffer {
	char *name;
	char *clock;
	uint32_t page_size;
	struct writer_region *region;
	size_t nr_regions;
	bool is_text;
};

/* The file from front to back: what write_meta() makes; the head from head_at on, which is written
 * anew at each checkpoint; the regions from data_at on; what came last and did not fit into the
 * head. */
struct dat_writer {
	int fd;
	char *path; /* as the caller has it */
	struct output_file file;
	bool big_endian;
	enum compress_kind compress;
	bool is_v6;
	/* The rest of version 6: what its options say from the beginning on, as bytes. */
	uint8_t *options;
	size_t options_len;
	uint32_t cpu_count;
	bool has_clock; /* a text of the clock follows each table */

	uint64_t head_at;
	uint64_t data_at;
	uint64_t align;
	uint64_t region_size;
	struct writer_buffer *buffer;
	size_t nr_buffers;
};

/* One state of the head. */
struct writer_head {
	bool ended;	   /* only CPUs with data are named, and the sections end with the data */
	uint64_t data_end; /* offset behind the last data, when ended */
	uint64_t more_options;	     /* offset of the next options section, 0: none */
	const struct dat_tail *tail; /* to be put into the head; NULL: not */
};

/* Bytes of data in the file, in whole sub-buffers, as far as they are known now. */
uint64_t writer_data(const struct dat_writer *w, const struct writer_buffer *buffer, size_t i);
bool writer_has_data(const struct dat_writer *w, const struct writer_buffer *buffer);

/* For a file whose closing was interrupted: what lies elsewhere than its table says, since a hole was
 * taken out last, is found by the size of the file. */
void writer_resume(struct dat_writer *w, uint64_t file_size);

/* The second options section, the one that names the buffers, and all up to the first region. @out
 * holds bytes in memory. */
void write_head(struct dat_out *out, const struct dat_writer *w, const struct writer_head *head);
/* The same of version 6, where the head begins with the names of tasks. */
void write_head6(struct dat_out *out, const struct dat_writer *w, const struct writer_head *head);
/* What such a head in a file says: the buffers of @w, empty until then, and its options. *ended when
 * the recording was; *complete when the end has been written. */
bool read_head6(struct dat_writer *w, struct cursor *c, uint32_t page_size, bool *ended,
		bool *complete);
/* Writes that into the file, and the headers of later buffers' sections, which lie right before
 * their data. *end, if not NULL, is where it ends. -EFBIG without a change when that is behind
 * @limit. */
int put_head(const struct dat_writer *w, const struct writer_head *head, uint64_t limit,
	     uint64_t *end);

/* The section of saved command lines, and an options section that names it and holds what else came
 * at the end. Returns the offset of that. */
uint64_t write_tail(struct dat_out *out, const struct dat_writer *w, const struct dat_tail *tail);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the sub-buffers of one CPU come from: a file, plain or compressed, or a running kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dat/reader.h"

struct page_source;

/* What one reader of a source keeps between calls: compressed chunks. All zero is empty. */
struct source_scratch {
	uint8_t *packed;
	size_t packed_room;
	uint8_t *chunk;
	size_t chunk_room;
	uint64_t chunk_nr; /* number of the chunk in @chunk, plus one */
	uint64_t damaged;  /* file offset of a chunk that does not decompress; 0 none */
};

void source_scratch_fini(struct source_scratch *scratch);

struct page_source_ops {
	/* Bytes from the start of sub-buffer @first on, up to @room; fewer at the end, or where a piece ends. 0 at the end or when a
	 * running kernel has nothing now; -errno. May be called by several threads, each with its own @scratch. */
	ssize_t (*read)(struct page_source *src, struct source_scratch *scratch, uint64_t first,
			uint8_t *buf, size_t room);
	void (*free)(struct page_source *src);
	/* How many read() would give, at least one byte; only where @packed. */
	size_t (*fit)(const struct page_source *src, uint64_t first, size_t room);
};

struct page_source {
	const struct page_source_ops *ops;
	uint32_t page_size;
	uint64_t nr_pages; /* the last may be cut; UINT64_MAX for a running kernel */
	uint64_t offset;   /* in the file, for messages; 0 when it means nothing */
	/* Compressed, so that a read costs more than what is made of it. */
	bool packed;
	uint32_t largest_piece; /* bytes that are best read at once; 0 when it does not matter */
};

/* The source of one CPU of a file. Damage in the list of chunks goes to the reader's findings. */
struct page_source *source_new_file(struct dat_reader *r, const struct dat_buffer *buffer,
				    const struct dat_cpu *cpu);
void source_free(struct page_source *src);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions a trace.dat may use. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

enum compress_kind { COMPRESS_NONE, COMPRESS_ZSTD, COMPRESS_ZLIB, COMPRESS_UNKNOWN };

enum compress_kind compress_by_name(const char *name);
/* An error when its library is missing. */
int compress_check(enum compress_kind kind, struct err *err);
/* As a file header has them: "zstd" and the version of the library. */
const char *compress_name(enum compress_kind kind);
const char *compress_version(enum compress_kind kind);
/* The levels that there are, and the one that costs little time. */
void compress_levels(enum compress_kind kind, int *least, int *most, int *quick);

/* Fills @out with exactly @out_len bytes. 0, or -EPROTO when the block is damaged. Thread-safe. */
int decompress_block(enum compress_kind kind, const void *in, size_t in_len, void *out,
		     size_t out_len);

/* What one thread keeps between the blocks that it makes. */
struct compressor;

struct compressor *compressor_new(enum compress_kind kind, int level);
void compressor_free(struct compressor *c);
/* Room that a block of @len bytes may need. */
size_t compressor_bound(const struct compressor *c, size_t len);
/* Makes one block; the bytes of it, or -ENOMEM. */
ssize_t compress_block(struct compressor *c, const void *in, size_t len, void *out, size_t room);

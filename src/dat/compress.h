/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions a trace.dat may use. */
#pragma once

#include <stddef.h>

enum compress_kind { COMPRESS_NONE, COMPRESS_ZSTD, COMPRESS_ZLIB, COMPRESS_UNKNOWN };

enum compress_kind compress_by_name(const char *name);

/* Fills @out with exactly @out_len bytes. 0, or -EPROTO when the block is damaged. Thread-safe. */
int decompress_block(enum compress_kind kind, const void *in, size_t in_len, void *out,
		     size_t out_len);

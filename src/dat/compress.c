/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One compressed block into memory, by zstd or zlib. */
#include "dat/compress.h"

#include <errno.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

enum compress_kind compress_by_name(const char *name)
{
	if (!*name || !strcmp(name, "none"))
		return COMPRESS_NONE;
	if (!strcmp(name, "zstd"))
		return COMPRESS_ZSTD;
	if (!strcmp(name, "zlib"))
		return COMPRESS_ZLIB;
	return COMPRESS_UNKNOWN;
}

static int inflate_zlib(const void *in, size_t in_len, void *out, size_t out_len)
{
	uLongf got = out_len;

	if (uncompress(out, &got, in, in_len) != Z_OK || got != out_len)
		return -EPROTO;
	return 0;
}

static int inflate_zstd(const void *in, size_t in_len, void *out, size_t out_len)
{
	size_t got = ZSTD_decompress(out, out_len, in, in_len);

	return ZSTD_isError(got) || got != out_len ? -EPROTO : 0;
}

int decompress_block(enum compress_kind kind, const void *in, size_t in_len, void *out,
		     size_t out_len)
{
	switch (kind) {
	case COMPRESS_ZSTD:
		return inflate_zstd(in, in_len, out, out_len);
	case COMPRESS_ZLIB:
		return inflate_zlib(in, in_len, out, out_len);
	case COMPRESS_NONE:
	case COMPRESS_UNKNOWN:
		break;
	}
	return -EPROTO;
}

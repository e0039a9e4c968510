/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One compressed block into memory, by zstd or zlib. */
#include "dat/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "util/library.h"
#include "util/mem.h"

#define ZSTD_SONAME "libzstd.so.1"
#define ZLIB_SONAME "libz.so.1"
#define ZSTD(function) LIBRARY_FUNCTION(ZSTD_SONAME, function)
#define ZLIB(function) LIBRARY_FUNCTION(ZLIB_SONAME, function)

struct compressor {
	enum compress_kind kind;
	int level;
	ZSTD_CCtx *zstd;
};

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

int compress_check(enum compress_kind kind, struct err *err)
{
	if (kind == COMPRESS_ZSTD)
		return library_check(ZSTD_SONAME, err);
	return kind == COMPRESS_ZLIB ? library_check(ZLIB_SONAME, err) : 0;
}

const char *compress_name(enum compress_kind kind)
{
	switch (kind) {
	case COMPRESS_ZSTD:
		return "zstd";
	case COMPRESS_ZLIB:
		return "zlib";
	case COMPRESS_NONE:
	case COMPRESS_UNKNOWN:
		break;
	}
	return "none";
}

const char *compress_version(enum compress_kind kind)
{
	switch (kind) {
	case COMPRESS_ZSTD:
		return ZSTD(ZSTD_versionString)();
	case COMPRESS_ZLIB:
		return ZLIB(zlibVersion)();
	case COMPRESS_NONE:
	case COMPRESS_UNKNOWN:
		break;
	}
	return "";
}

void compress_levels(enum compress_kind kind, int *least, int *most, int *quick)
{
	*least = 1;
	*most = kind == COMPRESS_ZSTD ? ZSTD(ZSTD_maxCLevel)() : Z_BEST_COMPRESSION;
	*quick = 1;
}

static int inflate_zlib(const void *in, size_t in_len, void *out, size_t out_len)
{
	uLongf got = out_len;

	if (ZLIB(uncompress)(out, &got, in, in_len) != Z_OK || got != out_len)
		return -EPROTO;
	return 0;
}

static int inflate_zstd(const void *in, size_t in_len, void *out, size_t out_len)
{
	size_t got = ZSTD(ZSTD_decompress)(out, out_len, in, in_len);

	return ZSTD(ZSTD_isError)(got) || got != out_len ? -EPROTO : 0;
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

struct compressor *compressor_new(enum compress_kind kind, int level)
{
	struct compressor *c = xzalloc(sizeof(*c));

	c->kind = kind;
	c->level = level;
	if (kind == COMPRESS_ZSTD)
		c->zstd = ZSTD(ZSTD_createCCtx)();
	return c;
}

void compressor_free(struct compressor *c)
{
	if (!c)
		return;
	if (c->zstd)
		ZSTD(ZSTD_freeCCtx)(c->zstd);
	free(c);
}

size_t compressor_bound(const struct compressor *c, size_t len)
{
	return c->kind == COMPRESS_ZSTD ? ZSTD(ZSTD_compressBound)(len) : ZLIB(compressBound)(len);
}

static ssize_t deflate_zstd(struct compressor *c, const void *in, size_t len, void *out,
			    size_t room)
{
	size_t n;

	if (!c->zstd)
		return -ENOMEM;
	n = ZSTD(ZSTD_compressCCtx)(c->zstd, out, room, in, len, c->level);
	return ZSTD(ZSTD_isError)(n) ? -ENOMEM : (ssize_t)n;
}

ssize_t compress_block(struct compressor *c, const void *in, size_t len, void *out, size_t room)
{
	uLongf n = room;

	if (c->kind == COMPRESS_ZSTD)
		return deflate_zstd(c, in, len, out, room);
	return ZLIB(compress2)(out, &n, in, len, c->level) == Z_OK ? (ssize_t)n : -ENOMEM;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that is no file: a running kernel's texts and sub-buffers, for whoever reads files. */
#pragma once

#include "dat/reader.h"
#include "dat/source.h"
#include "dat/writer.h"

/* A reader of what @meta says, with one buffer whose CPUs have no data of their own. Texts are borrowed from @meta. The
 * symbols are left out: they are large, and the caller knows when they are needed. NULL when header_page makes no sense. */
struct dat_reader *dat_reader_new_memory(const char *name, const struct dat_meta *meta,
					 const struct dat_buffer_spec *spec, struct err *err);

/* Sub-buffers in memory; the source frees @data. */
struct page_source *source_new_memory(uint8_t *data, size_t size, uint32_t page_size);

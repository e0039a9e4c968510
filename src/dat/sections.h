/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the reader share; of no use outside of dat/. */
#pragma once

#include "dat/reader.h"

/* Ids of options; those from HEADER_INFO on are ids of sections, too. */
enum dat_option {
	DAT_DONE,
	DAT_DATE,
	DAT_CPUSTAT,
	DAT_BUFFER,
	DAT_TRACECLOCK,
	DAT_UNAME,
	DAT_HOOK,
	DAT_OFFSET,
	DAT_CPUCOUNT,
	DAT_VERSION,
	DAT_PROCMAPS,
	DAT_TRACEID,
	DAT_TIME_SHIFT,
	DAT_GUEST,
	DAT_TSC2NSEC,
	DAT_STRINGS,
	DAT_HEADER_INFO,
	DAT_FTRACE_EVENTS,
	DAT_EVENT_FORMATS,
	DAT_KALLSYMS,
	DAT_PRINTK,
	DAT_CMDLINES,
	DAT_BUFFER_TEXT,
	DAT_BTF_FILE,
	DAT_LAST_BOOT_INFO,
	DAT_MODULES_FILE,
	DAT_OPTION_NR,
};

#define DAT_CPUS_MOST 65536

/* Bodies, the same in both versions. False when cut: what came before is kept, and a finding says so. */
bool body_header_info(struct dat_reader *r, struct cursor *c);
bool body_ftrace_events(struct dat_reader *r, struct cursor *c);
bool body_event_formats(struct dat_reader *r, struct cursor *c);
/* A text behind its size of 4 or 8 bytes. */
bool body_text(struct dat_reader *r, struct cursor *c, unsigned int width, const char *what,
	       struct dat_text *out);

/* One option that means the same in both versions; false when it is none of those. */
bool option_common(struct dat_reader *r, unsigned int id, const uint8_t *data, uint32_t size);

/* A copy that ends in NUL and lives as long as the reader. */
char *dat_keep_string(struct dat_reader *r, const void *data, size_t len);
/* Adds a buffer; the pointer is good until the next call. */
struct dat_buffer *dat_add_buffer(struct dat_reader *r, const char *name);
/* Adds a CPU, cut to what the file has; a finding tells what is missing. */
void dat_add_cpu(struct dat_reader *r, struct dat_buffer *buffer, uint32_t cpu, uint64_t offset,
		 uint64_t size);
/* Sub-buffer size, word size and start of data, from header_page and the file header. */
int dat_check_header_page(struct dat_reader *r, struct err *err);

int v6_read(struct dat_reader *r, struct err *err);
int v7_read(struct dat_reader *r, uint64_t options, struct err *err);
/* Brings a section's body into memory, decompressed. False with a finding. */
bool v7_load(struct dat_reader *r, const struct dat_lazy *where, const char *what,
	     struct dat_text *out);
/* Bytes of whole sub-buffers with data at @offset before a hole of the file, @limit or zeros. Of the
 * reader only the descriptor and the layout count. */
uint64_t salvage_length(const struct dat_reader *r, uint64_t offset, uint32_t page_size,
			uint64_t limit);
/* True of a recording that was not ended, and of one that was cut off. */
bool dat_is_open(const struct dat_reader *r);
/* Finds what the options do not tell: the walk over all sections of a file whose recording was cut short.
 * One that has not @ended may have more data than its table says, and where the options are @broken, buffers may have
 * none. */
void dat_salvage(struct dat_reader *r, bool ended, bool broken);

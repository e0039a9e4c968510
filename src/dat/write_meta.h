/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections and options of a version 7 file as bytes. Of no use outside of dat/. */
#pragma once

#include "dat/write_out.h"
#include "dat/writer.h"

#define DAT_SECTION_HEADER 16

/* Opens a section of kind @id and returns what write_section_end() wants. */
uint64_t write_section(struct dat_out *out, unsigned int id);
void write_section_end(struct dat_out *out, uint64_t section);
/* What lies in it is compressed. */
void write_section_compressed(struct dat_out *out, uint64_t section);

void write_option(struct dat_out *out, unsigned int id, const void *data, size_t len);
void write_option_string(struct dat_out *out, unsigned int id, const char *text);
void write_option_u64(struct dat_out *out, unsigned int id, uint64_t value);
/* Opens an option whose length is not known yet. */
uint64_t write_option_begin(struct dat_out *out, unsigned int id);
void write_option_end(struct dat_out *out, uint64_t option);

/* The options of what is known from the beginning, in either version. */
void write_meta_facts(struct dat_out *out, const struct dat_meta *meta);
/* From the first byte of the file to the end of the first options section, which leads to a second
 * one right behind it. Of version 6 up to the names of tasks. */
void write_meta(struct dat_out *out, const struct dat_meta *meta);

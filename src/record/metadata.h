/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gathers from the kernel what a reader of the file needs beside the events. */
#pragma once

#include "dat/writer.h"
#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

/* Formats of the ftrace system and of @systems; symbols, printk formats, clock, uname. @top is the top
 * level, which alone has some of them. @cpus is the number of CPUs. What is optional and cannot be read is left out and told in @notes. */
int metadata_gather(const struct tfs *tfs, const struct tfs *top, const struct strv *systems,
		    uint32_t cpus, struct dat_meta *out, struct strv *notes, struct err *err);
/* The same without the symbols, which are most of the work. Enumerators in print formats are numbers
 * by then. */
int metadata_gather_formats(const struct tfs *tfs, const struct tfs *top,
			    const struct strv *systems, uint32_t cpus, struct dat_meta *out,
			    struct err *err);
/* *format with the enumerators of its print format replaced by their numbers. */
void metadata_resolve_format(char **format);
/* The text of /proc/kallsyms, which the caller frees; NULL, with a note, where it cannot be read. */
void metadata_symbols(char **kallsyms, struct strv *notes);

/* Bytes that the names of tasks and the processes of threads take at the end, at most. */
size_t metadata_names_most(const struct tfs *top);

/* Bytes of a sub-buffer of @tfs. */
uint32_t metadata_subbuf_size(const struct tfs *tfs);
/* The clock in force, "local" or "mono"; caller frees. */
char *metadata_clock(const struct tfs *tfs, struct err *err);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ft says of a recording beside what the format has a place for: an option of its own, which others
 * skip without a word. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "dat/reader.h"

/* The option holds lines of text, and may be there several times. Beside the line of a ring:
 *   boot-id UUID
 *   cpu N package=P core=C node=D     what is not known is left out
 *   clock begin mono=NS boot=NS real=NS [trace=N] [tsc=CYCLES]
 *   clock end ...
 *   tgid TID PID                      of threads whose process has another id
 *   open                              nobody has ended the recording; of version 6 only
 *   tgids                             all others are processes: the kernel has kept track */
#define DAT_FACTS 0x4654
/* A line: the newest events have replaced the oldest, as they were meant to. */
#define DAT_FACT_RING "ring"
#define DAT_FACT_OPEN "open"
#define DAT_FACT_TGID "tgid "
#define DAT_FACT_TGIDS "tgids"

bool dat_has_fact(const struct dat_reader *r, const char *line);

/* The process of each thread, where a file tells. All zero holds none. */
struct dat_tgids {
	struct dat_tgid *item; /* by tid */
	size_t nr;
};

/* Lines that are damaged are left out. */
void dat_tgids_read(const struct dat_reader *r, struct dat_tgids *out);
void dat_tgids_fini(struct dat_tgids *tgids);
/* The process that the thread @tid belongs to; @tid itself where nothing else is known. */
int dat_tgids_find(const struct dat_tgids *tgids, int tid);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ft says of a recording beside what the format has a place for: an option of its own, which others
 * skip without a word. */
#pragma once

#include <stdbool.h>

#include "dat/reader.h"

/* The option holds lines of text, and may be there several times. */
#define DAT_FACTS 0x4654
/* A line: the newest events have replaced the oldest, as they were meant to. */
#define DAT_FACT_RING "ring"

bool dat_has_fact(const struct dat_reader *r, const char *line);

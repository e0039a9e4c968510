/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look through all events of a file for those of a few types, whatever the report is about. */
#pragma once

#include "dat/raw_event.h"

struct input;
struct input_file;

/* All zero wants nothing. */
struct scan {
	uint8_t wanted[8192]; /* a bit for each id */
};

void scan_want(struct scan *scan, int id);
/* Hands each wanted event of @file to @see, one CPU after the other: in the order of time within a CPU only. */
void scan_file(const struct scan *scan, const struct input *in, const struct input_file *file,
	       void (*see)(void *ctx, int id, const struct raw_event *raw), void *ctx);

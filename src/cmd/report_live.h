/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel in the place of a file: what a report asks of it, got from tracefs. */
#pragma once

#include "report/report.h"

struct live;

/* Opens the top-level buffer, or the one of @instance. @follow is to consume it. NULL with text. */
struct live *live_open(const char *instance, bool follow, struct err *err);
void live_freep(struct live **live);

/* False where the kernel cannot show its buffer without consuming it; *why says so. Caller frees it. */
bool live_can_look(struct live *live, char **why);
/* Copies the kernel's own text of what is in the buffer. */
int live_copy_text(struct live *live, int out_fd, struct err *err);

/* Gathers all that decoding takes and sets config->live, which borrows from @live. */
int live_begin(struct live *live, struct report_config *config, struct err *err);

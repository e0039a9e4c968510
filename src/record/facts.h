/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel and the machine tell of a recording beside its events, as lines of dat/facts.h. */
#pragma once

#include "tracefs/tracefs.h"
#include "util/str.h"

/* Boot, CPUs, and the clocks as they are now; @clock is that of the trace. */
void facts_add_begin(const char *clock, struct strbuf *out);
/* The clocks as they are now, and which process each thread that the kernel knows of belongs to: @top
 * alone has those. */
void facts_add_end(const struct tfs *top, const char *clock, struct strbuf *out);

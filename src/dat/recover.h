/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closes the file of a recording whose process is gone, wherever it was interrupted. */
#pragma once

#include "dat/writer.h"

/* What another process must know to go on with the file of @w, as one line of text; caller frees. */
char *dat_writer_where(const struct dat_writer *w);

/* True when the text of a latency tracer belongs into that file. */
bool dat_recover_wants_text(const char *where);

/* Closes the file @path up, with all that has reached it; @where is what dat_writer_where() said,
 * @tail what else is known. With an empty @where it is a
 * file that was not complete enough to be read, which is removed. A file that is complete, or is not that one any more, is left alone. */
int dat_recover(const char *path, const char *where, const struct dat_tail *tail, struct err *err);

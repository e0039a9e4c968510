/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording leaves whose ft is gone: the changes in its journal, and the file that it wrote. */
#pragma once

#include "util/err.h"

/* How to close the file. This module knows nothing of files. */
/* What the kernel tells only while the changes are there; NULL where it does not. */
struct orphan_texts {
	char *names; /* of tasks */
	char *text;  /* of a latency tracer */
};

/* @where is what orphan_note() was given. */
struct orphan_ops {
	void (*ask)(const char *where, struct orphan_texts *out);
	int (*close)(const char *path, const char *where, const struct orphan_texts *texts,
		     struct err *err);
};

/* Names the file in the journal; @path is absolute. */
int orphan_note(int journal, const char *path, const char *where, struct err *err);
/* The changes have been put back, the file is still open. */
int orphan_note_undone(int journal, struct err *err);

/* Puts back the changes of a journal and closes the file that it names. @ops may be NULL: the file
 * then stays as it is. Goes on after a failure; the first one is returned. */
int orphan_settle(int journal, const struct orphan_ops *ops, struct err *err);

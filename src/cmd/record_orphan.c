/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a recording that was killed, in its guardian or in the next ft. */
#include "cmd/record_run.h"

#include "dat/recover.h"
#include "tracefs/tracefs.h"

/* It is asked before anything is put back, so tracing_on is in the journal already. */
static void ask_kernel(const char *where, struct orphan_texts *out)
{
	struct tfs *top = tfs_open(NULL, NULL);

	if (!top)
		return;
	tfs_read(top, "saved_cmdlines", &out->names, NULL);
	/* A latency tracer works at the top level alone, and its text must not change under the reader. */
	if (dat_recover_wants_text(where) && tfs_write(top, "tracing_on", "0", 0, NULL) == 0)
		tfs_read(top, "trace", &out->text, NULL);
	tfs_free(top);
}

static int close_file(const char *path, const char *where, const struct orphan_texts *texts,
		      struct err *err)
{
	const struct dat_tail tail = {.cmdlines = texts->names, .text = texts->text};

	return dat_recover(path, where, &tail, err);
}

const struct orphan_ops record_orphans = {ask_kernel, close_file};

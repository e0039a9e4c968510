/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process for code that may crash. Of no use outside of compat/. */
#pragma once

#include "dat/reader.h"
#include "util/err.h"

struct tracecmd;
struct tracecmd_input;

/* What the child did, as its exit status. */
enum child_end {
	CHILD_DONE,
	CHILD_CANNOT_OPEN = 101, /* the library refuses the file */
	CHILD_NO_COMPRESSION,	 /* the library was built without the file's compression */
	CHILD_CANNOT_WRITE,	 /* the output is closed or full */
};

/* Runs in the child; @handle is the file as the library @lib has opened it. */
typedef enum child_end child_job(const struct tracecmd *lib, struct tracecmd_input *handle,
				 const struct dat_reader *reader, void *arg);

/* Opens the file of @reader with trace-cmd's library in a child process and runs @job there. What it
 * writes to descriptor 1 is gathered in @result, or goes to @out_fd when that is NULL. */
int child_run(const struct dat_reader *reader, child_job *job, void *arg, int out_fd,
	      struct strbuf *result, struct err *err);

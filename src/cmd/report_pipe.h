/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pipe in the place of a file of a report. */
#pragma once

#include "report/report.h"

struct report_pipe;

/* True when @path is "-" or something that can be read but not sought in. */
bool report_pipe_is_meant(const char *path);
/* Begins to read it and sets config->live, which borrows from the result. NULL with text. */
struct report_pipe *report_pipe_open(const char *path, struct report_config *config,
				     struct err *err);
/* The same for a descriptor, which is the result's from then on, even when that is NULL; @name is
 * borrowed. */
struct report_pipe *report_pipe_take(int fd, const char *name, struct report_config *config,
				     struct err *err);
/* True when something is missing, which has been told. */
bool report_pipe_failed(const struct report_pipe *p);
void report_pipe_freep(struct report_pipe **p);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report of a running kernel's events as they come. */
#pragma once

#include "report/walk.h"

/* Sub-buffers that wait to be decoded. */
struct page_source *follow_source_new(uint32_t page_size);

/* Consumes and puts out events until ->live says that it shall end, @preface first. 0; -errno with text when the kernel
 * cannot be read; -errno without text when the output cannot be written. */
int follow_run(struct walk *w, int out_fd, struct outbuf *preface, struct err *err);

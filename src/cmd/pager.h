/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pager behind the output, on a terminal only. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	int fd;	   /* where the output goes */
	pid_t pid; /* 0 without a pager */
};

/* FT_PAGER, else PAGER, else less; none when it is empty or "cat", when @wanted is false, or when
 * standard output is no terminal. Output goes straight to standard output then. */
void pager_start(struct pager *pager, bool wanted);
/* Waits until the reader has done with it. */
void pager_end(struct pager *pager);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that prints a recording while it runs. */
#pragma once

#include <sys/types.h>

#include "cmd/record.h"
#include "record/wait.h"

/* Forks it, before there are threads and raw pipes of the kernel. What is written to *fd in the layout of
 * dat/write_stream.h it prints on the standard output. */
int record_printer_start(const struct record_args *args, int *fd, pid_t *pid, struct err *err);
/* Waits for its end, after *fd has been closed; a signal that tells ft to stop ends it at once. True
 * unless something could not be printed, which it has said. @waiter may be NULL. */
bool record_printer_join(pid_t pid, struct waiter *waiter);

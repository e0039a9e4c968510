/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process a thread belongs to, as far as a file tells. */
#pragma once

#include <stdbool.h>

struct input;
struct input_file;
struct processes;

/* Borrows both. Reads nothing yet. */
struct processes *processes_new(const struct input *in, const struct input_file *file);
void processes_free(struct processes *p);

/* The process of thread @tid. False when the file does not tell: *pid is then the thread that created its group of
 * threads, which is @tid itself when nothing tells of that either. The first unknown thread makes it read all events of
 * the file once. */
bool processes_find(struct processes *p, int tid, int *pid);

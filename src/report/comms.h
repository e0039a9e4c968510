/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks that the saved command lines of a file lack: events tell them, too. */
#pragma once

#include "decode/decode.h"

struct input;
struct input_file;
struct report_comms;

struct report_comms *report_comms_new(struct decode *dec);
void report_comms_free(struct report_comms *comms);

/* The name of @pid, "<...>" when nothing in the file tells. The first unknown pid makes it read all events of the file
 * once. Thread-safe; the text lives as long as @comms. */
const char *report_comm(const struct input *in, struct input_file *file, int pid);

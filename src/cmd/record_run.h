/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording itself. */
#pragma once

#include "cmd/record.h"
#include "session/orphan.h"

/* Records as @args say; @program is the resolved path of the command, NULL without one. The exit
 * status, or negative with text. */
int record_run(struct record_args *args, const char *program, struct err *err);

/* How the file of a recording is closed whose ft is gone. */
extern const struct orphan_ops record_orphans;

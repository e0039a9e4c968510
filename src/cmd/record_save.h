/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft record --from-kernel: what is in the kernel's buffers already. */
#pragma once

#include "cmd/record.h"

/* Saves it as @args say, and changes nothing. The exit status, or negative with text; nothing is written when there
 * is nothing. */
int record_save(struct record_args *args, struct err *err);

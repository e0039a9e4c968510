/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says at its end. */
#pragma once

#include "cmd/record_buffers.h"

/* One line, and a second one when there is something to regret. True when events were lost. */
bool record_summary(const struct record_args *args, const struct record_buffers *buffers,
		    const char *path, uint64_t file_size);

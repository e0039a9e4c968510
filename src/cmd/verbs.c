/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of verbs. */
#include "cmd/verbs.h"

#include <stddef.h>

const struct command *const verbs[] = {
	&cmd_list, &cmd_filter, &cmd_record, &cmd_report,

	NULL,
};

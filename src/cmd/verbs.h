/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of ft. */
#pragma once

#include "cli/command.h"

extern const struct command cmd_filter;
extern const struct command cmd_list;
extern const struct command cmd_record;
extern const struct command cmd_report;

/* In the order of the help text; NULL-terminated. */
extern const struct command *const verbs[];

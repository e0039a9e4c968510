/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All settings of a buffer that are not at the kernel's defaults: to be shown, kept in a file, and
 * brought about again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "session/steps.h"
#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

/* One setting. The kinds are those of steps: STEP_SET and STEP_FILTER for a file's value, STEP_LIST
 * for one token of a list, STEP_ACTION for a trigger or function command, STEP_PROBE for a dynamic
 * event. */
struct setting {
	enum step_kind kind;
	char *file; /* relative to the tracing directory */
	char *value;
};

/* Settings of one file follow each other, in the kernel's order. */
struct setup {
	struct setting *setting;
	size_t nr;
	const char *
		clock; /* the default of this machine: "global" where CPUs' clocks differ; NULL: "local" */
};

void setup_fini(struct setup *setup);
void setup_add(struct setup *setup, enum step_kind kind, const char *file, const char *value);
bool setup_has(const struct setup *setup, const struct setting *setting);
/* The value of @file, NULL when it has its default. */
const char *setup_value(const struct setup *setup, const char *file);

/* Reads what @tfs has that is not at the default. Dynamic events belong to the top level. */
int setup_read(const struct tfs *tfs, struct setup *out, struct err *err);

/* What the kernel has in @file when nobody has set it; NULL when that is not known or not one
 * value. @file is a name as in a setup. */
const char *setup_default(const char *file);

/* The text of a file that holds the setup, and from the text to the setup: -EINVAL with the number
 * of the line that is wrong. Files that are no settings are wrong. */
void setup_print(const struct setup *setup, struct strbuf *out);
int setup_parse(const char *text, struct setup *out, struct err *err);

/* The steps that lead from @now to @want, in an order that the kernel accepts. @all are the names of
 * all events, so that whole systems can be switched at once. */
void setup_steps(const struct setup *now, const struct setup *want, const struct strv *all,
		 const char *all_cpus, struct steps *out);

/* Adds steps that switch @events ("system:name"): whole systems by one write. */
void steps_add_events(struct steps *steps, const struct strv *events, const struct strv *all,
		      const char *value);

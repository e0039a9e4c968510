/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verb that the tests of the command line share. */
#pragma once

#include "cli/command.h"

/* What --part begins anew. */
struct sample_part {
	char *name;
	struct strv events;
	uint64_t buffer;
};

struct sample_args {
	struct common_args common;
	bool all;
	unsigned int verbose;
	char *output;
	struct sample_part main;
	struct option_parts more;
	uint64_t duration;
	char *color;
	char *compress;
};

static const char *const sample_colors[] = {"auto", "always", "never", NULL};
static const char *const sample_nouns[] = {"events", "tracers", NULL};

static const struct option_section sample_section = {
	.offset = offsetof(struct sample_args, main),
	.size = sizeof(struct sample_part),
	.list = offsetof(struct sample_args, more),
};

static const struct option sample_options[] = {
	OPT_GROUP("First"),
	OPT_FLAG('a', "all", struct sample_args, all, "everything"),
	OPT_COUNT('v', "verbose", struct sample_args, verbose, "say more"),
	OPT_STRING('o', "output", struct sample_args, output, "FILE", HINT_FILE, "where to"),
	OPT_LIST('e', "event", struct sample_args, main.events, "EVENT", HINT_EVENT, "an event"),
	OPT_SIZE('b', "buffer", struct sample_args, main.buffer, "SIZE", "size of the buffer"),
	OPT_SECTION(0, "part", struct sample_args, main.name, "NAME", HINT_INSTANCE,
		    &sample_section, "another part"),
	OPT_DURATION('d', "duration", struct sample_args, duration, "TIME", "how long"),
	OPT_CHOICE(0, "color", struct sample_args, color, "WHEN", sample_colors, "colours"),
	OPT_END,
};

static const struct example sample_examples[] = {{"ft sample", "does it"}, {NULL, NULL}};

static const struct command sample = {
	.name = "sample",
	.summary = "a sample",
	.synopsis = "[OPTION...] [--] [COMMAND...]",
	.description = "A verb for tests.",
	.examples = sample_examples,
	.options = sample_options,
	.args_size = sizeof(struct sample_args),
	.stops_at_word = true,
	.word_hint = HINT_COMMAND,
};

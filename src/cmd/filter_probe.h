/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dynamic events of ft filter: from what is typed to what the kernel takes. */
#pragma once

#include "tracefs/tracefs.h"
#include "util/err.h"
#include "util/str.h"

enum probe_kind {
	PROBE_KPROBE,
	PROBE_KRETPROBE,
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_EPROBE,
	PROBE_SYNTH,
};

/* "[NAME=]PLACE [ARG...] [if FILTER]", taken apart. */
struct probe_spec {
	char *name; /* NULL: not given */
	char *place;
	struct strv args;
	char *condition; /* of an eprobe; NULL without one */
};

/* Pure. -EINVAL with text. */
int probe_spec_parse(enum probe_kind kind, const char *text, struct probe_spec *out,
		     struct err *err);
void probe_spec_fini(struct probe_spec *spec);

/* The arguments as the kernel takes them, each with a blank in front. @function is the symbol without
 * offset, NULL where there is none to ask the kernel's type information about. */
int probe_arguments(enum probe_kind kind, const struct probe_spec *spec, const char *function,
		    const struct strv *fields, struct strbuf *out, struct err *err);

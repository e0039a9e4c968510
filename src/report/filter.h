/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter language of report and record: [EVENTS:]EXPR. */
#pragma once

#include <stdbool.h>

#include "decode/decode.h"
#include "report/report.h"
#include "util/err.h"
#include "util/str.h"

/* Filters that belong together: an event passes when one that includes matches (or there is none)
 * and none that excludes does. */
struct filter_set;

struct filter_set *filter_set_new(void);
void filter_set_free(struct filter_set *set);
bool filter_set_is_empty(const struct filter_set *set);
/* Parses only: needs no file. Errors are a sentence, the filter, and a caret under the place, on three lines. */
int filter_set_add(struct filter_set *set, const char *text, bool exclude, struct err *err);

/* A report_bind and a report_match over a struct filter_set. Binding finds the events and fields of a file; names that
 * the file does not have and values that a field cannot have are errors. Matching allocates nothing. */
int filter_set_bind(void *set, struct decode *dec, struct err *err);
bool filter_set_match(void *set, const struct report_view *view);

/* Adds every name that may stand for a value: comm, pid, cpu, time, and the fields of the events that match the globs.
 * @dec may be NULL. Sorted, each once. */
void filter_names(struct decode *dec, const char *system, const char *event, struct strv *out);

/* Checks @text, an EXPR, as a filter of the kernel for @event, which has these @fields (common_* are known). @kernel may
 * be NULL; else it gets the filter as the kernel spells it: bare words quoted, pid as common_pid. */
int filter_check_fields(const char *text, const char *event, const struct strv *fields,
			struct strbuf *kernel, struct err *err);

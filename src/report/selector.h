/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events somebody means by NAME, GLOB, EVENT[FILTER], or the text of a marker. */
#pragma once

#include "report/marker_text.h"
#include "report/report.h"

struct selector;

/* Parses only. @option is named in errors. Borrows @text. NULL with text. */
struct selector *selector_new(const char *option, const char *text, struct err *err);
void selector_free(struct selector *sel);
/* Looks into the files for events of that name; what names none is the text of a marker. Fails when an EVENT[FILTER] does
 * not fit any file. */
int selector_bind(struct selector *sel, const struct sink_source *source, size_t nr_sources,
		  struct err *err);
/* @text is what marker_read() gave; NULL when the event is no marker. */
bool selector_matches(struct selector *sel, const struct sink_event *event,
		      const struct sink_source *source, const char *text, size_t len);
uint64_t selector_hits(const struct selector *sel);
/* When nothing matched: -ENOENT when no file even has such an event, else 0. */
int selector_explain(const struct selector *sel, struct err *err);

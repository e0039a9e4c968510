/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events by name, by filter, or by what a marker says. */
#include "report/selector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter.h"
#include "report/filter_match.h"
#include "util/mem.h"

struct selector {
	const char *option;
	const char *text;
	struct filter_set *filter; /* NULL: it can only be a marker */
	bool needs_event;	   /* EVENT[FILTER] */
	bool is_marker;		   /* no file has such an event */
	bool *has_event;	   /* by source: the filter is bound to its file */
	size_t nr_sources;
	struct err miss; /* why it is no event */
	uint64_t hits;
};

/* "EVENT: FILTER" of "EVENT[FILTER]"; NULL when it is not one. */
static char *filter_of(const char *text)
{
	size_t name = strcspn(text, "[");
	size_t len = strlen(text);

	if (!name || name + 2 >= len || text[len - 1] != ']')
		return NULL;
	return xasprintf("%.*s: %.*s", (int)name, text, (int)(len - name - 2), text + name + 1);
}

static bool looks_like_event(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_:/*?[]!-.,", *at))
			return false;
	return *text != '\0';
}

struct selector *selector_new(const char *option, const char *text, struct err *err)
{
	struct selector *sel = xzalloc(sizeof(*sel));
	cleanup_free char *filter = filter_of(text);
	struct err ignored = {0};

	sel->option = option;
	sel->text = text;
	if (!*text) {
		err_set(err, EINVAL, "--%s has an empty text: name an event or a marker", option);
		free(sel);
		return NULL;
	}
	if (!filter && !looks_like_event(text))
		return sel;
	sel->filter = filter_set_new();
	/* A glob may end in a bracket as well. */
	if (filter && filter_set_add(sel->filter, filter, false, err) == 0) {
		sel->needs_event = true;
		return sel;
	}
	if (filter && !looks_like_event(text)) {
		err_wrap(err, "--%s", option);
		selector_free(sel);
		return NULL;
	}
	if (filter_set_add(sel->filter, text, false, &ignored) == 0)
		return sel;
	filter_set_free(sel->filter);
	sel->filter = NULL;
	return sel;
}

void selector_free(struct selector *sel)
{
	if (!sel)
		return;
	filter_set_free(sel->filter);
	free(sel->has_event);
	free(sel);
}

int selector_bind(struct selector *sel, const struct sink_source *source, size_t nr_sources,
		  struct err *err)
{
	bool any = false;

	sel->nr_sources = nr_sources;
	sel->has_event = xcalloc(nr_sources + 1, sizeof(*sel->has_event));
	for (size_t i = 0; sel->filter && i < nr_sources; i++) {
		sel->has_event[i] = filter_set_bind(sel->filter, source[i].dec, &sel->miss) == 0;
		any |= sel->has_event[i];
	}
	sel->is_marker = !any;
	if (any || !sel->needs_event || !nr_sources)
		return 0;
	return err_set(err, sel->miss.code ? sel->miss.code : ENOENT, "--%s: %s", sel->option,
		       sel->miss.text);
}

/* A marker by its whole text, or one of atrace's by its name. */
static bool marker_matches(const struct selector *sel, const char *text, size_t len)
{
	struct marker marker;

	if (filter_glob(sel->text, text, len))
		return true;
	marker_parse(text, len, &marker);
	return (marker.kind == MARKER_BEGIN || marker.kind == MARKER_ASYNC_BEGIN ||
		marker.kind == MARKER_INSTANT || marker.kind == MARKER_COUNTER) &&
	       filter_glob(sel->text, marker.name, marker.name_len);
}

bool selector_matches(struct selector *sel, const struct sink_event *event,
		      const struct sink_source *source, const char *text, size_t len)
{
	bool hit = false;

	if (sel->is_marker) {
		hit = text && marker_matches(sel, text, len);
	} else if (sel->has_event[event->source]) {
		struct report_view view = {
			.dec = source->dec,
			.event = event->event,
			.raw = event->raw,
			.common = &event->common,
			.comm = event->comm,
			.instance = source->name,
			.file = source->file,
			.raw_clock = source->raw_clock,
		};

		hit = filter_set_match(sel->filter, &view);
	}
	sel->hits += hit;
	return hit;
}

uint64_t selector_hits(const struct selector *sel)
{
	return sel->hits;
}

int selector_explain(const struct selector *sel, struct err *err)
{
	if (!sel->is_marker)
		return 0;
	if (!sel->miss.code)
		return err_set(err, ENOENT, "--%s: no marker has the text '%s'", sel->option,
			       sel->text);
	/* The first line is the sentence; the others show its place. */
	return err_set(err, ENOENT, "--%s: %.*s, and no marker has the text '%s'", sel->option,
		       (int)strcspn(sel->miss.text, "\n"), sel->miss.text, sel->text);
}

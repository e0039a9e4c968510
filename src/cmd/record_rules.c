/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters and triggers of a recording: from the line to what the kernel is told, checked against
 * the fields of each event. */
#include <ctype.h>
#include <string.h>

#include "cmd/record.h"
#include "report/filter.h"
#include "report/filter_tree.h"
#include "util/mem.h"

/* The names of the fields of an event, from its format file. */
static int read_fields(const struct tfs *tfs, const char *event, struct strv *out, struct err *err)
{
	const char *colon = strchr(event, ':');
	cleanup_free char *file =
		xasprintf("events/%.*s/%s/format", (int)(colon - event), event, colon + 1);
	cleanup_free char *text = NULL;
	char *at;
	int r = tfs_read(tfs, file, &text, err);

	if (r < 0)
		return r;
	at = text;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		const char *field = strstr(line, "field:");
		size_t end;
		size_t start;

		if (!field)
			continue;
		end = strcspn(field, ";");
		/* "char comm[16]": the name is the last word before the bounds. */
		if (end && field[end - 1] == ']')
			while (end && field[--end] != '[')
				;
		start = end;
		while (start &&
		       (isalnum((unsigned char)field[start - 1]) || field[start - 1] == '_'))
			start--;
		if (start < end)
			strv_add_take(out, xstrndup(field + start, end - start));
	}
	return 0;
}

/* @expr as the kernel spells it for @event. */
static int check_filter(const struct tfs *tfs, const char *event, const char *expr,
			struct strbuf *out, struct err *err)
{
	cleanup(strv_fini) struct strv fields = {0};
	int r = read_fields(tfs, event, &fields, err);

	return r < 0 ? r : filter_check_fields(expr, strchr(event, ':') + 1, &fields, out, err);
}

static int add_filter(const struct tfs *tfs, const char *event, const char *expr,
		      struct trace_config *out, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf kernel = {0};
	size_t len = strlen(event);
	int r;

	for (size_t i = 0; i < out->filters.nr; i++)
		if (!strncmp(out->filters.item[i], event, len) && out->filters.item[i][len] == ' ')
			return err_set(err, EINVAL,
				       "%s has two filters: put them into one with && or ||",
				       event);
	r = check_filter(tfs, event, expr, &kernel, err);
	if (r == 0)
		strv_add_take(&out->filters, xasprintf("%s %s", event, strbuf_str(&kernel)));
	return r;
}

/* The events of 'EVENTS: EXPR', and where the expression begins; none and 0 when it is only an
 * expression. */
static int split_filter(const struct tfs *tfs, const char *text, struct strv *events,
			const char **expr, struct err *err)
{
	struct filter *filter = filter_parse(text, false, err);
	int r = 0;

	if (!filter)
		return -err->code;
	*expr = text;
	for (size_t i = 0; r == 0 && i < filter->nr_events; i++) {
		const struct filter_event *event = &filter->event[i];
		cleanup_free char *pattern =
			event->system ? xasprintf("%s:%s", event->system, event->name)
				      : xstrdup(event->name);

		r = tfs_match_events(tfs, pattern, events, err);
		*expr = text + event->at + strlen(event->text);
		*expr += strspn(*expr, " \t\n:");
	}
	filter_free(filter);
	return r;
}

static int take_filter(const struct tfs *tfs, const char *text, struct strv *events,
		       struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv named = {0};
	const struct strv *list = &named;
	const char *expr;
	int r = split_filter(tfs, text, &named, &expr, err);

	if (r < 0)
		return r;
	if (!*expr)
		return err_set(err, EINVAL, "--filter '%s' needs an expression: 'EVENT: EXPR'",
			       text);
	if (!named.nr)
		list = events;
	if (!list->nr)
		return err_set(err, EINVAL,
			       "--filter '%s' is for no event: 'EVENT: EXPR', or -e EVENT", text);
	for (size_t i = 0; r == 0 && i < list->nr; i++)
		r = add_filter(tfs, list->item[i], expr, out, err);
	strv_copy(events, &named);
	return r;
}

/* 'EVENT: ACTION', where EVENT may have a ':' of its own. Returns the action. */
static const char *split_trigger(const struct tfs *tfs, const char *text, struct strv *events,
				 struct err *err)
{
	const char *colon = strchr(text, ':');
	const char *second = colon ? strchr(colon + 1, ':') : NULL;
	cleanup_free char *longer = second ? xstrndup(text, (size_t)(second - text)) : NULL;
	cleanup_free char *shorter = colon ? xstrndup(text, (size_t)(colon - text)) : NULL;

	if (!colon) {
		err_set(err, EINVAL, "--trigger '%s' needs an event: 'EVENT: ACTION [if EXPR]'",
			text);
		return NULL;
	}
	if (longer && !strpbrk(longer, " \t") && tfs_match_events(tfs, longer, events, NULL) == 0)
		return second + 1 + strspn(second + 1, " \t");
	if (tfs_match_events(tfs, str_trim(shorter), events, err) < 0)
		return NULL;
	return colon + 1 + strspn(colon + 1, " \t");
}

static int check_action(const char *action, struct err *err)
{
	static const char names[] =
		"traceon traceoff snapshot stacktrace enable_event disable_event hist enable_hist "
		"disable_hist";
	cleanup_free char *name = xstrndup(action, strcspn(action, ": \t"));
	cleanup(strv_fini) struct strv known = {0};
	cleanup_free char *near = NULL;

	strv_split(&known, names, " ");
	if (strv_has(&known, name))
		return 0;
	near = near_names(name, &known);
	return err_set(err, EINVAL, "an event has no action '%s'%s; 'ft list triggers' shows all",
		       name, near);
}

/* The action with its condition as the kernel spells it. */
static int add_trigger(const struct tfs *tfs, const char *event, const char *action,
		       struct trace_config *out, struct err *err)
{
	const char *condition = strstr(action, " if ");
	cleanup(strbuf_fini) struct strbuf kernel = {0};
	int r = 0;

	if (condition)
		r = check_filter(tfs, event, condition + 4, &kernel, err);
	if (r < 0)
		return r;
	strv_add_take(&out->triggers,
		      condition ? xasprintf("%s %.*s if %s", event, (int)(condition - action),
					    action, strbuf_str(&kernel))
				: xasprintf("%s %s", event, action));
	return 0;
}

static int take_trigger(const struct tfs *tfs, const char *text, struct trace_config *out,
			struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	const char *action = split_trigger(tfs, text, &events, err);
	int r = action ? check_action(action, err) : -err->code;

	for (size_t i = 0; r == 0 && i < events.nr; i++)
		r = add_trigger(tfs, events.item[i], action, out, err);
	return r;
}

/* The kernel itself turns the trace off at that event: nothing comes behind it. */
static int take_until(const struct tfs *tfs, const char *text, struct strv *events,
		      struct trace_config *out, struct err *err)
{
	cleanup(strv_fini) struct strv named = {0};
	cleanup_free char *action = NULL;
	const char *expr;
	int r = split_filter(tfs, text, &named, &expr, err);

	if (r < 0)
		return r;
	if (!named.nr)
		return err_set(err, EINVAL, "--until-event '%s' needs an event: 'EVENT: EXPR'",
			       text);
	action = *expr ? xasprintf("traceoff if %s", expr) : xstrdup("traceoff");
	for (size_t i = 0; r == 0 && i < named.nr; i++)
		r = add_trigger(tfs, named.item[i], action, out, err);
	strv_copy(events, &named);
	return r;
}

int record_rules_build(const struct buffer_args *want, const char *until, const struct tfs *tfs,
		       struct strv *events, struct trace_config *out, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < want->filters.nr; i++)
		r = take_filter(tfs, want->filters.item[i], events, out, err);
	for (size_t i = 0; r == 0 && i < want->triggers.nr; i++)
		r = take_trigger(tfs, want->triggers.item[i], out, err);
	if (r == 0 && until)
		r = take_until(tfs, until, events, out, err);
	strv_sort(events);
	strv_uniq(events);
	return r;
}

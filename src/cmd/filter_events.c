/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft filter: filters and triggers of events, checked against their fields before the kernel sees
 * them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/filter.h"
#include "report/filter.h"
#include "session/shown.h"
#include "util/mem.h"

static char *event_file(const char *event, const char *file)
{
	size_t len = strcspn(event, ":");

	return xasprintf("events/%.*s/%s/%s", (int)len, event, event + len + 1, file);
}

/* The last word in front of the array's bounds: "char prev_comm[16]". */
static char *field_name(const char *text, size_t len)
{
	size_t end = len;
	size_t start;

	while (end && text[end - 1] == ']')
		while (end && text[--end] != '[')
			;
	start = end;
	while (start && (isalnum((unsigned char)text[start - 1]) || text[start - 1] == '_'))
		start--;
	return xstrndup(text + start, end - start);
}

int filter_event_fields(const struct tfs *tfs, const char *event, struct strv *out, struct err *err)
{
	cleanup_free char *file = event_file(event, "format");
	cleanup_free char *text = NULL;
	int r = tfs_read(tfs, file, &text, err);
	char *at = text;
	char *line;

	while (r == 0 && (line = str_next_line(&at))) {
		const char *field = strstr(line, "field:");

		if (field) {
			field += strlen("field:");
			strv_add_take(out, field_name(field, strcspn(field, ";")));
		}
	}
	return r;
}

/* What a key or value of a histogram may be beside a field. */
static bool is_hist_word(const char *name)
{
	static const char *const words[] = {
		"stacktrace", "common_stacktrace", "common_timestamp", "common_cpu",
		"cpu",	      "hitcount",	   "common_comm",      "common_pid",
	};

	for (size_t i = 0; i < array_size(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

/* "next_pid.execname,prio": each a field, unless it is a variable or a sum, which the kernel
 * checks. */
static int check_hist_names(const char *event, const char *list, const struct strv *fields,
			    struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};

	strv_split(&names, list, ",");
	for (size_t i = 0; i < names.nr; i++) {
		char *name = names.item[i];
		cleanup_free char *near = NULL;

		name[strcspn(name, ".")] = '\0';
		if (!isalpha((unsigned char)*name) && *name != '_')
			continue;
		if (name[strspn(name,
				"abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
			continue;
		if (strv_has(fields, name) || is_hist_word(name))
			continue;
		near = near_names(name, fields);
		return err_set(err, EINVAL, "event %s has no field %s%s", event, name, near);
	}
	return 0;
}

static int check_hist(const char *event, const char *head, const struct strv *fields,
		      struct err *err)
{
	cleanup(strv_fini) struct strv parts = {0};
	bool has_keys = false;
	int r = 0;

	strv_split(&parts, head + strlen("hist"), ":");
	for (size_t i = 0; r == 0 && i < parts.nr; i++) {
		const char *part = parts.item[i];
		const char *value = strchr(part, '=');
		bool is_keys = str_starts(part, "keys=") || str_starts(part, "key=");

		has_keys |= is_keys;
		if (is_keys || str_starts(part, "vals=") || str_starts(part, "val=") ||
		    str_starts(part, "values="))
			r = check_hist_names(event, value + 1, fields, err);
	}
	if (r == 0 && !has_keys)
		return err_set(err, EINVAL, "'%s' says no key: hist:keys=FIELD[,FIELD...]", head);
	return r;
}

static int check_count(const char *head, const char *count, struct err *err)
{
	uint64_t number;

	if (count && (!parse_u64(count, &number) || !number))
		return err_set(err, EINVAL, "'%s': what follows the ':' is how often, a number",
			       head);
	return 0;
}

/* "enable_event:SYSTEM:EVENT[:COUNT]", "enable_hist:SYSTEM:EVENT[:NAME]" */
static int check_switched(const struct filter_change *c, const char *head, struct err *err)
{
	cleanup(strv_fini) struct strv parts = {0};
	cleanup(strv_fini) struct strv events = {0};
	cleanup_free char *name = NULL;
	int r;

	strv_split(&parts, head, ":");
	if (parts.nr < 3)
		return err_set(err, EINVAL, "'%s' names no event: %s:SYSTEM:EVENT", head,
			       parts.item[0]);
	name = xasprintf("%s:%s", parts.item[1], parts.item[2]);
	r = tfs_match_events(c->tfs, name, &events, err);
	if (r < 0 || parts.nr < 4 || !strstr(parts.item[0], "_event"))
		return r;
	return check_count(head, parts.item[3], err);
}

int filter_check_action(const struct filter_change *c, const char *head, struct err *err)
{
	const char *colon = strchr(head, ':');

	if (str_starts(head, "enable_") || str_starts(head, "disable_"))
		return check_switched(c, head, err);
	return check_count(head, colon ? colon + 1 : NULL, err);
}

/* A kernel built without it has no file for it. */
static int check_built(const struct filter_change *c, const char *event, const char *head,
		       struct err *err)
{
	size_t len = strcspn(event, ":");
	cleanup_free char *hist = xasprintf("events/%.*s/%s/hist", (int)len, event,
					    event + len + (event[len] == ':'));

	if (str_starts(head, "hist") && !tfs_has(c->tfs, hist))
		return err_set(err, ENOENT,
			       "this kernel has no hist triggers: there is no %s/%s "
			       "(CONFIG_HIST_TRIGGERS)",
			       tfs_dir(c->tfs), hist);
	if (str_starts(head, "snapshot") && !tfs_has(c->tfs, "snapshot"))
		return err_set(err, ENOENT,
			       "this kernel takes no snapshots: there is no %s/snapshot "
			       "(CONFIG_TRACER_SNAPSHOT)",
			       tfs_dir(c->tfs));
	return 0;
}

static int check_head(const struct filter_change *c, const char *event, const char *head,
		      const struct strv *fields, struct err *err)
{
	if (str_starts(head, "hist"))
		return check_hist(event, head, fields, err);
	return filter_check_action(c, head, err);
}

/* The trigger as the kernel spells it; NULL with text when it is wrong. Caller frees. */
static char *check_trigger(const struct filter_change *c, const char *event, const char *text,
			   const struct strv *fields, struct err *err)
{
	const char *condition = strstr(text, " if ");
	cleanup_free char *head = NULL;
	cleanup(strbuf_fini) struct strbuf kernel = {0};

	head = condition ? xstrndup(text, (size_t)(condition - text)) : xstrdup(text);
	str_trim(head);
	if (check_built(c, event, head, err) < 0 || check_head(c, event, head, fields, err) < 0)
		return NULL;
	if (!condition)
		return take_ptr(head);
	if (filter_check_fields(condition + strlen(" if "), event, fields, &kernel, err) < 0)
		return NULL;
	return xasprintf("%s if %s", head, strbuf_str(&kernel));
}

/* The part of a trigger that tells it from others: its name, for hist all up to the condition, for
 * switches the event. */
static bool is_same_trigger(const char *wanted, const char *shown)
{
	cleanup_free char *a = shown_action_removal(wanted);
	size_t len = strcspn(a + 1, " ");

	if (str_starts(a + 1, "hist:"))
		return !strncmp(shown, a + 1, len) && strchr(": [", shown[len]);
	return !strncmp(shown, a + 1, len) && strchr(": ", shown[len]);
}

/* The lines of the event's trigger file that are the trigger @text, as they would be written. */
static int find_triggers(const struct filter_change *c, const char *file, const char *text,
			 struct strv *out, struct err *err)
{
	cleanup_free char *shown = NULL;
	int r = tfs_read(c->tfs, file, &shown, err);
	char *at = shown;
	char *line;

	while (r == 0 && (line = str_next_line(&at)))
		if (*line != '#' && is_same_trigger(text, line))
			strv_add_take(out, shown_action(line));
	return r;
}

static int add_trigger(struct filter_change *c, const char *event, const char *text,
		       const struct strv *fields, struct err *err)
{
	cleanup_free char *file = event_file(event, "trigger");
	cleanup_free char *kernel = check_trigger(c, event, text, fields, err);
	cleanup(strv_fini) struct strv there = {0};
	int r = kernel ? find_triggers(c, file, kernel, &there, err) : -err->code;

	if (r < 0)
		return r;
	if (strv_has(&there, kernel))
		return 0;
	if (there.nr && !str_starts(kernel, "hist:"))
		return err_set(err, EEXIST,
			       "%s has the trigger '%s' already: take it away first, with '!%s'",
			       event, there.item[0], there.item[0]);
	steps_add(&c->steps, STEP_ACTION, take_ptr(file), take_ptr(kernel));
	return 0;
}

static int remove_trigger(struct filter_change *c, const char *event, const char *text,
			  struct err *err)
{
	cleanup_free char *file = event_file(event, "trigger");
	cleanup(strv_fini) struct strv there = {0};
	int r = find_triggers(c, file, text, &there, err);

	if (r < 0)
		return r;
	if (!there.nr)
		return err_set(err, ENOENT,
			       "%s has no trigger '%s': 'ft filter %s' shows what it has", event,
			       text, event);
	for (size_t i = 0; i < there.nr; i++)
		steps_add(&c->steps, STEP_ACTION, xstrdup(file), xasprintf("!%s", there.item[i]));
	return 0;
}

static int add_filter(struct filter_change *c, const char *event, const char *text,
		      const struct strv *fields, struct err *err)
{
	cleanup_free char *file = event_file(event, "filter");
	cleanup(strbuf_fini) struct strbuf kernel = {0};

	if (!tfs_has(c->tfs, file))
		return err_set(err, ENOTSUP,
			       "event %s cannot be filtered: the kernel has no filter for it",
			       event);
	if (!strcmp(text, "0"))
		strbuf_add(&kernel, text);
	else if (filter_check_fields(text, event, fields, &kernel, err) < 0)
		return -err->code;
	steps_add(&c->steps, STEP_FILTER, take_ptr(file), strbuf_take(&kernel));
	return 0;
}

static int add_one(struct filter_change *c, const struct filter_item *item, const char *event,
		   struct err *err)
{
	cleanup(strv_fini) struct strv fields = {0};
	int r = filter_event_fields(c->tfs, event, &fields, err);

	if (r < 0)
		return r;
	switch (item->kind) {
	case ITEM_FILTER:
		return add_filter(c, event, item->what, &fields, err);
	case ITEM_TRIGGER:
		return add_trigger(c, event, item->what, &fields, err);
	default:
		return remove_trigger(c, event, item->what, err);
	}
}

static int add_item(struct filter_change *c, const struct filter_item *item, struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	int r = tfs_match_events(c->tfs, item->subject, &events, err);

	if (r == -ENOENT && !strchr(item->subject, ':'))
		err_add(err, "; a function has a sign: +%s", item->subject);
	if (r < 0)
		return r;
	if (is_glob(item->subject) || events.nr > 1)
		strv_add_take(&c->notes, xasprintf("%s: %zu event%s", item->subject, events.nr,
						   events.nr == 1 ? "" : "s"));
	for (size_t i = 0; r == 0 && i < events.nr; i++)
		r = add_one(c, item, events.item[i], err);
	return r;
}

int filter_add_events(struct filter_change *c, struct err *err)
{
	const struct filter_items *items = &c->args->items;
	int r = 0;

	for (size_t i = 0; r == 0 && i < items->nr; i++)
		if (items->item[i].kind == ITEM_FILTER || items->item[i].kind == ITEM_TRIGGER ||
		    items->item[i].kind == ITEM_TRIGGER_OFF)
			r = add_item(c, &items->item[i], err);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of ft filter: functions with a sign, and events with what is to happen to them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/filter.h"
#include "util/mem.h"

static const char *const commands[] = {
	"traceon", "traceoff", "stacktrace",   "snapshot",
	"dump",	   "cpudump",  "enable_event", "disable_event",
};

static const char *const triggers[] = {
	"stacktrace",	"snapshot",	 "traceon",	"traceoff",	"hist",
	"enable_event", "disable_event", "enable_hist", "disable_hist",
};

void filter_items_fini(struct filter_items *items)
{
	for (size_t i = 0; i < items->nr; i++) {
		free(items->item[i].subject);
		free(items->item[i].what);
	}
	free(items->item);
	*items = (struct filter_items){0};
}

static void add_item(struct filter_items *items, enum filter_item_kind kind, char *subject,
		     char *what)
{
	items->item = xrealloc(items->item, (items->nr + 1) * sizeof(*items->item));
	items->item[items->nr++] = (struct filter_item){kind, subject, what};
}

/* Where the command of "FUNC:COMMAND" begins, NULL for a plain function or "FUNC:mod:MODULE". */
static const char *find_command(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && !str_starts(colon, ":mod:") ? colon + 1 : NULL;
}

static int check_command(const char *word, const char *command, struct err *err)
{
	cleanup_free char *name = xstrndup(command, strcspn(command, ":"));
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	cleanup_free char *all = NULL;

	for (size_t i = 0; i < array_size(commands); i++) {
		if (!strcmp(commands[i], name))
			return 0;
		strv_add(&names, commands[i]);
	}
	near = near_names(name, &names);
	all = strv_join(&names, ", ");
	return err_set(err, EINVAL, "'%s': functions have no command '%s'%s: it is one of %s", word,
		       name, near, all);
}

static int take_function(const char *word, struct filter_items *out, struct err *err)
{
	char sign = *word == ':' ? '+' : *word;
	const char *text = *word == ':' ? word : word + 1;
	const char *command = find_command(text);
	int r;

	if (!*text)
		return err_set(err, EINVAL, "'%s' names no function", word);
	if (!command) {
		add_item(out,
			 sign == '+'   ? ITEM_ADD
			 : sign == '-' ? ITEM_KEEP_OUT
				       : ITEM_TAKE_OUT,
			 xstrdup(text), NULL);
		return 0;
	}
	if (sign == '-')
		return err_set(err, EINVAL,
			       "'%s': a command has no '-'; '+%s' adds it, '!%s' takes it away",
			       word, text, text);
	r = check_command(word, command, err);
	if (r < 0)
		return r;
	add_item(out, sign == '+' ? ITEM_COMMAND : ITEM_COMMAND_OFF,
		 xstrndup(text, (size_t)(command - 1 - text)), xstrdup(command));
	return 0;
}

/* "stacktrace", "traceoff:3", "hist:keys=pid", "snapshot if pid == 1": a filter would go on with a
 * comparison. */
static bool is_trigger(const char *text)
{
	for (size_t i = 0; i < array_size(triggers); i++) {
		size_t len = strlen(triggers[i]);
		const char *rest = text + len;

		if (strncmp(text, triggers[i], len))
			continue;
		if (!*rest || *rest == ':')
			return true;
		while (*rest == ' ')
			rest++;
		if (rest > text + len && str_starts(rest, "if "))
			return true;
	}
	return false;
}

/* A lone word can only be meant as a trigger: filters have at least three. */
static bool is_lone_word(const char *text)
{
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

static int unknown_trigger(const char *event, const char *what, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;

	for (size_t i = 0; i < array_size(triggers); i++)
		strv_add(&names, triggers[i]);
	strv_add(&names, "none");
	near = near_names(what, &names);
	if (*near)
		return err_set(err, EINVAL, "'%s' is neither a filter nor a trigger for %s%s", what,
			       event, near);
	return err_set(err, EINVAL,
		       "'%s' is neither a filter nor a trigger for %s (a filter is FIELD OP VALUE, "
		       "or none; for functions write +%s +%s)",
		       what, event, event, what);
}

/* An event has one filter: of two the kernel would keep the second. */
static int add_filter(const char *event, const char *what, struct filter_items *out,
		      struct err *err)
{
	for (size_t i = 0; i < out->nr; i++)
		if (out->item[i].kind == ITEM_FILTER && !strcmp(out->item[i].subject, event))
			return err_set(err, EINVAL,
				       "%s has two filters here: join them, (%s) && (%s)", event,
				       out->item[i].what, what);
	add_item(out, ITEM_FILTER, xstrdup(event), xstrdup(what));
	return 0;
}

static int take_event(const char *event, const char *typed, struct filter_items *out,
		      struct err *err)
{
	cleanup_free char *copy = typed ? xstrdup(typed) : NULL;
	const char *what = copy ? str_trim(copy) : NULL;

	if (!what) {
		add_item(out, ITEM_SHOW, xstrdup(event), NULL);
		return 0;
	}
	if (!*what)
		return err_set(err, EINVAL, "the filter of %s is empty; 'none' takes it away",
			       event);
	if (*what == '!' && is_trigger(what + 1))
		add_item(out, ITEM_TRIGGER_OFF, xstrdup(event), xstrdup(what + 1));
	else if (is_trigger(what))
		add_item(out, ITEM_TRIGGER, xstrdup(event), xstrdup(what));
	else if (!strcmp(what, "none") || !strcmp(what, "0"))
		return add_filter(event, "0", out, err);
	else if (is_lone_word(what + (*what == '!')))
		return unknown_trigger(event, what, err);
	else
		return add_filter(event, what, out, err);
	return 0;
}

int filter_items_parse(const struct strv *words, struct filter_items *out, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < words->nr && r == 0; i++) {
		const char *word = words->item[i];

		if (!*word)
			return err_set(err, EINVAL,
				       "an empty word names neither function nor event");
		if (strchr("+-!", *word) || str_starts(word, ":mod:")) {
			r = take_function(word, out, err);
			continue;
		}
		r = take_event(word, i + 1 < words->nr ? words->item[i + 1] : NULL, out, err);
		i++;
	}
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel shows in its files is not what it takes: from the one to the other. */
#include "session/shown.h"

#include <ctype.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"

char *shown_value(const char *shown)
{
	static const char expanded[] = "(expanded: ";
	const char *at;

	at = strchr(shown, '[');
	if (at && strchr(at, ']'))
		return xstrndup(at + 1, strcspn(at + 1, "]"));
	at = strstr(shown, expanded);
	if (at)
		return xstrndup(at + strlen(expanded), strspn(at + strlen(expanded), "0123456789"));
	if (!strcmp(shown, "0*") || !strcmp(shown, "1*"))
		return xstrndup(shown, 1);
	return xstrdup(shown);
}

char *shown_list(const char *shown)
{
	cleanup_free char *copy = xstrdup(shown);
	struct strbuf sb = {0};
	char *at = copy;

	/* Tens of thousands of lines: no formatting here. */
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		size_t len = strcspn(line, " \t");
		const char *module = line + len + strspn(line + len, " \t");

		/* A command such as "schedule:traceoff:unlimited" outlives an emptied list; what
		 * waits for a module, "*:mod:ext4", does not. */
		if (line[0] == '#' || !strcmp(line, "no pid") ||
		    (strchr(line, ':') && !strstr(line, ":mod:")))
			continue;
		strbuf_add_mem(&sb, line, len);
		if (*module == '[') {
			strbuf_add(&sb, ":mod:");
			strbuf_add_mem(&sb, module + 1, strcspn(module + 1, "]"));
		}
		if (*line)
			strbuf_add(&sb, "\n");
	}
	return strbuf_take(&sb);
}

/* Length of the action proper: up to its condition. */
static size_t until_condition(const char *action)
{
	const char *at = strstr(action, " if ");

	return at ? (size_t)(at - action) : strlen(action);
}

char *shown_action(const char *shown)
{
	static const char unlimited[] = ":unlimited";
	static const char count[] = ":count=";
	cleanup_free char *head = xstrndup(shown, until_condition(shown));
	const char *condition = shown + strlen(head);
	struct strbuf sb = {0};
	bool is_paused = false;
	const char *tail;
	char *at;

	/* What the kernel adds to hist triggers to say how they are. */
	at = strstr(head, " [");
	if (at) {
		is_paused = str_starts(at, " [paused]");
		*at = '\0';
	} else if (str_ends(head, unlimited))
		head[strlen(head) - strlen(unlimited)] = '\0';
	at = strstr(head, count);
	if (at)
		strbuf_addf(&sb, "%.*s:%s", (int)(at - head), head, at + strlen(count));
	else
		strbuf_add(&sb, head);
	/* A hist trigger says so behind its condition. */
	tail = str_starts(shown, "hist:") ? strstr(condition, " [") : NULL;
	is_paused |= tail && str_starts(tail, " [paused]");
	strbuf_addf(&sb, "%s%.*s", is_paused ? ":pause" : "",
		    (int)(tail ? (size_t)(tail - condition) : strlen(condition)), condition);
	return strbuf_take(&sb);
}

/* "vfs_read:traceoff:3": for the kernel one with a count is another command than one without. */
static bool is_function_command(const char *action)
{
	static const char *const names[] = {
		"traceon", "traceoff", "stacktrace",   "snapshot",
		"dump",	   "cpudump",  "enable_event", "disable_event",
	};
	const char *colon = strchr(action, ':');

	for (size_t i = 0; colon && i < array_size(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(colon + 1, names[i], len) &&
		    (!colon[1 + len] || colon[1 + len] == ':'))
			return true;
	}
	return false;
}

char *shown_action_removal(const char *action)
{
	size_t len = until_condition(action);
	size_t end = len;

	/* A count at the end is no part of the action's name; a hist trigger's last word may be a
	 * number, too, but never after a bare ':'. */
	while (end && isdigit((unsigned char)action[end - 1]))
		end--;
	if (end && end < len && action[end - 1] == ':')
		len = end - 1;
	return str_starts(action, "hist:") || is_function_command(action)
		       ? xasprintf("!%s", action)
		       : xasprintf("!%.*s", (int)len, action);
}

/* Masks of CPUs have leading zeros and commas. */
static char *plain_mask(const char *mask)
{
	struct strbuf sb = {0};

	for (; *mask; mask++)
		if (isxdigit((unsigned char)*mask) && (sb.len || *mask != '0'))
			strbuf_add_mem(&sb, mask, 1);
	return strbuf_take(&sb);
}

static bool is_size(const char *file)
{
	return str_ends(file, "buffer_size_kb") || str_ends(file, "saved_cmdlines_size") ||
	       str_ends(file, "buffer_subbuf_size_kb");
}

enum shown_match shown_compare(const char *file, const char *wanted, const char *value)
{
	uint64_t want;
	uint64_t got;

	if (!strcmp(wanted, value))
		return SHOWN_SAME;
	if (str_ends(file, "tracing_cpumask")) {
		cleanup_free char *a = plain_mask(wanted);
		cleanup_free char *b = plain_mask(value);

		return strcmp(a, b) ? SHOWN_DIFFERS : SHOWN_SAME;
	}
	if (!parse_u64(wanted, &want) || !parse_u64(value, &got))
		return SHOWN_DIFFERS;
	if (want == got)
		return SHOWN_SAME;
	return is_size(file) && got > want ? SHOWN_ROUNDED : SHOWN_DIFFERS;
}

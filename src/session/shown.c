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

	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		/* A command such as "schedule:traceoff:unlimited" outlives an emptied list. */
		if (line[0] == '#' || strchr(line, ':') || !strcmp(line, "no pid"))
			continue;
		line[strcspn(line, " \t")] = '\0';
		if (line[0])
			strbuf_addf(&sb, "%s\n", line);
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
	char *at;

	/* What the kernel adds to hist triggers to say how they are. */
	at = strstr(head, " [active]");
	if (at)
		*at = '\0';
	else if (str_ends(head, unlimited))
		head[strlen(head) - strlen(unlimited)] = '\0';
	at = strstr(head, count);
	if (at)
		strbuf_addf(&sb, "%.*s:%s", (int)(at - head), head, at + strlen(count));
	else
		strbuf_add(&sb, head);
	strbuf_addf(&sb, "%s", condition);
	if (str_ends(sb.text, " [active]"))
		sb.text[strlen(sb.text) - strlen(" [active]")] = '\0';
	return strbuf_take(&sb);
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
	return str_starts(action, "hist:") ? xasprintf("!%s", action)
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of markers, in the grammar that ft report, Perfetto and Android's tools share. */
#include "cmd/marker_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

/* How much of a long text a message shows. */
#define SHOWN 40

void marker_line_fini(struct marker_line *line)
{
	free(line->head);
	free(line->body);
	free(line->tail);
	*line = (struct marker_line){0};
}

char *marker_line_text(const struct marker_line *line)
{
	return xasprintf("%s%s%s", line->head, line->body, line->tail);
}

int marker_text_words(const struct strv *words, size_t first, struct marker_line *out,
		      struct err *err)
{
	struct strbuf sb = {0};

	for (size_t i = first; i < words->nr; i++) {
		if (i > first)
			strbuf_add(&sb, " ");
		strbuf_add(&sb, words->item[i]);
	}
	if (sb.len && sb.text[sb.len - 1] == '\n')
		sb.text[--sb.len] = '\0';
	*out = (struct marker_line){
		.head = xstrdup(""), .body = strbuf_take(&sb), .tail = xstrdup("")};
	if (!out->body[0])
		return err_set(err, EINVAL, "the text is empty");
	if (strchr(out->body, '\n'))
		return err_set(err, EINVAL,
			       "the text holds a newline, and a marker is one line (--stdin makes "
			       "a marker of each line)");
	return 0;
}

int marker_check_name(const char *name, struct err *err)
{
	if (!*name)
		return err_set(err, EINVAL, "the name is empty");
	if (strchr(name, '|'))
		return err_set(err, EINVAL,
			       "the name '%.*s' holds '|', which parts the fields of a marker",
			       SHOWN, name);
	for (const char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c))
			return err_set(err, EINVAL, "the name holds a %s at byte %zu",
				       *c == '\n' ? "newline" : "control character",
				       (size_t)(c - name) + 1);
	return 0;
}

static int set_named(char kind, pid_t pid, const char *name, char *tail, struct marker_line *out,
		     struct err *err)
{
	*out = (struct marker_line){.head = xasprintf("%c|%d|", kind, (int)pid),
				    .body = xstrdup(name),
				    .tail = tail,
				    .is_name = true};
	return marker_check_name(name, err);
}

int marker_text_async(char kind, pid_t pid, const char *name, uint32_t cookie,
		      struct marker_line *out, struct err *err)
{
	return set_named(kind, pid, name, xasprintf("|%" PRIu32, cookie), out, err);
}

int marker_text_instant(pid_t pid, const char *name, struct marker_line *out, struct err *err)
{
	return set_named('I', pid, name, xstrdup(""), out, err);
}

int marker_text_counter(pid_t pid, const char *assignment, struct marker_line *out, struct err *err)
{
	const char *equals = strrchr(assignment, '=');
	cleanup_free char *name = NULL;
	long value;

	if (!equals)
		return err_set(err, EINVAL, "--counter takes NAME=VALUE, not '%.*s'", SHOWN,
			       assignment);
	name = xstrndup(assignment, (size_t)(equals - assignment));
	if (!parse_long(equals + 1, &value))
		return err_set(err, EINVAL,
			       "the value of a counter is an integer of 64 bits, not '%.*s'", SHOWN,
			       equals + 1);
	return set_named('C', pid, name, xasprintf("|%ld", value), out, err);
}

uint32_t marker_cookie(const char *name)
{
	uint32_t hash = 2166136261u;

	/* FNV-1a. */
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash & INT32_MAX;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

bool marker_is_utf8(const char *s, size_t len)
{
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		size = str_utf8_length(s + i, len - i);
		if (!size)
			return false;
	}
	return true;
}

size_t marker_cut(const char *s, size_t len, size_t limit)
{
	size_t start = limit;

	if (len <= limit)
		return len;
	while (start && limit - start < 3 && is_continuation(s[start]))
		start--;
	/* Only where the bytes before are the beginning of a character do they go with it. */
	return start + str_utf8_length(s + start, len - start) > limit ? start : limit;
}

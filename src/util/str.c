/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing strings and lists of strings. */
#include "util/str.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

static void strbuf_reserve(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;

	if (need <= sb->room)
		return;
	sb->room = need < 64 ? 64 : need + need / 2;
	sb->text = xrealloc(sb->text, sb->room);
}

void strbuf_fini(struct strbuf *sb)
{
	free(sb->text);
	*sb = (struct strbuf){0};
}

void strbuf_add_mem(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_reserve(sb, len);
	if (len)
		memcpy(sb->text + sb->len, data, len);
	sb->len += len;
	sb->text[sb->len] = '\0';
}

void strbuf_add(struct strbuf *sb, const char *s)
{
	strbuf_add_mem(sb, s, strlen(s));
}

void strbuf_add_shell_word(struct strbuf *sb, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_:,.-/";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_add(sb, word);
		return;
	}
	strbuf_add(sb, "'");
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_add(sb, "'\\''");
		else
			strbuf_add_mem(sb, word, 1);
	}
	strbuf_add(sb, "'");
}

void strbuf_add_shell_echo(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, strchr(text, '\\') ? "printf '%s\\n' " : "echo ");
	strbuf_add_shell_word(sb, text);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	cleanup_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	strbuf_add(sb, text);
}

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->text ? sb->text : "";
}

char *strbuf_take(struct strbuf *sb)
{
	char *text = sb->text ? sb->text : xstrdup("");

	*sb = (struct strbuf){0};
	return text;
}

void strv_fini(struct strv *v)
{
	for (size_t i = 0; i < v->nr; i++)
		free(v->item[i]);
	free(v->item);
	*v = (struct strv){0};
}

void strv_add_take(struct strv *v, char *s)
{
	if (v->nr + 2 > v->room) {
		v->room = v->room ? v->room * 2 : 8;
		v->item = xrealloc(v->item, v->room * sizeof(*v->item));
	}
	v->item[v->nr++] = s;
	v->item[v->nr] = NULL;
}

void strv_add(struct strv *v, const char *s)
{
	strv_add_take(v, xstrdup(s));
}

bool strv_has(const struct strv *v, const char *s)
{
	for (size_t i = 0; i < v->nr; i++)
		if (!strcmp(v->item[i], s))
			return true;
	return false;
}

static int compare_items(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_sort(struct strv *v)
{
	if (v->nr > 1)
		qsort(v->item, v->nr, sizeof(*v->item), compare_items);
}

void strv_uniq(struct strv *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->nr; i++) {
		if (kept && !strcmp(v->item[kept - 1], v->item[i]))
			free(v->item[i]);
		else
			v->item[kept++] = v->item[i];
	}
	v->nr = kept;
	if (v->item)
		v->item[kept] = NULL;
}

void strv_copy(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->nr; i++)
		strv_add(to, from->item[i]);
}

void strv_split(struct strv *v, const char *text, const char *seps)
{
	while (*text) {
		size_t len = strcspn(text, seps);

		if (len)
			strv_add_take(v, xstrndup(text, len));
		text += len;
		if (*text)
			text++;
	}
}

char *strv_join(const struct strv *v, const char *sep)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < v->nr; i++) {
		if (i)
			strbuf_add(&sb, sep);
		strbuf_add(&sb, v->item[i]);
	}
	return strbuf_take(&sb);
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t len = strlen(s);
	size_t end = strlen(suffix);

	return len >= end && !strcmp(s + len - end, suffix);
}

char *str_trim(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return s;
}

char *str_next_line(char **at)
{
	char *line = *at;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*at = end;
	return line;
}

bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

bool glob_matches(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, 0) == 0;
}

size_t str_utf8_length(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

bool str_is_high_control(const char *text, size_t len)
{
	return len == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

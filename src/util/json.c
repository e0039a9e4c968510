/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of JSON text. */
#include "util/json.h"

#include <string.h>

static void add_escaped(struct strbuf *sb, unsigned char c)
{
	static const char plain[] = "\"\\\n\t\r\b\f";
	static const char letter[] = "\"\\ntrbf";
	const char *at = strchr(plain, c);

	if (at)
		strbuf_addf(sb, "\\%c", letter[at - plain]);
	else
		strbuf_addf(sb, "\\u%04x", c);
}

void json_add_string(struct strbuf *sb, const char *s)
{
	size_t left;

	if (!s) {
		strbuf_add(sb, "null");
		return;
	}
	left = strlen(s);
	strbuf_add(sb, "\"");
	while (left) {
		size_t len = str_utf8_length(s, left);

		if (!len)
			strbuf_add(sb, "\\ufffd");
		else if ((unsigned char)*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f)
			add_escaped(sb, (unsigned char)*s);
		else if (str_is_high_control(s, len))
			/* The code is that of the second byte. */
			add_escaped(sb, (unsigned char)s[1]);
		else
			strbuf_add_mem(sb, s, len);
		len = len ? len : 1;
		s += len;
		left -= len;
	}
	strbuf_add(sb, "\"");
}

static void add_name(struct strbuf *sb, const char *name)
{
	char last = sb->len ? sb->text[sb->len - 1] : '{';

	if (last != '{' && last != '[')
		strbuf_add(sb, ",");
	json_add_string(sb, name);
	strbuf_add(sb, ":");
}

void json_add_member(struct strbuf *sb, const char *name, const char *value)
{
	add_name(sb, name);
	json_add_string(sb, value);
}

void json_add_raw(struct strbuf *sb, const char *name, const char *json)
{
	add_name(sb, name);
	strbuf_add(sb, json);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of JSON text. */
#include "util/json.h"

#include <string.h>

/* Length of the UTF-8 sequence at @s, 0 when it is none. Overlong forms, surrogates and what lies
 * above U+10FFFF are none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

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
	const unsigned char *at = (const unsigned char *)s;

	if (!s) {
		strbuf_add(sb, "null");
		return;
	}
	strbuf_add(sb, "\"");
	while (*at) {
		size_t len = utf8_length(at);

		if (!len)
			strbuf_add(sb, "\\ufffd");
		else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f)
			add_escaped(sb, *at);
		else
			strbuf_add_mem(sb, at, len);
		at += len ? len : 1;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of JSON text. */
#pragma once

#include "util/str.h"

/* Adds @s in quotes, escaped; bytes that are no UTF-8 become U+FFFD. NULL becomes null. */
void json_add_string(struct strbuf *sb, const char *s);
/* Adds "name":"value" with a comma in front unless an object or list was just opened. */
void json_add_member(struct strbuf *sb, const char *name, const char *value);
/* The same with a value that is JSON already: a number, true, a list. */
void json_add_raw(struct strbuf *sb, const char *name, const char *json);

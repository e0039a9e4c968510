/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the tracing directory in the list of mounts. Nothing is ever mounted here. */
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"
#include "util/str.h"

#define USUAL_PLACE "/sys/kernel/tracing"

/* The parts of a line that matter. All point into it. */
struct mount {
	char *root; /* "/" when the whole file system is mounted, not a part of it */
	char *where;
	const char *type;
};

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes blanks, tabs, newlines and backslashes as three octal digits. */
static void undo_escapes(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* A line is "id parent maj:min root where options [optional fields] - type source options": the
 * number of optional fields differs, so the type is what follows the lone dash. */
static bool parse_mount(char *line, struct mount *m)
{
	char *field[6];
	char *save = NULL;
	char *word;

	for (size_t i = 0; i < array_size(field); i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return false;
	}
	do {
		word = strtok_r(NULL, " ", &save);
	} while (word && strcmp(word, "-"));
	m->type = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!m->type)
		return false;
	m->root = field[3];
	m->where = field[4];
	undo_escapes(m->where);
	return true;
}

char *mounts_find_tracing(const char *mountinfo)
{
	cleanup_free char *copy = xstrdup(mountinfo);
	cleanup_free char *tracefs = NULL;
	cleanup_free char *debugfs = NULL;
	char *at = copy;
	char *line;

	while ((line = str_next_line(&at))) {
		struct mount m;

		/* A bind mount of a part, an instance say, is not the whole. */
		if (!parse_mount(line, &m) || strcmp(m.root, "/"))
			continue;
		if (!strcmp(m.type, "tracefs")) {
			if (!strcmp(m.where, USUAL_PLACE))
				return xstrdup(m.where);
			if (!tracefs)
				tracefs = xstrdup(m.where);
		}
		if (!strcmp(m.type, "debugfs") && !debugfs)
			debugfs = xasprintf("%s/tracing", m.where);
	}
	return tracefs ? take_ptr(tracefs) : take_ptr(debugfs);
}

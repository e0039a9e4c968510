/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to put back what was changed: a list in memory, and the same list in a journal file, so that
 * another process can do it when this one is gone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/str.h"

enum undo_kind {
	UNDO_WRITE,  /* write text to path */
	UNDO_LIST,   /* empty path, then write each line of text to it */
	UNDO_REMOVE, /* rmdir path */
	UNDO_MAKE,   /* mkdir path */
	UNDO_APPEND, /* write text, which adds or takes away one thing; the rest of path stays */
};

/* Begins the lines of a journal that say what files were like when the change was complete; they
 * are no entries. */
#define UNDO_SEAL '='
/* A line of this alone: the change of the entry before it has been refused. */
#define UNDO_REFUSED '-'

struct undo {
	enum undo_kind kind;
	char *path; /* absolute */
	char *text;
	/* What the file showed after the last write to it, where that was read; NULL elsewhere. The
	 * kernel takes seconds to show a list of tens of thousands of functions. */
	char *shown;
};

struct undo_list {
	struct undo *entry;
	size_t nr;
	int journal; /* descriptor that each entry is appended to before the change; -1 none */
};

void undo_list_fini(struct undo_list *list);

/* Remembers one change that is about to be made: to the journal first. Copies the texts. */
int undo_add(struct undo_list *list, enum undo_kind kind, const char *path, const char *text,
	     struct err *err);

/* The change that was remembered last has been refused: there is nothing of it to take back. */
void undo_forget_last(struct undo_list *list);

/* Keeps what @path shows after a write to it for whoever needs it next; NULL: it is not known. Takes
 * @shown over. */
void undo_note_shown(struct undo_list *list, const char *path, char *shown);

/* Puts everything back, newest first, and empties the list. Goes on after a failure; the first one
 * is returned. */
int undo_run(struct undo_list *list, struct err *err);

/* The same as lines for a shell, in the order in which undo_run() would do it. */
void undo_print(const struct undo_list *list, struct strbuf *out);

/* Reads the entries of a journal from its beginning. A last line that is cut is left out: its
 * change has not been made. */
int undo_read_journal(int fd, struct undo_list *list, struct err *err);

/* Tabs, newlines and backslashes cannot stand in a line of the journal as they are. The caller frees
 * what undo_unescape() returns. */
void undo_escape(struct strbuf *sb, const char *text);
char *undo_unescape(const char *text);

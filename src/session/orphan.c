/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording leaves whose ft is gone. In the journal its lines look like comments. */
#include "session/orphan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/undo.h"
#include "util/io.h"
#include "util/mem.h"

#define FILE_LINE "#file\t"
#define UNDONE_LINE "#undone"

static int add_line(int journal, const struct strbuf *line, struct err *err)
{
	int r = io_write_all(journal, line->text, line->len);

	return r < 0 ? err_sys(err, -r, "cannot write the undo journal") : 0;
}

int orphan_note(int journal, const char *path, const char *where, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf line = {0};

	strbuf_add(&line, FILE_LINE);
	undo_escape(&line, path);
	strbuf_add(&line, "\t");
	undo_escape(&line, where);
	strbuf_add(&line, "\n");
	return add_line(journal, &line, err);
}

int orphan_note_undone(int journal, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf line = {0};

	strbuf_add(&line, UNDONE_LINE "\n");
	return add_line(journal, &line, err);
}

/* What a journal says of its file; the texts are to be freed. */
struct orphan {
	char *path; /* NULL: there is none */
	char *where;
	bool undone;
};

static void orphan_fini(struct orphan *orphan)
{
	free(orphan->path);
	free(orphan->where);
}

static void orphan_texts_fini(struct orphan_texts *texts)
{
	free(texts->names);
	free(texts->text);
}

static void take_file(struct orphan *orphan, char *line)
{
	char *path = line + strlen(FILE_LINE);
	char *tab = strchr(path, '\t');

	if (!tab)
		return;
	*tab = '\0';
	orphan_fini(orphan);
	orphan->path = undo_unescape(path);
	orphan->where = undo_unescape(tab + 1);
}

static void read_orphan(int journal, struct orphan *out)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	char *at;
	char *end;

	if (lseek(journal, 0, SEEK_SET) < 0 || io_read_fd(journal, &text) < 0 || !text.len)
		return;
	/* A last line that is cut says nothing. */
	end = strrchr(text.text, '\n');
	if (!end)
		return;
	end[1] = '\0';
	at = text.text;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		if (str_starts(line, FILE_LINE))
			take_file(out, line);
		else if (!strcmp(line, UNDONE_LINE))
			out->undone = true;
	}
}

static int undo_all(int journal, struct err *err)
{
	struct undo_list list = {.journal = -1};
	int r = undo_read_journal(journal, &list, err);

	if (r == 0)
		r = undo_run(&list, err);
	undo_list_fini(&list);
	return r;
}

int orphan_settle(int journal, const struct orphan_ops *ops, struct err *err)
{
	cleanup(orphan_fini) struct orphan orphan = {0};
	cleanup(orphan_texts_fini) struct orphan_texts texts = {0};
	int r = 0;
	int next;

	read_orphan(journal, &orphan);
	if (!orphan.undone) {
		if (ops && orphan.path)
			ops->ask(orphan.where, &texts);
		r = undo_all(journal, err);
	}
	if (!ops || !orphan.path)
		return r;
	next = ops->close(orphan.path, orphan.where, &texts, r < 0 ? NULL : err);
	return r < 0 ? r : next;
}

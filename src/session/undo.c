/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to put back what was changed. */
#include "session/undo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "session/shown.h"
#include "tracefs/tracefs.h"
#include "util/io.h"
#include "util/mem.h"

/* rmdir of an instance and a change of tracer are refused while a reader is still closing. */
#define BUSY_TRIES 50
#define BUSY_PAUSE_MS 20

void undo_list_fini(struct undo_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->entry[i].path);
		free(list->entry[i].text);
		free(list->entry[i].shown);
	}
	free(list->entry);
	list->entry = NULL;
	list->nr = 0;
}

static void push(struct undo_list *list, enum undo_kind kind, char *path, char *text)
{
	list->entry = xrealloc(list->entry, (list->nr + 1) * sizeof(*list->entry));
	list->entry[list->nr++] = (struct undo){kind, path, text, NULL};
}

/* In the order of enum undo_kind. */
static const char kind_letters[] = "WLRMA";

void undo_escape(struct strbuf *sb, const char *text)
{
	for (;; text++) {
		size_t len = strcspn(text, "\n\t\\");

		strbuf_add_mem(sb, text, len);
		text += len;
		if (!*text)
			return;
		strbuf_add(sb, *text == '\n' ? "\\n" : *text == '\t' ? "\\t" : "\\\\");
	}
}

char *undo_unescape(const char *text)
{
	struct strbuf sb = {0};

	for (; *text; text++) {
		size_t len = strcspn(text, "\\");
		char c;

		strbuf_add_mem(&sb, text, len);
		text += len;
		c = *text;
		if (!c)
			break;
		if (c == '\\' && text[1]) {
			text++;
			c = *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
		}
		strbuf_add_mem(&sb, &c, 1);
	}
	return strbuf_take(&sb);
}

static int write_journal(int fd, enum undo_kind kind, const char *path, const char *text)
{
	cleanup(strbuf_fini) struct strbuf line = {0};

	strbuf_addf(&line, "%c\t", kind_letters[kind]);
	undo_escape(&line, path);
	strbuf_add(&line, "\t");
	undo_escape(&line, text);
	strbuf_add(&line, "\n");
	return io_write_all(fd, line.text, line.len);
}

int undo_add(struct undo_list *list, enum undo_kind kind, const char *path, const char *text,
	     struct err *err)
{
	int r;

	if (list->journal >= 0) {
		r = write_journal(list->journal, kind, path, text);
		if (r < 0)
			return err_sys(err, -r, "cannot write the undo journal");
	}
	push(list, kind, xstrdup(path), xstrdup(text));
	return 0;
}

static void pop(struct undo_list *list)
{
	struct undo *last = &list->entry[--list->nr];

	free(last->path);
	free(last->text);
	free(last->shown);
}

void undo_forget_last(struct undo_list *list)
{
	static const char line[] = {UNDO_REFUSED, '\n'};

	if (!list->nr)
		return;
	/* Where that cannot be written, the undo is tried, and fails. */
	if (list->journal >= 0)
		io_write_all(list->journal, line, sizeof(line));
	pop(list);
}

void undo_note_shown(struct undo_list *list, const char *path, char *shown)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct undo *undo = &list->entry[i];

		if (strcmp(undo->path, path))
			continue;
		free(undo->shown);
		undo->shown = take_ptr(shown);
	}
	free(shown);
}

static int write_text(int fd, const char *text)
{
	ssize_t n;

	do {
		n = write(fd, text, strlen(text));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* The kernel takes one token a write in its lists, each with its end. */
static int write_lines(int fd, const char *text)
{
	cleanup(strv_fini) struct strv lines = {0};

	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		cleanup_free char *line = xasprintf("%s\n", lines.item[i]);
		int r = write_text(fd, line);

		if (r < 0)
			return r;
	}
	return 0;
}

/* All processes at once: the kernel waits a grace period for each write but the first. */
static int write_pids(int fd, const char *text)
{
	cleanup(strv_fini) struct strv pids = {0};
	cleanup_free char *lines = NULL;
	cleanup_free char *all = NULL;

	strv_split(&pids, text, "\n");
	lines = strv_join(&pids, "\n");
	all = xasprintf("%s\n", lines);
	return pids.nr ? io_write_all(fd, all, strlen(all)) : 0;
}

/* The same by the numbers of the functions: a name can stand for several of which only one was on the
 * list. False where nothing has been written: the names have to do. */
static bool write_numbers(int fd, const struct undo *undo)
{
	const char *instances = strstr(undo->path, "/instances/");
	const char *end = instances ? instances : strrchr(undo->path, '/');
	cleanup_free char *top = xstrndup(undo->path, (size_t)(end - undo->path));
	cleanup(strv_fini) struct strv names = {0};
	cleanup(tfs_numbered_fini) struct tfs_numbered numbered = {0};
	cleanup_free char *text = NULL;

	if (!*undo->text || (!str_ends(undo->path, "/set_ftrace_filter") &&
			     !str_ends(undo->path, "/set_ftrace_notrace")))
		return false;
	strv_split(&names, undo->text, "\n");
	if (!tfs_number_functions(top, &names, true, &numbered))
		return false;
	text = strv_join(&numbered.tokens, "\n");
	return write_lines(fd, text) == 0;
}

static int put_back(const struct undo *undo)
{
	cleanup_close int fd = -1;
	int r;

	if (undo->kind == UNDO_REMOVE)
		return rmdir(undo->path) < 0 && errno != ENOENT ? -errno : 0;
	if (undo->kind == UNDO_MAKE)
		return mkdir(undo->path, 0750) < 0 && errno != EEXIST ? -errno : 0;
	fd = open(undo->path, O_WRONLY | O_CLOEXEC | (undo->kind == UNDO_LIST ? O_TRUNC : 0));
	if (fd < 0)
		return -errno;
	if (undo->kind != UNDO_LIST)
		r = write_text(fd, undo->text);
	else if (str_ends(undo->path, "_pid"))
		r = write_pids(fd, undo->text);
	else
		r = write_numbers(fd, undo) ? 0 : write_lines(fd, undo->text);
	/* Lists take effect at close, which is when the kernel may refuse them. */
	if (close(take_fd(fd)) < 0 && r == 0)
		r = -errno;
	return r;
}

static int put_back_patiently(const struct undo *undo)
{
	const struct timespec pause = {0, BUSY_PAUSE_MS * 1000000L};
	int r = put_back(undo);

	for (int tries = 0; r == -EBUSY && tries < BUSY_TRIES; tries++) {
		nanosleep(&pause, NULL);
		r = put_back(undo);
	}
	return r;
}

/* What could not be written because nothing can be (read-only, without rights) was not changed either. */
static bool is_as_it_was(const struct undo *undo)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup_free char *now = NULL;

	if ((undo->kind != UNDO_WRITE && undo->kind != UNDO_LIST) ||
	    io_read_file(undo->path, &text, NULL) < 0)
		return false;
	if (undo->kind == UNDO_LIST) {
		now = shown_list(strbuf_str(&text));
		return !strcmp(now, undo->text);
	}
	/* "0" is how no filter is written. */
	now = text.text ? shown_value(str_trim(text.text)) : xstrdup("");
	return shown_compare(undo->path, undo->text, now) == SHOWN_SAME ||
	       (!strcmp(now, "none") && !strcmp(undo->text, "0"));
}

int undo_run(struct undo_list *list, struct err *err)
{
	int first = 0;

	for (size_t i = list->nr; i-- > 0;) {
		const struct undo *undo = &list->entry[i];
		int r = put_back_patiently(undo);

		/* A file that went away with its event or tracer needs nothing put back. */
		if (r == 0 || r == -ENOENT || first < 0 || is_as_it_was(undo))
			continue;
		first = err_sys(err, -r, "cannot put %s back to '%s'", undo->path, undo->text);
	}
	undo_list_fini(list);
	return first;
}

/* "echo TEXT > PATH" */
static void print_write(const char *text, const char *sign, const char *path, struct strbuf *out)
{
	cleanup_free char *word = xstrdup(text);

	strbuf_add_shell_echo(out, str_trim(word));
	strbuf_addf(out, " %s ", sign);
	strbuf_add_shell_word(out, path);
	strbuf_add(out, "\n");
}

static void print_bare(const char *command, const char *path, struct strbuf *out)
{
	strbuf_addf(out, "%s ", command);
	strbuf_add_shell_word(out, path);
	strbuf_add(out, "\n");
}

static void print_lines(const struct undo *undo, struct strbuf *out)
{
	cleanup(strv_fini) struct strv lines = {0};

	print_bare(": >", undo->path, out);
	strv_split(&lines, undo->text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		print_write(lines.item[i], ">>", undo->path, out);
}

void undo_print(const struct undo_list *list, struct strbuf *out)
{
	for (size_t i = list->nr; i-- > 0;) {
		const struct undo *undo = &list->entry[i];

		if (undo->kind == UNDO_REMOVE)
			print_bare("rmdir", undo->path, out);
		else if (undo->kind == UNDO_MAKE)
			print_bare("mkdir", undo->path, out);
		else if (undo->kind == UNDO_LIST)
			print_lines(undo, out);
		else
			print_write(undo->text, undo->kind == UNDO_WRITE ? ">" : ">>", undo->path,
				    out);
	}
}

static bool parse_line(char *line, struct undo_list *list)
{
	const char *letter = strchr(kind_letters, line[0]);
	char *path;
	char *text;

	if (line[0] == UNDO_REFUSED && !line[1] && list->nr) {
		pop(list);
		return true;
	}
	if (!letter || !line[0] || line[1] != '\t')
		return false;
	path = line + 2;
	text = strchr(path, '\t');
	if (!text)
		return false;
	*text++ = '\0';
	push(list, (enum undo_kind)(letter - kind_letters), undo_unescape(path),
	     undo_unescape(text));
	return true;
}

int undo_read_journal(int fd, struct undo_list *list, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};
	char *at;
	char *end;
	int r;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(err, errno, "cannot read the undo journal");
	r = io_read_fd(fd, &sb);
	if (r < 0)
		return err_sys(err, -r, "cannot read the undo journal");
	end = sb.text ? strrchr(sb.text, '\n') : NULL;
	if (!end)
		return 0;
	end[1] = '\0';
	at = sb.text;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at))
		if (line[0] != '#' && line[0] != UNDO_SEAL && !parse_line(line, list))
			return err_set(err, EPROTO, "the undo journal holds '%s'", line);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps on the kernel's lists: of functions, which can be long, and of processes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/private.h"
#include "session/shown.h"
#include "util/io.h"
#include "util/mem.h"

/* For each name that it is given the kernel walks over all its functions; from so many on the numbers
 * of the functions are looked up instead, in one walk. */
#define NUMBERS_FROM 64

static bool is_function_list(const char *file)
{
	return !strcmp(file, "set_ftrace_filter") || !strcmp(file, "set_ftrace_notrace");
}

static char *top_dir(const struct tfs *tfs)
{
	const char *instances = strstr(tfs_dir(tfs), "/instances/");

	return instances ? xstrndup(tfs_dir(tfs), (size_t)(instances - tfs_dir(tfs)))
			 : xstrdup(tfs_dir(tfs));
}

/* What is to be written for the tokens of @step. */
static void collect_tokens(const struct tfs *tfs, const struct step *step, struct tfs_numbered *out)
{
	cleanup(strv_fini) struct strv tokens = {0};
	cleanup_free char *dir = top_dir(tfs);

	strv_split(&tokens, step->value, "\n");
	if (tokens.nr < NUMBERS_FROM || !is_function_list(step->file) ||
	    !tfs_number_functions(dir, &tokens, false, out))
		strv_copy(&out->tokens, &tokens);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_among(const struct strv *sorted, const char *name)
{
	return sorted->nr && bsearch(&name, sorted->item, sorted->nr, sizeof(name), compare_names);
}

/* Each name that was written is on the list now. */
static int verify_tokens(struct session *session, const struct tfs *tfs, const struct step *step,
			 struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", tfs_dir(tfs), step->file);
	cleanup(strv_fini) struct strv tokens = {0};
	cleanup(strv_fini) struct strv there = {0};
	cleanup_free char *shown = NULL;
	char *at;
	int r;

	/* Processes end when they like, and leave the list then. */
	if (str_ends(step->file, "_pid"))
		return 0;
	r = tfs_read(tfs, step->file, &shown, err);
	if (r < 0)
		return r;
	undo_note_shown(&session->undo, path, xstrdup(shown));
	at = shown;
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		line[strcspn(line, " \t")] = '\0';
		strv_add(&there, line);
	}
	strv_sort(&there);
	strv_split(&tokens, step->value, "\n");
	for (size_t i = 0; i < tokens.nr; i++) {
		const char *name = tokens.item[i];

		if (is_glob(name) || strpbrk(name, ":! ") || is_among(&there, name))
			continue;
		return err_set(
			err, EIO,
			"%s is not in %s after it was written there: the kernel did not take it",
			name, step->file);
	}
	return 0;
}

/* Does a line of the old list stay when @lines are written? A remark goes, and with the file
 * emptied all but the commands. */
static bool stays(const char *line, const struct strv *lines, bool emptied)
{
	if (line[0] == '#' || is_among(lines, line))
		return false;
	return !emptied || (strchr(line, ':') && !strstr(line, ":mod:"));
}

/* What the file holds when the kernel has done all, the order of the lines apart: caller frees. */
static char *expected_list(const char *old, const struct strv *lines, bool emptied)
{
	cleanup(strv_fini) struct strv sorted = {0};
	cleanup_free char *copy = xstrdup(old);
	struct strbuf sb = {0};
	char *at = copy;

	strv_copy(&sorted, lines);
	strv_sort(&sorted);
	for (size_t i = 0; i < sorted.nr; i++) {
		strbuf_add(&sb, sorted.item[i]);
		strbuf_add(&sb, "\n");
	}
	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		if (!stays(line, &sorted, emptied))
			continue;
		strbuf_add(&sb, line);
		strbuf_add(&sb, "\n");
	}
	return strbuf_take(&sb);
}

/* Every whole line of @text, which starts somewhere in a line, is a line of @list. */
static bool lines_are_in(const char *text, const char *list)
{
	const char *newline = strchr(text, '\n');

	for (; newline && newline[1]; newline = strchr(newline + 1, '\n')) {
		cleanup_free char *line =
			xasprintf("\n%.*s\n", (int)strcspn(newline + 1, "\n"), newline + 1);

		if (!strstr(list, line) && !str_starts(list, line + 1))
			return false;
	}
	return true;
}

/* So much of the end of a list is looked at. */
#define END_SIZE 2048

/* Whether @file is as long as @list and ends with lines of it. For each read the kernel walks over the
 * list from its start, so that the whole of a long one takes seconds; to its end it is one walk. */
static bool ends_like(const struct tfs *tfs, const char *file, const char *list)
{
	cleanup_close int fd = tfs_open_file(tfs, file, O_RDONLY, NULL);
	char text[END_SIZE + 1];
	size_t len = strlen(list);
	size_t want = len < END_SIZE ? len : END_SIZE;
	size_t have = 0;

	while (fd >= 0 && have < sizeof(text)) {
		ssize_t n = pread(fd, text + have, sizeof(text) - have, (off_t)(len - want + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	if (fd < 0 || have != want)
		return false;
	text[have] = '\0';
	return lines_are_in(text, list);
}

/* The kernel has answered for each token. Where all have numbers it is known what the list must be; where
 * it is not, the whole of it is read. */
static int verify_list(struct session *session, const struct tfs *tfs, const struct step *step,
		       const struct tfs_numbered *written, char *expected, struct err *err)
{
	cleanup_free char *path = xasprintf("%s/%s", tfs_dir(tfs), step->file);

	if (!written->lines.nr || written->lines.nr != written->tokens.nr ||
	    !ends_like(tfs, step->file, expected)) {
		free(expected);
		return verify_tokens(session, tfs, step, err);
	}
	undo_note_shown(&session->undo, path, expected);
	return 0;
}

/* One name a write, each with its end: the kernel drops a name without one in silence. */
static int write_names(int fd, const struct step *step, const struct strv *tokens, struct err *err)
{
	for (size_t i = 0; i < tokens->nr; i++) {
		cleanup_free char *line = xasprintf("%s\n", tokens->item[i]);
		int r = io_write_all(fd, line, strlen(line));

		if (r < 0)
			return err_sys(err, -r, "cannot write '%s' to %s", tokens->item[i],
				       step->file);
	}
	return 0;
}

/* Processes, all at once: for each write to a list that is not empty the kernel waits until nobody looks at the old one any
 * more, 25 ms (measured on 6.18). */
static int write_pids(int fd, const struct step *step, const struct strv *tokens, struct err *err)
{
	cleanup_free char *lines = strv_join(tokens, "\n");
	cleanup_free char *text = xasprintf("%s\n", lines);
	int r = tokens->nr ? io_write_all(fd, text, strlen(text)) : 0;

	return r < 0 ? err_sys(err, -r, "cannot write '%s' to %s", lines, step->file) : 0;
}

/* @shown is what the file had. */
static int write_tokens(struct session *session, const struct tfs *tfs, const struct step *step,
			int flags, const char *shown, struct err *err)
{
	cleanup(tfs_numbered_fini) struct tfs_numbered written = {0};
	cleanup_close int fd = tfs_open_file(tfs, step->file, O_WRONLY | flags, err);
	int r;

	if (fd < 0)
		return fd;
	collect_tokens(tfs, step, &written);
	r = str_ends(step->file, "_pid") ? write_pids(fd, step, &written.tokens, err)
					 : write_names(fd, step, &written.tokens, err);
	if (r < 0)
		return r;
	/* The list takes effect at close. */
	if (close(take_fd(fd)) < 0)
		return err_sys(err, errno, "the kernel refuses the list written to %s", step->file);
	return verify_list(session, tfs, step, &written,
			   expected_list(shown, &written.lines, flags & O_TRUNC), err);
}

int apply_list(struct session *session, const struct tfs *tfs, const struct step *step,
	       struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *old = NULL;
	int r = tfs_read(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	old = shown_list(shown);
	/* A list of processes whose processes have all ended (event-fork takes them off) looks like none, but is in
	 * force: nothing would be recorded. */
	if (!old[0] && !step->value[0])
		return str_ends(step->file, "_pid") ? apply_empty(session, tfs, step, err) : 0;
	r = session_remember(session, tfs, UNDO_LIST, step->file, old, err);
	return r < 0 ? r : write_tokens(session, tfs, step, O_TRUNC, shown, err);
}

/* The list goes on as it is; the whole of it is remembered, since the kernel can take a pattern but
 * not give it back. */
int apply_add(struct session *session, const struct tfs *tfs, const struct step *step,
	      struct err *err)
{
	cleanup_free char *shown = NULL;
	cleanup_free char *old = NULL;
	int r = tfs_read(tfs, step->file, &shown, err);

	if (r < 0)
		return r;
	old = shown_list(shown);
	r = session_remember(session, tfs, UNDO_LIST, step->file, old, err);
	return r < 0 ? r : write_tokens(session, tfs, step, 0, shown, err);
}

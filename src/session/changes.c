/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The changes that last, each with its way back. */
#include "session/changes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "session/rundir.h"
#include "session/shown.h"
#include "util/io.h"
#include "util/mem.h"

/* Older ones nobody takes back; a script that changes things for ever must not fill the memory. */
#define CHANGES_MOST 100
#define NAME_FORMAT "%06lu"

static char *changes_dir(const char *dir)
{
	return xasprintf("%s/changes", dir);
}

static bool is_entry(const char *name)
{
	return *name && name[strspn(name, "0123456789")] == '\0';
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

/* The numbers of all entries, ascending; caller frees. */
static size_t read_numbers(const char *path, unsigned long **numbers)
{
	DIR *entries = opendir(path);
	struct dirent *entry;
	size_t nr = 0;

	*numbers = NULL;
	while (entries && (entry = readdir(entries))) {
		if (!is_entry(entry->d_name))
			continue;
		*numbers = xrealloc(*numbers, (nr + 1) * sizeof(**numbers));
		(*numbers)[nr++] = strtoul(entry->d_name, NULL, 10);
	}
	if (entries)
		closedir(entries);
	if (nr)
		qsort(*numbers, nr, sizeof(**numbers), compare_numbers);
	return nr;
}

static char *entry_path(const char *path, unsigned long number)
{
	return xasprintf("%s/" NAME_FORMAT, path, number);
}

static void forget_old(const char *path, const unsigned long *numbers, size_t nr)
{
	for (size_t i = 0; i + CHANGES_MOST < nr; i++) {
		cleanup_free char *old = entry_path(path, numbers[i]);

		unlink(old);
	}
}

/* The descriptor of the next entry, -1 where it cannot be made. */
static int create_entry(const char *dir, char **name)
{
	cleanup_free char *path = changes_dir(dir);
	cleanup_free unsigned long *numbers = NULL;
	size_t nr;
	unsigned long next;
	int fd;

	/* What was changed, and by which command line, is nobody else's business. */
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	nr = read_numbers(path, &numbers);
	forget_old(path, numbers, nr);
	next = nr ? numbers[nr - 1] + 1 : 1;
	do {
		free(*name);
		*name = entry_path(path, next++);
		fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST);
	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

static int write_head(int fd, const char *command)
{
	cleanup(strbuf_fini) struct strbuf line = {0};

	strbuf_addf(&line, "# %lld ", (long long)time(NULL));
	undo_escape(&line, command);
	strbuf_add(&line, "\n");
	return io_write_all(fd, line.text, line.len);
}

int changes_new(const char *dir, const char *command, char **path, struct err *err)
{
	cleanup_free char *name = NULL;
	cleanup_close int fd = dir ? create_entry(dir, &name) : -1;
	int r;

	*path = NULL;
	if (fd >= 0)
		*path = take_ptr(name);
	else
		fd = memfd_create("ft-change", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot make an undo journal");
	r = write_head(fd, command);
	if (r < 0)
		return err_sys(err, -r, "cannot write the undo journal");
	return take_fd(fd);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in order: the kernel has them in the order of its hashes. */
static char *sorted_lines(const char *text)
{
	cleanup(strv_fini) struct strv lines = {0};

	strv_split(&lines, text, "\n");
	if (lines.nr)
		qsort(lines.item, lines.nr, sizeof(*lines.item), compare_texts);
	return strv_join(&lines, "\n");
}

/* Longer lists are kept by their checksum. */
#define LINES_MOST 1000

/* Of all lines, whatever their order. */
static char *checksum(const char *list, size_t nr)
{
	uint64_t sum = 0;

	for (const char *at = list; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		/* FNV-1a */
		uint64_t hash = UINT64_C(14695981039346656037);

		for (const char *c = at; *c && *c != '\n'; c++)
			hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
		sum += hash;
	}
	return xasprintf("%zu names, checksum %016" PRIx64, nr, sum);
}

/* A list so that two can be compared. */
static char *list_text(const char *list)
{
	size_t nr = 0;

	for (const char *at = list; (at = strchr(at, '\n')); at++)
		nr++;
	return nr > LINES_MOST ? checksum(list, nr) : sorted_lines(list);
}

static char *list_state(const char *shown)
{
	cleanup_free char *list = shown_list(shown);

	return list_text(list);
}

/* What @path holds, in the form in which two states can be compared; NULL when it is gone. */
static char *read_state(enum undo_kind kind, const char *path)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};

	if (io_read_file(path, &sb, NULL) < 0)
		return NULL;
	return kind == UNDO_LIST ? list_state(strbuf_str(&sb)) : shown_value(str_trim(sb.text));
}

/* The same after a change, which may just have read it. */
static char *state_after(const struct undo *undo)
{
	return undo->kind == UNDO_LIST && undo->shown ? list_state(undo->shown)
						      : read_state(undo->kind, undo->path);
}

/* Only what is put back whole can take away what somebody else has set. */
static bool is_whole(enum undo_kind kind)
{
	return kind == UNDO_WRITE || kind == UNDO_LIST;
}

static bool is_repeated(const struct undo_list *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_whole(list->entry[i].kind) &&
		    !strcmp(list->entry[i].path, list->entry[at].path))
			return true;
	return false;
}

int changes_seal(const struct undo_list *list, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};
	int r;

	for (size_t i = 0; i < list->nr; i++) {
		const struct undo *undo = &list->entry[i];
		cleanup_free char *state = NULL;

		/* The kernel itself changes lists of processes as these come and go. */
		if (!is_whole(undo->kind) || is_repeated(list, i) || str_ends(undo->path, "_pid"))
			continue;
		state = state_after(undo);
		if (!state)
			continue;
		strbuf_addf(&sb, "%c\t", UNDO_SEAL);
		undo_escape(&sb, undo->path);
		strbuf_add(&sb, "\t");
		undo_escape(&sb, state);
		strbuf_add(&sb, "\n");
	}
	r = io_write_all(list->journal, strbuf_str(&sb), sb.len);
	return r < 0 ? err_sys(err, -r, "cannot write the undo journal") : 0;
}

/* The state of @path when the change was complete, NULL when it was not noted; caller frees. */
static char *find_seal(const char *journal, const char *path)
{
	cleanup_free char *copy = xstrdup(journal);
	char *at = copy;

	for (char *line = str_next_line(&at); line; line = str_next_line(&at)) {
		cleanup_free char *sealed = NULL;
		char *state;

		if (line[0] != UNDO_SEAL || line[1] != '\t' || !(state = strchr(line + 2, '\t')))
			continue;
		*state++ = '\0';
		sealed = undo_unescape(line + 2);
		if (!strcmp(sealed, path))
			return undo_unescape(state);
	}
	return NULL;
}

/* A file that is neither as the change left it nor as it was before is somebody else's by now. */
static int check_one(const struct undo *undo, const char *journal, struct err *err)
{
	cleanup_free char *sealed = find_seal(journal, undo->path);
	cleanup_free char *now = read_state(undo->kind, undo->path);
	cleanup_free char *old = NULL;

	if (!sealed || !now || !strcmp(sealed, now))
		return 0;
	old = undo->kind == UNDO_LIST ? list_text(undo->text) : xstrdup(undo->text);
	if (shown_compare(undo->path, old, now) == SHOWN_SAME)
		return 0;
	now[strcspn(now, "\n")] = '\0';
	sealed[strcspn(sealed, "\n")] = '\0';
	return err_set(
		err, EBUSY,
		"somebody has changed %s since: it is '%s', ft had left it at '%s'; nothing is "
		"taken back (--force does it all the same)",
		undo->path, now, sealed);
}

static int check_unchanged(const struct undo_list *list, const char *journal, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->nr; i++)
		if (is_whole(list->entry[i].kind) && !is_repeated(list, i))
			r = check_one(&list->entry[i], journal, err);
	return r;
}

static char *command_of(const char *journal)
{
	cleanup_free char *line = xstrndup(journal, strcspn(journal, "\n"));
	const char *blank = str_starts(line, "# ") ? strchr(line + 2, ' ') : NULL;

	return undo_unescape(blank ? blank + 1 : "");
}

static bool concerns_top(const struct undo_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strstr(list->entry[i].path, "/instances/"))
			return true;
	return false;
}

/* With the entry open and locked. */
static int undo_entry(const char *dir, int fd, const struct changes_ask *ask, char **command,
		      struct strbuf *lines, struct err *err)
{
	struct undo_list list = {.journal = -1};
	cleanup(strbuf_fini) struct strbuf journal = {0};
	cleanup_close int lock = -1;
	int r = undo_read_journal(fd, &list, err);

	if (r == 0 && lseek(fd, 0, SEEK_SET) == 0)
		io_read_fd(fd, &journal);
	*command = command_of(strbuf_str(&journal));
	if (r == 0 && !ask->dry_run && concerns_top(&list)) {
		lock = rundir_lock_top(dir, err);
		r = lock < -1 ? lock : 0;
	}
	if (r == 0 && !ask->force)
		r = check_unchanged(&list, strbuf_str(&journal), err);
	if (r == 0 && ask->dry_run)
		undo_print(&list, lines);
	else if (r == 0)
		r = undo_run(&list, err);
	undo_list_fini(&list);
	return r;
}

static bool is_in_instance(const char *path, const char *instance)
{
	cleanup_free char *mark = xasprintf("/instances/%s", instance);
	const char *at = strstr(path, mark);

	return at && (!at[strlen(mark)] || at[strlen(mark)] == '/');
}

/* Whether the change in the file @name is one of the instance: 1 yes, 0 no, -EINVAL with text when it
 * is one of others as well. */
static int is_change_of(const char *name, const char *instance, struct err *err)
{
	struct undo_list list = {.journal = -1};
	cleanup_close int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t inside = 0;
	size_t nr;

	if (fd >= 0)
		undo_read_journal(fd, &list, NULL);
	nr = list.nr;
	for (size_t i = 0; i < nr; i++)
		inside += is_in_instance(list.entry[i].path, instance);
	undo_list_fini(&list);
	if (inside && inside < nr)
		return err_set(err, EINVAL,
			       "the newest change of instance %s is one of others as well: take it "
			       "back without --instance",
			       instance);
	return inside > 0;
}

/* The file of the change to take back; NULL with text. Caller frees. */
static char *find_change(const char *dir, const struct changes_ask *ask, struct err *err)
{
	cleanup_free char *path = dir ? changes_dir(dir) : NULL;
	cleanup_free unsigned long *numbers = NULL;
	size_t nr = path ? read_numbers(path, &numbers) : 0;

	while (nr-- > 0) {
		cleanup_free char *name = entry_path(path, numbers[nr]);
		int r = ask->instance ? is_change_of(name, ask->instance, err) : 1;

		if (r < 0)
			return NULL;
		if (r)
			return take_ptr(name);
	}
	if (ask->instance)
		err_set(err, ENOENT, "there is no change of ft's in instance %s to take back",
			ask->instance);
	else
		err_set(err, ENOENT, "there is no change of ft's to take back");
	return NULL;
}

int changes_undo(const char *dir, const struct changes_ask *ask, char **command,
		 struct strbuf *lines, struct err *err)
{
	struct err local = {0};
	struct err *why = err ? err : &local;
	cleanup_free char *name = find_change(dir, ask, why);
	cleanup_close int fd = -1;
	int r;

	*command = NULL;
	if (!name)
		return -why->code;
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", name);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, EBUSY, "another ft is making a change at this moment");
	r = undo_entry(dir, fd, ask, command, lines, err);
	if (r == 0 && !ask->dry_run && unlink(name) < 0)
		return err_sys(err, errno, "cannot remove %s", name);
	return r;
}

static char *describe(const char *journal)
{
	cleanup_free char *command = command_of(journal);
	time_t when = str_starts(journal, "# ") ? (time_t)strtoll(journal + 2, NULL, 10) : 0;
	struct tm parts;
	char stamp[32];

	localtime_r(&when, &parts);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &parts);
	return xasprintf("%s %s", stamp, command);
}

void changes_list(const char *dir, struct strv *out)
{
	cleanup_free char *path = dir ? changes_dir(dir) : NULL;
	cleanup_free unsigned long *numbers = NULL;
	size_t nr = path ? read_numbers(path, &numbers) : 0;

	while (nr-- > 0) {
		cleanup_free char *name = entry_path(path, numbers[nr]);
		cleanup(strbuf_fini) struct strbuf journal = {0};

		if (io_read_file(name, &journal, NULL) == 0)
			strv_add_take(out, describe(strbuf_str(&journal)));
	}
}

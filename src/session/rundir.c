/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /run/ft: the lock of the top-level buffer and the undo journals. */
#include "session/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/undo.h"
#include "util/io.h"
#include "util/mem.h"

#define ROOT_DIR "/run/ft"

char *rundir_open(void)
{
	const char *user = getenv("XDG_RUNTIME_DIR");
	char *dir;

	if (geteuid() == 0)
		dir = xstrdup(ROOT_DIR);
	else if (user && *user)
		dir = xasprintf("%s/ft", user);
	else
		return NULL;
	if (mkdir(dir, 0755) < 0 && errno != EEXIST) {
		free(dir);
		return NULL;
	}
	return dir;
}

/* @what is the buffer that is locked. */
static int say_holder(int fd, const char *what, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf text = {0};
	cleanup(strbuf_fini) struct strbuf words = {0};
	cleanup_free char *cmdline = NULL;
	const char *pid;

	if (io_read_fd(fd, &text) < 0 || !text.len)
		return err_set(err, EBUSY, "another ft holds %s", what);
	pid = str_trim(text.text);
	cmdline = xasprintf("/proc/%s/cmdline", pid);
	if (io_read_file(cmdline, &words, NULL) < 0 || !words.len)
		return err_set(err, EBUSY, "another ft holds %s: pid %s; wait for its end", what,
			       pid);
	for (size_t i = 0; i + 1 < words.len; i++)
		if (iscntrl((unsigned char)words.text[i]))
			words.text[i] = ' ';
	return err_set(err, EBUSY, "another ft holds %s: pid %s (%.200s); wait for its end", what,
		       pid, words.text);
}

static int take_lock(const char *dir, const char *name, const char *what, struct err *err)
{
	cleanup_free char *path = NULL;
	cleanup_free char *owner = NULL;
	cleanup_close int fd = -1;

	if (!dir)
		return -1;
	path = xasprintf("%s/%s.lock", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return say_holder(fd, what, err);
	owner = xasprintf("%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || io_write_all(fd, owner, strlen(owner)) < 0)
		return err_sys(err, errno, "cannot write %s", path);
	return take_fd(fd);
}

int rundir_lock_top(const char *dir, struct err *err)
{
	return take_lock(dir, "top", "the top-level buffer", err);
}

int rundir_lock_instance(const char *dir, const char *name, struct err *err)
{
	cleanup_free char *file = xasprintf("instance-%s", name);
	cleanup_free char *what = xasprintf("instance %s", name);

	return take_lock(dir, file, what, err);
}

int rundir_new_journal(const char *dir, char **path, struct err *err)
{
	cleanup_free char *name = NULL;
	cleanup_close int fd = -1;

	*path = NULL;
	if (dir) {
		name = xasprintf("%s/%d.journal", dir, (int)getpid());
		fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0644);
		/* Not every file system has files without a name. */
		if (fd < 0)
			fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	}
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*path = take_ptr(name);
		return take_fd(fd);
	}
	/* Without a directory the guardian can still read it through its copy. */
	fd = memfd_create("ft-journal", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot make an undo journal");
	return take_fd(fd);
}

int rundir_show_journal(int fd, const char *path, struct err *err)
{
	cleanup_free char *self = xasprintf("/proc/self/fd/%d", fd);
	struct stat file;

	if (!path || (fstat(fd, &file) == 0 && file.st_nlink))
		return 0;
	/* Of an earlier process with the number of this one; what it says has been put back. */
	unlink(path);
	if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		return err_sys(err, errno, "cannot make %s", path);
	return 0;
}

/* Replays one journal if nobody holds it. 1 done, 0 it is in use. */
static int repair_one(const char *path, const struct orphan_ops *ops, struct err *err)
{
	cleanup_close int fd = open(path, O_RDWR | O_CLOEXEC);
	int r;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;
	r = orphan_settle(fd, ops, err);
	if (r < 0)
		return r;
	if (unlink(path) < 0)
		return err_sys(err, errno, "cannot remove %s", path);
	return 1;
}

int rundir_repair(const char *dir, const struct orphan_ops *ops, struct strv *notes,
		  struct err *err)
{
	DIR *entries = dir ? opendir(dir) : NULL;
	struct dirent *entry;
	int first = 0;

	if (!entries)
		return 0;
	while ((entry = readdir(entries))) {
		cleanup_free char *path = NULL;
		int r;

		if (!str_ends(entry->d_name, ".journal"))
			continue;
		path = xasprintf("%s/%s", dir, entry->d_name);
		r = repair_one(path, ops, first ? NULL : err);
		if (r > 0)
			strv_add_take(notes,
				      xasprintf("put back what recording %.*s had left changed",
						(int)strcspn(entry->d_name, "."), entry->d_name));
		else if (r < 0 && first == 0)
			first = r;
	}
	closedir(entries);
	return first;
}

/* The part of @path that names an instance: ".../instances/NAME" or what lies below it. */
static void add_instance_of(const char *path, struct strv *out)
{
	static const char mark[] = "/instances/";
	const char *at = strstr(path, mark);

	if (at && at[strlen(mark)])
		strv_add_take(out, xstrndup(at + strlen(mark), strcspn(at + strlen(mark), "/")));
}

/* "PID.journal" of a process that lives. One that died is put back by the next recording. */
static bool is_live_journal(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);

	return pid > 0 && !strcmp(end, ".journal") && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static void add_recordings(const char *dir, struct strv *out)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		struct undo_list list = {.journal = -1};
		cleanup_free char *path = xasprintf("%s/%s", dir, entry->d_name);
		cleanup_close int fd = -1;

		if (is_live_journal(entry->d_name))
			fd = open(path, O_RDONLY | O_CLOEXEC);
		/* A journal that is being written may end in the middle of a line. */
		if (fd >= 0)
			undo_read_journal(fd, &list, NULL);
		for (size_t i = 0; i < list.nr; i++)
			add_instance_of(list.entry[i].path, out);
		undo_list_fini(&list);
	}
	if (entries)
		closedir(entries);
}

void rundir_recordings(struct strv *instances)
{
	const char *user = getenv("XDG_RUNTIME_DIR");
	cleanup_free char *dir = user && *user ? xasprintf("%s/ft", user) : NULL;

	add_recordings(ROOT_DIR, instances);
	if (dir)
		add_recordings(dir, instances);
	strv_sort(instances);
	strv_uniq(instances);
}

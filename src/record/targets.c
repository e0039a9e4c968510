/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that run already and are to be recorded. */
#include "record/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"

/* A process and its parent, from one look at /proc. */
struct kin {
	pid_t pid;
	pid_t parent;
	bool taken;
};

struct family {
	struct kin *kin;
	size_t nr;
};

static bool exists(pid_t id)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)id);
	return access(path, F_OK) == 0;
}

/* /proc/ID is there for threads, too; what it says of itself tells the process. */
static pid_t process_of(pid_t id)
{
	cleanup_free char *path = xasprintf("/proc/%d/status", (int)id);
	cleanup(strbuf_fini) struct strbuf text = {0};
	const char *at;

	if (io_read_file(path, &text, NULL) < 0)
		return id;
	at = strstr(strbuf_str(&text), "\nTgid:");
	return at ? (pid_t)strtol(at + strlen("\nTgid:"), NULL, 10) : id;
}

static int add_target(struct targets *targets, const char *text, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct target *target;
	long id;

	if (!parse_long(text, &id) || id <= 0 || id > INT32_MAX)
		return err_set(err, EINVAL, "'%s' is not the id of a process", text);
	if (!exists((pid_t)id))
		return err_set(err, ESRCH, "no process has the id %ld", id);
	targets->target = xrealloc(targets->target, (targets->nr + 1) * sizeof(*targets->target));
	target = &targets->target[targets->nr++];
	*target = (struct target){.id = (pid_t)id, .pidfd = -1};
	target->is_thread = process_of((pid_t)id) != id;
	if (target->is_thread)
		return 0;
	target->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)id, 0);
	if (target->pidfd >= 0 && targets->watch >= 0)
		epoll_ctl(targets->watch, EPOLL_CTL_ADD, target->pidfd, &event);
	return 0;
}

int targets_open(const struct strv *lists, struct targets *targets, struct err *err)
{
	cleanup(strv_fini) struct strv ids = {0};
	int r = 0;

	*targets = (struct targets){.watch = epoll_create1(EPOLL_CLOEXEC)};
	for (size_t i = 0; i < lists->nr; i++)
		strv_split(&ids, lists->item[i], ", ");
	if (!ids.nr)
		return err_set(err, EINVAL, "--pid needs the id of a process");
	for (size_t i = 0; r == 0 && i < ids.nr; i++)
		r = add_target(targets, ids.item[i], err);
	return r;
}

void targets_fini(struct targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++)
		if (targets->target[i].pidfd >= 0)
			close(targets->target[i].pidfd);
	if (targets->nr && targets->watch >= 0)
		close(targets->watch);
	free(targets->target);
	*targets = (struct targets){.watch = -1};
}

/* "12 (a b) c) S 7 ...": the name may hold anything. */
static pid_t parent_of(const char *pid)
{
	cleanup_free char *path = xasprintf("/proc/%s/stat", pid);
	cleanup(strbuf_fini) struct strbuf text = {0};
	const char *at;

	if (io_read_file(path, &text, NULL) < 0)
		return 0;
	at = strrchr(strbuf_str(&text), ')');
	return at && strlen(at) > 4 ? (pid_t)strtol(at + 4, NULL, 10) : 0;
}

static void look_around(struct family *family)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		family->kin = xrealloc(family->kin, (family->nr + 1) * sizeof(*family->kin));
		family->kin[family->nr++] = (struct kin){.pid = (pid_t)atoi(entry->d_name),
							 .parent = parent_of(entry->d_name)};
	}
	if (dir)
		closedir(dir);
}

static void add_threads(pid_t pid, struct strv *out)
{
	cleanup_free char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			strv_add(out, entry->d_name);
	if (dir)
		closedir(dir);
}

/* @pid, its threads and its descendants'. */
static void add_family(struct family *family, pid_t pid, struct strv *out)
{
	add_threads(pid, out);
	for (size_t i = 0; i < family->nr; i++) {
		struct kin *kin = &family->kin[i];

		if (kin->parent != pid || kin->taken)
			continue;
		kin->taken = true;
		add_family(family, kin->pid, out);
	}
}

void targets_threads(const struct targets *targets, struct strv *out)
{
	struct family family = {0};

	look_around(&family);
	for (size_t i = 0; i < targets->nr; i++) {
		if (targets->target[i].is_thread)
			strv_add_take(out, xasprintf("%d", (int)targets->target[i].id));
		else
			add_family(&family, targets->target[i].id, out);
	}
	free(family.kin);
	strv_sort(out);
	strv_uniq(out);
}

bool targets_have_ended(struct targets *targets)
{
	bool all = true;

	for (size_t i = 0; i < targets->nr; i++) {
		struct target *target = &targets->target[i];
		struct epoll_event event;

		if (target->ended)
			continue;
		/* A zombie has ended, but its parent has not asked for it: the pidfd tells. */
		target->ended = !exists(target->id);
		if (!target->ended && target->pidfd >= 0) {
			struct pollfd fd = {.fd = target->pidfd, .events = POLLIN};

			target->ended = poll(&fd, 1, 0) == 1;
		}
		if (target->ended && target->pidfd >= 0 && targets->watch >= 0)
			epoll_ctl(targets->watch, EPOLL_CTL_DEL, target->pidfd, &event);
		all &= target->ended;
	}
	return all;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has files of the tracing directory open, and which processes hold perf events or bpf programs. */
#include <ctype.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/set.h"
#include "util/io.h"
#include "util/mem.h"

void tracing_users_fini(struct tracing_users *users)
{
	for (size_t i = 0; i < users->nr; i++) {
		free(users->user[i].comm);
		free(users->user[i].file);
	}
	for (size_t i = 0; i < users->nr_others; i++) {
		free(users->other[i].comm);
		free(users->other[i].name);
	}
	free(users->user);
	free(users->other);
	*users = (struct tracing_users){0};
}

static char *comm_of(int pid)
{
	cleanup_free char *path = xasprintf("/proc/%d/comm", pid);
	cleanup(strbuf_fini) struct strbuf text = {0};

	if (io_read_file(path, &text, NULL) < 0 || !text.len)
		return xstrdup("?");
	return xstrdup(str_trim(text.text));
}

void tracing_others_add(struct tracing_users *out, const char *kind, int pid, char *name)
{
	for (size_t i = 0; i < out->nr_others; i++) {
		struct tracing_other *one = &out->other[i];

		if (!strcmp(one->kind, kind) && one->pid == pid &&
		    !strcmp(one->name ? one->name : "", name ? name : "")) {
			one->nr++;
			free(name);
			return;
		}
	}
	out->other = xrealloc(out->other, (out->nr_others + 1) * sizeof(*out->other));
	out->other[out->nr_others++] =
		(struct tracing_other){kind, pid, pid ? comm_of(pid) : NULL, name, 1};
}

/* The part of @path below one of the places where the tracing directory can be seen. */
static const char *below_tracing(const char *tracing, const char *path)
{
	const char *const places[] = {tracing, "/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < array_size(places); i++)
		if (str_starts(path, places[i]) && path[strlen(places[i])] == '/')
			return path + strlen(places[i]) + 1;
	return NULL;
}

/* The line "KEY: VALUE" of what the kernel tells of a descriptor; NULL without one, caller frees. */
static char *fdinfo_value(int pid, int fd, const char *key)
{
	cleanup_free char *path = xasprintf("/proc/%d/fdinfo/%d", pid, fd);
	cleanup(strbuf_fini) struct strbuf text = {0};
	size_t len = strlen(key);

	if (io_read_file(path, &text, NULL) < 0 || !text.len)
		return NULL;
	for (char *at = text.text, *line; (line = str_next_line(&at));)
		if (!strncmp(line, key, len) && line[len] == ':')
			return xstrdup(str_trim(line + len + 1));
	return NULL;
}

/* What the bpf program of a perf event or link is attached to; NULL where the kernel does not tell. */
static char *attached_to(int pid, int fd)
{
	static const char *const kinds[] = {
		[BPF_FD_TYPE_RAW_TRACEPOINT] = "raw tracepoint",
		[BPF_FD_TYPE_TRACEPOINT] = "tracepoint",
		[BPF_FD_TYPE_KPROBE] = "kprobe",
		[BPF_FD_TYPE_KRETPROBE] = "kretprobe",
		[BPF_FD_TYPE_UPROBE] = "uprobe",
		[BPF_FD_TYPE_URETPROBE] = "uretprobe",
	};
	char name[512] = "";
	union bpf_attr query;

	memset(&query, 0, sizeof(query));
	query.task_fd_query.pid = (uint32_t)pid;
	query.task_fd_query.fd = (uint32_t)fd;
	query.task_fd_query.buf = (uintptr_t)name;
	query.task_fd_query.buf_len = sizeof(name);
	if (syscall(SYS_bpf, BPF_TASK_FD_QUERY, &query, sizeof(query)) < 0 ||
	    query.task_fd_query.fd_type >= array_size(kinds))
		return NULL;
	if (!name[0])
		return xasprintf("%s at %#llx", kinds[query.task_fd_query.fd_type],
				 (unsigned long long)query.task_fd_query.probe_addr);
	return xasprintf("%s %s", kinds[query.task_fd_query.fd_type], name);
}

/* Links of other kinds hold programs for networks and groups of processes. */
static void look_at_link(int pid, int fd, struct tracing_users *out)
{
	static const char *const tracing[] = {"raw_tracepoint", "tracing",	"perf",
					      "kprobe_multi",	"uprobe_multi", "perf_event"};
	cleanup_free char *type = fdinfo_value(pid, fd, "link_type");
	char *name = attached_to(pid, fd);

	for (size_t i = 0; type && !name && i < array_size(tracing); i++)
		if (!strcmp(type, tracing[i]))
			name = xasprintf("a link of type %s", type);
	if (name)
		tracing_others_add(out, "bpf", pid, name);
}

static void look_at_fd(const char *target, int pid, int fd, struct tracing_users *out)
{
	char *name;

	if (!strcmp(target, "anon_inode:bpf_link") || !strcmp(target, "anon_inode:bpf-link") ||
	    !strcmp(target, "anon_inode:bpf-raw-tracepoint")) {
		look_at_link(pid, fd, out);
	} else if (!strcmp(target, "anon_inode:[perf_event]")) {
		name = attached_to(pid, fd);
		tracing_others_add(out, name ? "bpf" : "perf", pid, name);
	}
}

/* @tracing is the top level; @lead the way from there to the files that are meant. */
static void look_at(const char *tracing, const char *lead, int pid, struct tracing_users *out)
{
	cleanup_free char *dir = xasprintf("/proc/%d/fd", pid);
	DIR *entries = opendir(dir);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		cleanup_free char *link = xasprintf("%s/%s", dir, entry->d_name);
		char target[512];
		ssize_t len = readlink(link, target, sizeof(target) - 1);
		const char *file;

		if (len < 0)
			continue;
		target[len] = '\0';
		file = below_tracing(tracing, target);
		if (!file && !lead[0])
			look_at_fd(target, pid, atoi(entry->d_name), out);
		if (!file || !str_starts(file, lead))
			continue;
		out->user = xrealloc(out->user, (out->nr + 1) * sizeof(*out->user));
		out->user[out->nr++] = (struct tracing_user){pid, comm_of(pid), xstrdup(file)};
	}
	if (entries)
		closedir(entries);
}

void tracing_users_find(const struct tfs *tfs, struct tracing_users *out)
{
	const char *instance = tfs_instance_name(tfs);
	cleanup_free char *lead = instance ? xasprintf("instances/%s/", instance) : xstrdup("");
	cleanup_free char *tracing = xstrdup(tfs_dir(tfs));
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (instance)
		tracing[strlen(tracing) + 1 - strlen(lead)] = '\0';
	while (proc && (entry = readdir(proc))) {
		int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid > 0 && pid != (int)getpid())
			look_at(tracing, lead, pid, out);
	}
	if (proc)
		closedir(proc);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has files of the tracing directory open. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
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
	free(users->user);
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

/* The part of @path below one of the places where the tracing directory can be seen. */
static const char *below_tracing(const char *tracing, const char *path)
{
	const char *const places[] = {tracing, "/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < array_size(places); i++)
		if (str_starts(path, places[i]) && path[strlen(places[i])] == '/')
			return path + strlen(places[i]) + 1;
	return NULL;
}

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
		if (!file || !str_starts(file, lead))
			continue;
		out->user = xrealloc(out->user, (out->nr + 1) * sizeof(*out->user));
		out->user[out->nr++] = (struct tracing_user){pid, comm_of(pid), xstrdup(file)};
	}
	if (entries)
		closedir(entries);
}

void tracing_users_find(const char *tracing, const char *instance, struct tracing_users *out)
{
	cleanup_free char *lead = instance ? xasprintf("instances/%s/", instance) : xstrdup("");
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid > 0 && pid != (int)getpid())
			look_at(tracing, lead, pid, out);
	}
	if (proc)
		closedir(proc);
}

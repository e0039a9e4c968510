/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of names that the kernel offers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/private.h"
#include "util/mem.h"

static void sort_names(struct strv *names)
{
	strv_sort(names);
	strv_uniq(names);
}

int tfs_tracers(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup_free char *text = NULL;
	int r = tfs_read(tfs, "available_tracers", &text, err);

	if (r < 0)
		return r;
	strv_split(out, text, " \n");
	sort_names(out);
	return 0;
}

/* "[local] global counter": the one in brackets is in use. */
int tfs_clocks(const struct tfs *tfs, struct strv *out, char **current, struct err *err)
{
	cleanup_free char *text = NULL;
	cleanup(strv_fini) struct strv words = {0};
	int r = tfs_read(tfs, "trace_clock", &text, err);

	if (current)
		*current = NULL;
	if (r < 0)
		return r;
	strv_split(&words, text, " \n");
	for (size_t i = 0; i < words.nr; i++) {
		char *word = words.item[i];
		size_t len = strlen(word);

		if (len > 2 && word[0] == '[' && word[len - 1] == ']') {
			word[len - 1] = '\0';
			word++;
			if (current && !*current)
				*current = xstrdup(word);
		}
		strv_add(out, word);
	}
	sort_names(out);
	return 0;
}

int tfs_options(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup_free char *path = tfs_path(tfs, "options");
	cleanup_free char *text = NULL;
	char *at;
	char *line;
	int r;

	if (tfs_add_entries(path, false, out, NULL) == 0) {
		sort_names(out);
		return 0;
	}
	/* Without the directory: one line each, "no" in front of those that are off. */
	r = tfs_read(tfs, "trace_options", &text, err);
	if (r < 0)
		return r;
	at = text;
	while ((line = str_next_line(&at)))
		if (*line)
			strv_add(out, str_starts(line, "no") ? line + 2 : line);
	sort_names(out);
	return 0;
}

/* Events by their directories, for a kernel or an instance without available_events. */
static int walk_events(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup_free char *path = tfs_path(tfs, "events");
	cleanup(strv_fini) struct strv systems = {0};
	int r = tfs_add_entries(path, true, &systems, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < systems.nr; i++) {
		const char *system = systems.item[i];
		cleanup_free char *dir = xasprintf("%s/%s", path, system);
		cleanup(strv_fini) struct strv events = {0};

		if (tfs_add_entries(dir, true, &events, NULL) < 0)
			continue;
		for (size_t j = 0; j < events.nr; j++) {
			cleanup_free char *file =
				xasprintf("events/%s/%s/enable", system, events.item[j]);

			/* ftrace's own records have none: they cannot be switched. */
			if (tfs_has(tfs, file))
				strv_add_take(out, xasprintf("%s:%s", system, events.item[j]));
		}
	}
	return 0;
}

static bool add_line(char *line, void *ctx)
{
	if (*line)
		strv_add(ctx, line);
	return false;
}

int tfs_events(const struct tfs *tfs, struct strv *out, struct err *err)
{
	struct tfs top = tfs_as_top(tfs);
	int r = tfs_each_line(&top, "available_events", add_line, out, NULL);

	/* An instance that belongs to another user can be readable where the top is not. */
	if (r < 0)
		r = walk_events(tfs, out, err);
	sort_names(out);
	return r;
}

int tfs_systems(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	int r = tfs_events(tfs, &events, err);

	for (size_t i = 0; i < events.nr; i++)
		strv_add_take(out, xstrndup(events.item[i], strcspn(events.item[i], ":")));
	sort_names(out);
	return r;
}

int tfs_format_of(const struct tfs *tfs, int id, char **system, char **format)
{
	cleanup_free char *path = tfs_path(tfs, "events");
	cleanup(strv_fini) struct strv systems = {0};

	tfs_add_entries(path, true, &systems, NULL);
	for (size_t i = 0; i < systems.nr; i++) {
		cleanup_free char *dir = xasprintf("%s/%s", path, systems.item[i]);
		cleanup(strv_fini) struct strv events = {0};

		tfs_add_entries(dir, true, &events, NULL);
		for (size_t j = 0; j < events.nr; j++) {
			cleanup_free char *base =
				xasprintf("events/%s/%s", systems.item[i], events.item[j]);
			cleanup_free char *id_file = xasprintf("%s/id", base);
			cleanup_free char *format_file = xasprintf("%s/format", base);
			long found;

			if (tfs_read_number(tfs, id_file, &found, NULL) < 0 || found != id ||
			    tfs_read(tfs, format_file, format, NULL) < 0)
				continue;
			*system = xstrdup(systems.item[i]);
			return 0;
		}
	}
	return -ENOENT;
}

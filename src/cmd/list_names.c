/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of what the kernel has: tracers, functions, options, clocks, instances. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "config.h"
#include "util/json.h"
#include "util/mem.h"

/* Moves the strings of @names into items. */
static void take_names(struct items *items, struct strv *names)
{
	for (size_t i = 0; i < names->nr; i++)
		items_add(items, take_ptr(names->item[i]));
	names->nr = 0;
	strv_fini(names);
}

static void mark_current(struct items *items, const char *current)
{
	for (size_t i = 0; i < items->nr; i++) {
		struct item *item = &items->item[i];

		item->is_current = current && !strcmp(item->name, current);
		item->detail = item->is_current ? xstrdup("in use") : NULL;
		json_add_raw(&item->json, "current", item->is_current ? "true" : "false");
	}
}

int list_tracers(struct list *l, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *current = NULL;
	int r = tfs_tracers(l->tfs, &names, err);

	if (r < 0)
		return r;
	take_names(&l->items, &names);
	tfs_read_line(l->tfs, "current_tracer", &current, NULL);
	mark_current(&l->items, current);
	return 0;
}

int list_clocks(struct list *l, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *current = NULL;
	int r = tfs_clocks(l->tfs, &names, &current, err);

	if (r < 0)
		return r;
	take_names(&l->items, &names);
	mark_current(&l->items, current);
	return 0;
}

static void add_state(struct item *item, bool on)
{
	item->detail = xstrdup(on ? "on" : "off");
	json_add_raw(&item->json, "on", on ? "true" : "false");
}

int list_options(struct list *l, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(strv_fini) struct strv states = {0};
	cleanup_free char *text = NULL;
	int r = tfs_options(l->tfs, &names, err);

	if (r < 0)
		return r;
	take_names(&l->items, &names);
	if (!l->wants_detail)
		return 0;
	tfs_read(l->tfs, "trace_options", &text, NULL);
	strv_split(&states, text ? text : "", "\n");
	for (size_t i = 0; i < l->items.nr; i++) {
		struct item *item = &l->items.item[i];
		cleanup_free char *file = xasprintf("options/%s", item->name);
		long value;

		/* Options of other tracers than the current one are only in the directory. */
		if (tfs_read_number(l->tfs, file, &value, NULL) == 0)
			add_state(item, value != 0);
		else
			add_state(item, strv_has(&states, item->name));
	}
	return 0;
}

/* "name [module]": the name is what options take, the module is detail. */
static void split_module(struct item *item)
{
	char *open = strstr(item->name, " [");
	char *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	*open = '\0';
	item->detail = xasprintf("[%s]", open + 2);
	json_add_member(&item->json, "module", open + 2);
}

/* A name that several modules have is one name. */
static void forget_modules(struct strv *names)
{
	for (size_t i = 0; i < names->nr; i++)
		names->item[i][strcspn(names->item[i], " ")] = '\0';
	strv_uniq(names);
}

int list_functions(struct list *l, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_functions(l->tfs, &names, err);

	if (r < 0)
		return r;
	if (!l->wants_detail)
		forget_modules(&names);
	take_names(&l->items, &names);
	for (size_t i = 0; l->wants_detail && i < l->items.nr; i++)
		split_module(&l->items.item[i]);
	return 0;
}

static void describe_instance(const struct tfs *tfs, struct item *item)
{
	cleanup_free char *tracer = NULL;
	cleanup_free char *number = NULL;
	long on = 0;
	long kb = 0;

	if (tfs_read_line(tfs, "current_tracer", &tracer, NULL) < 0)
		return;
	tfs_read_number(tfs, "tracing_on", &on, NULL);
	/* Not a number when the CPUs' buffers differ. */
	tfs_read_number(tfs, "buffer_size_kb", &kb, NULL);
	number = xasprintf("%ld", kb);
	item->detail = xasprintf("tracer %s, tracing %s, %s kB a CPU", tracer, on ? "on" : "off",
				 kb ? number : "various");
	json_add_member(&item->json, "tracer", tracer);
	json_add_raw(&item->json, "tracing_on", on ? "true" : "false");
	json_add_raw(&item->json, "buffer_kb", kb ? number : "null");
}

int list_instances(struct list *l, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	int r = tfs_instances(l->tfs, &names, err);

	if (r < 0)
		return r;
	take_names(&l->items, &names);
	for (size_t i = 0; l->wants_detail && i < l->items.nr; i++) {
		struct item *item = &l->items.item[i];
		cleanup(tfs_freep) struct tfs *tfs = tfs_open_instance(l->tfs, item->name, NULL);

		if (tfs)
			describe_instance(tfs, item);
	}
	return 0;
}

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int list_plugins(struct list *l, struct err *err)
{
	const char *path = getenv("TRACEEVENT_PLUGIN_DIR");
	cleanup(closedirp) DIR *dir = NULL;
	cleanup(strv_fini) struct strv names = {0};
	const struct dirent *entry;

	path = path && *path ? path : FT_PLUGIN_DIR;
	dir = opendir(path);
	if (!dir)
		return err_sys(err, errno, "no plugins in %s", path);
	while ((entry = readdir(dir)))
		if (str_ends(entry->d_name, ".so"))
			strv_add(&names, entry->d_name);
	strv_sort(&names);
	for (size_t i = 0; i < names.nr; i++) {
		const char *file = names.item[i];
		const char *name = str_starts(file, "plugin_") ? file + strlen("plugin_") : file;
		struct item *item =
			items_add(&l->items, xstrndup(name, strlen(name) - strlen(".so")));

		item->detail = xasprintf("%s/%s", path, file);
		json_add_member(&item->json, "file", item->detail);
	}
	return 0;
}

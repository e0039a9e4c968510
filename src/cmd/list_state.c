/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of what has been set: triggers, filters, dynamic events. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "util/json.h"
#include "util/mem.h"

/* One thing in force: @kind for programs, @value for all. */
static void add_setting(struct list *l, const char *name, const char *kind, const char *value)
{
	struct item *item = items_add(&l->items, xstrdup(name));

	item->detail = xstrdup(value);
	json_add_member(&item->json, "kind", kind);
	json_add_member(&item->json, "value", value);
}

/* Lines of @file that say something: neither comments nor "none". */
static void add_lines(struct list *l, const char *name, const char *file, const char *kind,
		      bool (*wants)(const char *line))
{
	cleanup_free char *text = NULL;
	char *at;
	char *line;

	/* After a filter that it did not accept the kernel shows the complaint and filters nothing. */
	if (tfs_read(l->tfs, file, &text, NULL) < 0 || strstr(text, "\nparse_error:"))
		return;
	at = text;
	while ((line = str_next_line(&at))) {
		line = str_trim(line);
		if (!*line || *line == '#' || !strcmp(line, "none") || !strcmp(line, "no pid"))
			continue;
		if (!wants || wants(line))
			add_setting(l, name, kind, line);
	}
}

static int add_event_settings(struct list *l, const char *file, const char *kind, struct err *err)
{
	cleanup(strv_fini) struct strv events = {0};
	int r = tfs_events(l->tfs, &events, err);

	for (size_t i = 0; i < events.nr; i++) {
		const char *event = events.item[i];
		size_t len = strcspn(event, ":");
		cleanup_free char *path =
			xasprintf("events/%.*s/%s/%s", (int)len, event, event + len + 1, file);

		add_lines(l, event, path, kind, NULL);
	}
	return r;
}

/* "vfs_read:traceoff:unlimited" is a command, "vfs_read" and "vfs_read [module]" are names. */
static bool is_function_command(const char *line)
{
	return strchr(line, ':') != NULL;
}

static bool is_function_name(const char *line)
{
	return !is_function_command(line);
}

int list_triggers(struct list *l, struct err *err)
{
	add_lines(l, "set_ftrace_filter", "set_ftrace_filter", "function", is_function_command);
	return add_event_settings(l, "trigger", "event", err);
}

struct filter_file {
	const char *name;
	const char *kind;
	bool (*wants)(const char *line);
};

static const struct filter_file filter_files[] = {
	{"set_ftrace_filter", "function", is_function_name},
	{"set_ftrace_notrace", "function", NULL},
	{"set_graph_function", "graph", NULL},
	{"set_graph_notrace", "graph", NULL},
	{"set_ftrace_pid", "pid", NULL},
	{"set_ftrace_notrace_pid", "pid", NULL},
	{"set_event_pid", "pid", NULL},
	{"set_event_notrace_pid", "pid", NULL},
};

/* tracing_cpumask, unless it lets in every CPU that has a buffer. */
static void add_cpumask(struct list *l)
{
	cleanup_free char *mask = NULL;
	cleanup_free unsigned int *cpus = NULL;
	size_t nr = 0;
	size_t set = 0;

	if (tfs_read_line(l->tfs, "tracing_cpumask", &mask, NULL) < 0 ||
	    tfs_cpus(l->tfs, &cpus, &nr, NULL) < 0)
		return;
	for (const char *c = mask; *c; c++)
		if (isxdigit((unsigned char)*c))
			set += (size_t)__builtin_popcount(
				isdigit((unsigned char)*c) ? (unsigned int)(*c - '0')
							   : (unsigned int)((*c | 32) - 'a' + 10));
	if (set < nr)
		add_setting(l, "tracing_cpumask", "cpu", mask);
}

int list_filters(struct list *l, struct err *err)
{
	for (size_t i = 0; i < array_size(filter_files); i++)
		add_lines(l, filter_files[i].name, filter_files[i].name, filter_files[i].kind,
			  filter_files[i].wants);
	add_cpumask(l);
	return add_event_settings(l, "filter", "event", err);
}

/* What the letter in front of a definition means. */
struct dynamic_kind {
	char letter;
	const char *kernel; /* on a symbol or address of the kernel */
	const char *user;   /* on a file */
};

static const struct dynamic_kind dynamic_kinds[] = {
	{'p', "kprobe", "uprobe"},
	{'r', "kretprobe", "uretprobe"},
	{'e', "eprobe", "eprobe"},
	{'f', "fprobe", "fprobe"},
	{'t', "tracepoint probe", "tracepoint probe"},
	{'s', "synthetic", "synthetic"},
	{'u', "user event", "user event"},
};

static const char *kind_of(char letter, const char *place)
{
	for (size_t i = 0; i < array_size(dynamic_kinds); i++)
		if (dynamic_kinds[i].letter == letter)
			return *place == '/' ? dynamic_kinds[i].user : dynamic_kinds[i].kernel;
	return "unknown";
}

/* "r8:group/event place args", "s:event fields"; in synthetic_events without the "s:". */
static void add_dynamic(struct list *l, char *line, const char *default_group)
{
	char *colon = strchr(line, ':');
	size_t word = strcspn(line, " \t");
	bool has_letter = colon && (size_t)(colon - line) < word;
	char letter = *line;
	char *name = line;
	char *rest;
	char *slash;
	cleanup_free char *full = NULL;
	cleanup_free char *definition = NULL;
	struct item *item;

	if (has_letter)
		name = colon + 1;
	else
		letter = 's';
	rest = name + strcspn(name, " \t");
	if (*rest)
		*rest++ = '\0';
	rest = str_trim(rest);
	slash = strchr(name, '/');
	if (slash)
		*slash = ':';
	full = slash ? xstrdup(name)
		     : xasprintf("%s:%s", letter == 'u' ? "user_events" : default_group, name);
	definition = xasprintf("%s %s", kind_of(letter, rest), rest);
	item = items_add(&l->items, take_ptr(full));
	item->detail = take_ptr(definition);
	json_add_member(&item->json, "kind", kind_of(letter, rest));
	json_add_member(&item->json, "definition", rest);
}

/* Kernels before 5.1 have no file that holds all of them. */
static const char *const dynamic_files[] = {"kprobe_events", "uprobe_events", "synthetic_events"};

int list_dynamic(struct list *l, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf all = {0};
	cleanup_free char *text = NULL;
	int r = tfs_read(l->tfs, "dynamic_events", &text, err);
	char *at;
	char *line;

	if (r < 0 && r != -ENOENT)
		return r;
	for (size_t i = 0; r < 0 && i < array_size(dynamic_files); i++) {
		cleanup_free char *part = NULL;

		if (tfs_read(l->tfs, dynamic_files[i], &part, NULL) == 0)
			strbuf_add(&all, part);
	}
	at = text ? text : all.text;
	while ((line = str_next_line(&at)))
		if (*line && *line != '#')
			add_dynamic(l, line, "synthetic");
	return 0;
}

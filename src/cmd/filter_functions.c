/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft filter: functions, graph roots, processes, CPUs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/filter.h"
#include "session/shown.h"
#include "util/io.h"
#include "util/mem.h"

#define FILTER "set_ftrace_filter"
#define NOTRACE "set_ftrace_notrace"

/* One STEP_ADD for all tokens of a file: the file is opened once, and its list takes effect at the
 * close. */
static void add_tokens(struct filter_change *c, const char *file, const struct strv *tokens)
{
	if (tokens->nr)
		steps_add(&c->steps, STEP_ADD, xstrdup(file), strv_join(tokens, "\n"));
}

static void note_count(struct filter_change *c, const char *pattern, size_t nr)
{
	char number[32];

	if (is_glob(pattern) || strstr(pattern, ":mod:"))
		strv_add_take(&c->notes, xasprintf("%s: %s function%s", pattern,
						   format_count(nr, number, sizeof(number)),
						   nr == 1 ? "" : "s"));
}

/* Every name is looked for before one is written. */
static int check_patterns(struct filter_change *c, const struct strv *patterns, struct err *err)
{
	cleanup_free size_t *counts = xcalloc(patterns->nr + 1, sizeof(*counts));
	int r = patterns->nr ? tfs_count_functions(c->tfs, patterns, counts, err) : 0;

	for (size_t i = 0; r == 0 && i < patterns->nr; i++)
		note_count(c, patterns->item[i], counts[i]);
	return r;
}

/* "@FILE" stands for the names in it, one a line; blank lines and those with # are left out. */
static int expand(const char *text, struct strv *out, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf sb = {0};
	char *at;
	char *line;
	size_t before = out->nr;
	int r;

	if (*text != '@') {
		strv_add(out, text);
		return 0;
	}
	r = io_read_file(text + 1, &sb, err);
	at = sb.text;
	while (r == 0 && at && (line = str_next_line(&at))) {
		line = str_trim(line);
		/* As 'ft list functions -v' and the kernel's own list have it: "name [module]". */
		line[strcspn(line, " \t")] = '\0';
		if (*line && *line != '#')
			strv_add(out, line);
	}
	if (r == 0 && out->nr == before)
		return err_set(err, EINVAL, "there is no function in %s", text + 1);
	return r;
}

/* Does the list in @file hold anything that @pattern names? */
static int holds(const struct tfs *tfs, const char *file, const char *pattern, bool *is_there,
		 struct err *err)
{
	cleanup_free char *text = NULL;
	cleanup_free char *module = NULL;
	cleanup_free char *name = xstrdup(pattern);
	char *mod = strstr(name, ":mod:");
	char *at;
	char *line;
	int r = tfs_read(tfs, file, &text, err);

	*is_there = false;
	if (r < 0)
		return r;
	if (mod) {
		*mod = '\0';
		module = xasprintf("[%s]", mod + strlen(":mod:"));
	}
	at = text;
	while ((line = str_next_line(&at))) {
		size_t len = strcspn(line, " \t");
		const char *rest = line + len + strspn(line + len, " \t");

		if (*line == '#' || strchr(line, ':'))
			continue;
		if (module && strcmp(module, rest))
			continue;
		line[len] = '\0';
		if (!*name || glob_matches(name, line)) {
			*is_there = true;
			break;
		}
	}
	return 0;
}

/* "!FUNC" goes to whichever of both lists has it. */
static int take_out(struct filter_change *c, const char *pattern, const char *first,
		    const char *second, struct err *err)
{
	const char *const files[] = {first, second};
	bool any = false;

	for (size_t i = 0; i < array_size(files); i++) {
		bool is_there = false;
		int r = 0;

		if (files[i] && tfs_has(c->tfs, files[i]))
			r = holds(c->tfs, files[i], pattern, &is_there, err);
		if (r < 0)
			return r;
		if (is_there)
			steps_add(&c->steps, STEP_ADD, xstrdup(files[i]),
				  xasprintf("!%s", pattern));
		any |= is_there;
	}
	if (any)
		return 0;
	return err_set(err, ENOENT, "%s is not on %s%s: 'ft filter' shows what is", pattern, first,
		       second ? " nor " NOTRACE : "");
}

/* Each one that is there, as the kernel has it: with its count. */
static int take_commands_off(struct filter_change *c, const struct filter_item *item,
			     struct err *err)
{
	cleanup_free char *command = xstrndup(item->what, strcspn(item->what, ":"));
	cleanup_free char *shown = NULL;
	size_t before = c->steps.nr;
	int r = tfs_read(c->tfs, FILTER, &shown, err);
	char *at = shown;
	char *line;

	while (r == 0 && (line = str_next_line(&at))) {
		cleanup_free char *name = xstrndup(line, strcspn(line, ":"));
		cleanup_free char *head = xasprintf("%s:%s:", name, command);
		cleanup_free char *action = NULL;

		if (!str_starts(line, head) || !glob_matches(item->subject, name))
			continue;
		action = shown_action(line);
		steps_add(&c->steps, STEP_ACTION, xstrdup(FILTER), xasprintf("!%s", action));
	}
	if (r == 0 && c->steps.nr == before)
		return err_set(err, ENOENT,
			       "%s has no command %s: 'ft filter' shows those there are",
			       item->subject, command);
	return r;
}

static int add_command(struct filter_change *c, const struct filter_item *item, struct err *err)
{
	size_t nr;
	int r = tfs_match_functions(c->tfs, item->subject, &nr, err);

	if (r == 0)
		r = filter_check_action(c, item->what, err);
	if (r < 0)
		return r;
	note_count(c, item->subject, nr);
	steps_add(&c->steps, STEP_ACTION, xstrdup(FILTER),
		  xasprintf("%s:%s", item->subject, item->what));
	return 0;
}

static int need_file(const struct filter_change *c, const char *file, struct err *err)
{
	if (tfs_has(c->tfs, file))
		return 0;
	if (c->args->instance && tfs_has(c->top, file))
		return err_set(err, ENOENT,
			       "on this kernel instances have no %s: leave --instance out", file);
	return err_set(err, ENOENT, "this kernel has no %s ('ft list support' says why)", file);
}

/* The roots of --graph and --nograph; "!FUNC" takes one off. */
static int add_graph(struct filter_change *c, const struct strv *typed, const char *file,
		     struct err *err)
{
	cleanup(strv_fini) struct strv wanted = {0};
	int r = typed->nr ? need_file(c, file, err) : 0;

	for (size_t i = 0; r == 0 && i < typed->nr; i++) {
		const char *text = typed->item[i];

		if (*text == '!')
			r = take_out(c, text + 1, file, NULL, err);
		else
			r = expand(text + (*text == '+'), &wanted, err);
	}
	if (r == 0)
		r = check_patterns(c, &wanted, err);
	if (r == 0)
		add_tokens(c, file, &wanted);
	return r;
}

int filter_add_functions(struct filter_change *c, struct err *err)
{
	const struct filter_items *items = &c->args->items;
	cleanup(strv_fini) struct strv in = {0};
	cleanup(strv_fini) struct strv out = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < items->nr; i++) {
		const struct filter_item *item = &items->item[i];

		if (item->kind == ITEM_ADD)
			r = expand(item->subject, &in, err);
		else if (item->kind == ITEM_KEEP_OUT)
			r = expand(item->subject, &out, err);
		else if (item->kind == ITEM_TAKE_OUT)
			r = take_out(c, item->subject, FILTER, NOTRACE, err);
		else if (item->kind == ITEM_COMMAND)
			r = add_command(c, item, err);
		else if (item->kind == ITEM_COMMAND_OFF)
			r = take_commands_off(c, item, err);
	}
	if (r == 0)
		r = check_patterns(c, &in, err);
	if (r == 0)
		r = check_patterns(c, &out, err);
	if (r < 0)
		return r;
	add_tokens(c, FILTER, &in);
	add_tokens(c, NOTRACE, &out);
	r = add_graph(c, &c->args->graph, "set_graph_function", err);
	return r < 0 ? r : add_graph(c, &c->args->nograph, "set_graph_notrace", err);
}

static int check_pid(const char *text, struct err *err)
{
	cleanup_free char *path = NULL;
	uint64_t pid;

	if (!parse_u64(text, &pid) || !pid || pid > INT32_MAX)
		return err_set(err, EINVAL, "'%s' is not the number of a process", text);
	path = xasprintf("/proc/%" PRIu64, pid);
	if (access(path, F_OK) < 0)
		return err_set(err, ESRCH, "there is no process %s", text);
	return 0;
}

/* A kernel that forbids the tracing of functions refuses their list of processes, too; events have one
 * of their own. */
static bool is_forbidden(const struct tfs *tfs, const char *file)
{
	cleanup_close int fd = tfs_open_file(tfs, file, O_RDONLY, NULL);

	return fd == -EPERM;
}

/* The list without @gone: the kernel's lists of processes know no removal. */
static int drop_pid(struct filter_change *c, const char *file, const char *gone, bool *found,
		    struct err *err)
{
	cleanup(strv_fini) struct strv left = {0};
	cleanup_free char *text = NULL;
	cleanup_free char *value = NULL;
	bool is_there = false;
	char *at;
	char *line;
	int r;

	if (!tfs_has(c->tfs, file) || (strstr(file, "ftrace") && is_forbidden(c->tfs, file)))
		return 0;
	r = tfs_read(c->tfs, file, &text, err);
	if (r < 0)
		return r;
	at = text;
	while ((line = str_next_line(&at))) {
		if (!strcmp(line, gone))
			is_there = true;
		else if (*line >= '0' && *line <= '9')
			strv_add(&left, line);
	}
	value = strv_join(&left, "\n");
	if (is_there)
		steps_add(&c->steps, STEP_LIST, xstrdup(file), take_ptr(value));
	*found |= is_there;
	return 0;
}

static int add_pid_list(struct filter_change *c, const struct strv *typed, const char *events,
			const char *functions, struct err *err)
{
	const char *const files[] = {events, functions};
	cleanup(strv_fini) struct strv wanted = {0};
	bool any = false;

	for (size_t i = 0; i < typed->nr; i++) {
		const char *text = typed->item[i];
		bool found = false;
		int r = 0;

		if (*text != '!') {
			r = check_pid(text, err);
			strv_add(&wanted, text);
		}
		for (size_t f = 0; *text == '!' && r == 0 && f < array_size(files); f++)
			r = drop_pid(c, files[f], text + 1, &found, err);
		if (r < 0)
			return r;
		if (*text == '!' && !found)
			return err_set(err, ENOENT,
				       "process %s is not on %s: 'ft filter' shows which are",
				       text + 1, events);
	}
	for (size_t f = 0; wanted.nr && f < array_size(files); f++) {
		if (!tfs_has(c->tfs, files[f]) ||
		    (!strcmp(files[f], functions) && is_forbidden(c->tfs, files[f])))
			continue;
		add_tokens(c, files[f], &wanted);
		any = true;
	}
	return wanted.nr && !any ? need_file(c, events, err) : 0;
}

int filter_add_pids(struct filter_change *c, struct err *err)
{
	const struct filter_args *args = c->args;
	int r;

	if (args->children) {
		steps_add(&c->steps, STEP_SET, xstrdup("options/event-fork"), xstrdup("1"))
			->optional = true;
		steps_add(&c->steps, STEP_SET, xstrdup("options/function-fork"), xstrdup("1"))
			->optional = true;
	}
	r = add_pid_list(c, &args->pids, "set_event_pid", "set_ftrace_pid", err);
	return r < 0 ? r
		     : add_pid_list(c, &args->notrace_pids, "set_event_notrace_pid",
				    "set_ftrace_notrace_pid", err);
}

int filter_add_cpus(struct filter_change *c, struct err *err)
{
	cleanup_free unsigned int *all = NULL;
	cleanup_free unsigned int *cpus = NULL;
	size_t nr_all;
	size_t nr = 0;
	int r;

	if (!c->args->cpus)
		return 0;
	r = tfs_cpus(c->tfs, &all, &nr_all, err);
	if (r < 0)
		return r;
	if (!strcmp(c->args->cpus, "all")) {
		steps_add(&c->steps, STEP_SET, xstrdup("tracing_cpumask"),
			  format_cpumask(all, nr_all));
		return 0;
	}
	r = parse_cpulist(c->args->cpus, &cpus, &nr, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < nr; i++) {
		bool is_there = false;

		for (size_t n = 0; n < nr_all; n++)
			is_there |= all[n] == cpus[i];
		if (!is_there)
			return err_set(err, EINVAL, "there is no CPU %u: they are 0 to %u", cpus[i],
				       all[nr_all - 1]);
	}
	steps_add(&c->steps, STEP_SET, xstrdup("tracing_cpumask"), format_cpumask(cpus, nr));
	return 0;
}

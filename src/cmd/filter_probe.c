/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft filter: dynamic events, made in ft's own group and taken away again. */
#include "cmd/filter_probe.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/filter.h"
#include "report/filter.h"
#include "session/shown.h"
#include "util/elf.h"
#include "util/io.h"
#include "util/mem.h"

#define GROUP "ft"
#define SYNTHETIC "synthetic"

/* Letter and file of each kind; older kernels have no file for all. */
static const struct {
	char letter;
	const char *option;
	const char *file;
} kinds[] = {
	[PROBE_KPROBE] = {'p', "kprobe", "kprobe_events"},
	[PROBE_KRETPROBE] = {'r', "kretprobe", "kprobe_events"},
	[PROBE_UPROBE] = {'p', "uprobe", "uprobe_events"},
	[PROBE_URETPROBE] = {'r', "uretprobe", "uprobe_events"},
	[PROBE_EPROBE] = {'e', "eprobe", "dynamic_events"},
	[PROBE_SYNTH] = {'s', "synth", "synthetic_events"},
};

void probe_spec_fini(struct probe_spec *spec)
{
	free(spec->name);
	free(spec->place);
	strv_fini(&spec->args);
	free(spec->condition);
	*spec = (struct probe_spec){0};
}

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return len && !isdigit((unsigned char)*text);
}

/* "NAME=PLACE" */
static int take_place(const char *word, struct probe_spec *out, struct err *err)
{
	const char *equals = strchr(word, '=');

	if (equals && is_name(word, (size_t)(equals - word))) {
		out->name = xstrndup(word, (size_t)(equals - word));
		word = equals + 1;
	} else if (equals && !strchr(word, '/')) {
		return err_set(err, EINVAL,
			       "'%.*s' cannot be the name of an event (letters, digits, _)",
			       (int)(equals - word), word);
	}
	if (!*word)
		return err_set(err, EINVAL, "the place of the event is missing");
	out->place = xstrdup(word);
	return 0;
}

int probe_spec_parse(enum probe_kind kind, const char *text, struct probe_spec *out,
		     struct err *err)
{
	const char *condition = kind == PROBE_EPROBE ? strstr(text, " if ") : NULL;
	cleanup_free char *head = condition ? xstrndup(text, (size_t)(condition - text))
					    : xstrdup(text);
	cleanup(strv_fini) struct strv words = {0};
	int r;

	strv_split(&words, head, " \t\n");
	if (!words.nr)
		return err_set(err, EINVAL, "--%s needs a place", kinds[kind].option);
	r = take_place(words.item[0], out, err);
	for (size_t i = 1; r == 0 && i < words.nr; i++)
		strv_add(&out->args, words.item[i]);
	if (condition)
		out->condition = xstrdup(condition + strlen(" if "));
	return r;
}

/* A name made of the place: what cannot be in one becomes '_'. */
static char *default_name(const char *text, const char *suffix)
{
	char *name = xasprintf("%s%s%s", isdigit((unsigned char)*text) ? "at_" : "", text, suffix);

	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

static const char *file_of(const struct filter_change *c, enum probe_kind kind)
{
	return tfs_has(c->top, "dynamic_events") ? "dynamic_events" : kinds[kind].file;
}

static int check_new(const struct filter_change *c, const char *group, const char *name,
		     struct err *err)
{
	cleanup_free char *dir = xasprintf("events/%s/%s", group, name);

	if (tfs_has(c->top, dir))
		return err_set(
			err, EEXIST,
			"event %s:%s is there already: give the new one another name (NAME=...), or take it away with --remove %s",
			group, name, name);
	return 0;
}

static int add_definition(struct filter_change *c, enum probe_kind kind, const char *name,
			  const char *place, const char *rest, struct err *err)
{
	const char *file = file_of(c, kind);
	int r = check_new(c, GROUP, name, err);

	if (r < 0)
		return r;
	if (!tfs_has(c->top, file))
		return err_set(err, ENOTSUP, "this kernel has no %ss ('ft list support' says why)",
			       kinds[kind].option);
	steps_add(&c->steps, STEP_PROBE, xstrdup(file),
		  xasprintf("%c:" GROUP "/%s %s%s", kinds[kind].letter, name, place, rest))
		->top = true;
	strv_add_take(&c->notes, xasprintf("event " GROUP ":%s", name));
	return 0;
}

/* Is it among the kernel's symbols? Who may not read them learns it from the kernel. */
static bool is_symbol(const char *name)
{
	static const char *const ends[] = {"\n", "\t"};
	cleanup(strbuf_fini) struct strbuf text = {0};

	if (io_read_file("/proc/kallsyms", &text, NULL) < 0 || !text.len)
		return true;
	for (size_t i = 0; i < array_size(ends); i++) {
		cleanup_free char *needle = xasprintf(" %s%s", name, ends[i]);

		if (strstr(text.text, needle))
			return true;
	}
	return false;
}

static int check_symbol(const struct filter_change *c, const char *symbol, struct err *err)
{
	size_t nr;

	if (str_starts(symbol, "0x") || is_symbol(symbol))
		return 0;
	if (is_glob(symbol))
		return err_set(err, EINVAL,
			       "'%s': an event stands on one function, not on a pattern", symbol);
	/* For the names like it. */
	if (tfs_match_functions(c->top, symbol, &nr, err) < 0)
		return -err->code;
	return 0;
}

static int add_kernel(struct filter_change *c, enum probe_kind kind, const char *text,
		      struct err *err)
{
	cleanup(probe_spec_fini) struct probe_spec spec = {0};
	cleanup(strbuf_fini) struct strbuf args = {0};
	cleanup_free char *symbol = NULL;
	const char *module;
	const char *offset;
	int r = probe_spec_parse(kind, text, &spec, err);

	if (r < 0)
		return r;
	module = strchr(spec.place, ':');
	symbol = xstrdup(module ? module + 1 : spec.place);
	offset = strchr(spec.place, '+');
	symbol[strcspn(symbol, "+")] = '\0';
	r = check_symbol(c, symbol, err);
	if (r == 0)
		r = probe_arguments(kind, &spec, offset ? NULL : symbol, NULL, &args, err);
	if (r < 0)
		return r;
	if (!spec.name)
		spec.name = default_name(spec.place, kind == PROBE_KRETPROBE ? "_ret" : "");
	return add_definition(c, kind, spec.name, spec.place, strbuf_str(&args), err);
}

/* A program by its bare name is looked for as the shell does; caller frees. */
static char *find_program(const char *name, struct err *err)
{
	const char *path = getenv("PATH");
	cleanup(strv_fini) struct strv dirs = {0};
	char *real;

	if (strchr(name, '/')) {
		real = realpath(name, NULL);
		if (!real)
			err_sys(err, errno, "cannot use %s", name);
		return real;
	}
	strv_split(&dirs, path ? path : "/usr/bin:/bin", ":");
	for (size_t i = 0; i < dirs.nr; i++) {
		cleanup_free char *file = xasprintf("%s/%s", dirs.item[i], name);

		if (access(file, X_OK) == 0 && (real = realpath(file, NULL)))
			return real;
	}
	err_set(err, ENOENT, "no program '%s' (for a library give its path)", name);
	return NULL;
}

/* "SYMBOL", "SYMBOL+0x10" or "0x1234" in @file. */
static int find_offset(const char *file, const char *where, uint64_t *offset, struct err *err)
{
	cleanup_free char *symbol = xstrndup(where, strcspn(where, "+"));
	const char *plus = strchr(where, '+');
	uint64_t more = 0;
	int r;

	if (plus && !parse_u64(plus + 1, &more))
		return err_set(err, EINVAL, "'%s' is no offset", plus + 1);
	if (isdigit((unsigned char)*where) && parse_u64(where, offset))
		return 0;
	r = elf_find_symbol(file, symbol, offset, err);
	*offset += more;
	return r;
}

static int add_user(struct filter_change *c, enum probe_kind kind, const char *text,
		    struct err *err)
{
	cleanup(probe_spec_fini) struct probe_spec spec = {0};
	cleanup(strbuf_fini) struct strbuf args = {0};
	cleanup_free char *file = NULL;
	cleanup_free char *place = NULL;
	uint64_t offset = 0;
	char *colon;
	int r = probe_spec_parse(kind, text, &spec, err);

	if (r < 0)
		return r;
	colon = strrchr(spec.place, ':');
	if (!colon || colon == spec.place || !colon[1])
		return err_set(err, EINVAL, "'%s' is not FILE:SYMBOL or FILE:0xOFFSET", spec.place);
	*colon = '\0';
	file = find_program(spec.place, err);
	if (!file || find_offset(file, colon + 1, &offset, err) < 0)
		return -err->code;
	if (strpbrk(file, " \t:"))
		return err_set(err, EINVAL, "%s: the kernel takes no path with a blank or colon",
			       file);
	r = probe_arguments(kind, &spec, NULL, NULL, &args, err);
	if (r < 0)
		return r;
	if (!spec.name)
		spec.name = default_name(colon + 1, kind == PROBE_URETPROBE ? "_ret" : "");
	place = xasprintf("%s:0x%" PRIx64, file, offset);
	return add_definition(c, kind, spec.name, place, strbuf_str(&args), err);
}

static int add_event(struct filter_change *c, const char *text, struct err *err)
{
	cleanup(probe_spec_fini) struct probe_spec spec = {0};
	cleanup(strbuf_fini) struct strbuf rest = {0};
	cleanup(strv_fini) struct strv events = {0};
	cleanup(strv_fini) struct strv fields = {0};
	cleanup_free char *place = NULL;
	char *colon;
	int r = probe_spec_parse(PROBE_EPROBE, text, &spec, err);

	if (r == 0)
		r = tfs_match_events(c->top, spec.place, &events, err);
	if (r < 0)
		return r;
	if (events.nr != 1)
		return err_set(err, EINVAL, "'%s' stands for %zu events: an eprobe stands on one",
			       spec.place, events.nr);
	place = xstrdup(events.item[0]);
	r = filter_event_fields(c->top, place, &fields, err);
	if (r == 0)
		r = probe_arguments(PROBE_EPROBE, &spec, NULL, &fields, &rest, err);
	if (r == 0 && spec.condition) {
		strbuf_add(&rest, " if ");
		r = filter_check_fields(spec.condition, place, &fields, &rest, err);
	}
	if (r < 0)
		return r;
	colon = strchr(place, ':');
	if (!spec.name)
		spec.name = default_name(colon + 1, "");
	*colon = '.';
	return add_definition(c, PROBE_EPROBE, spec.name, place, strbuf_str(&rest), err);
}

/* The kernel has a group of its own for these. */
static int add_synthetic(struct filter_change *c, const char *text, struct err *err)
{
	size_t len = strcspn(text, " \t");
	cleanup_free char *name = xstrndup(text, len);
	const char *fields = text + len + strspn(text + len, " \t");
	int r;

	if (!is_name(name, len))
		return err_set(err, EINVAL,
			       "'%s' cannot be the name of an event (letters, digits, _)", name);
	if (!*fields)
		return err_set(err, EINVAL,
			       "--synth %s has no fields: 'NAME TYPE FIELD[; TYPE FIELD...]'",
			       name);
	if (!tfs_has(c->top, "dynamic_events") || !tfs_has(c->top, "synthetic_events"))
		return err_set(err, ENOTSUP,
			       "this kernel has no synthetic events ('ft list support' says why)");
	r = check_new(c, SYNTHETIC, name, err);
	if (r < 0)
		return r;
	steps_add(&c->steps, STEP_PROBE, xstrdup("dynamic_events"),
		  xasprintf("s:" SYNTHETIC "/%s %s", name, fields))
		->top = true;
	strv_add_take(&c->notes, xasprintf("event " SYNTHETIC ":%s", name));
	return 0;
}

/* The event's triggers and filter go first: the kernel keeps an event that has a trigger, and a filter
 * would not come back with it. */
static int add_removal(struct filter_change *c, const char *group, const char *name,
		       const char *definition, struct err *err)
{
	cleanup_free char *dir = xasprintf("events/%s/%s", group, name);
	cleanup_free char *enable = xasprintf("%s/enable", dir);
	cleanup_free char *trigger = xasprintf("%s/trigger", dir);
	cleanup_free char *filter = xasprintf("%s/filter", dir);
	cleanup_free char *on = NULL;
	cleanup_free char *text = NULL;
	char *at;
	char *line;

	if (tfs_read_line(c->top, enable, &on, NULL) == 0 && *on == '1')
		return err_set(
			err, EBUSY,
			"event %s:%s is enabled: switch it off first, with 'ft set events-=%s:%s'",
			group, name, group, name);
	if (tfs_read(c->top, trigger, &text, NULL) < 0)
		text = xstrdup("");
	at = text;
	while ((line = str_next_line(&at))) {
		cleanup_free char *action = *line != '#' ? shown_action(line) : NULL;

		if (action)
			steps_add(&c->steps, STEP_ACTION, xstrdup(trigger),
				  xasprintf("!%s", action))
				->top = true;
	}
	steps_add(&c->steps, STEP_FILTER, xstrdup(filter), xstrdup("0"))->top = true;
	steps_add(&c->steps, STEP_PROBE, xstrdup("dynamic_events"), xasprintf("-%s", definition))
		->top = true;
	return 0;
}

/* Calls add_removal() for the events of ft's that are called @name, or for all when it is NULL. */
static int remove_matching(struct filter_change *c, const char *name, struct strv *names,
			   bool *found, struct err *err)
{
	cleanup_free char *text = NULL;
	int r = tfs_read(c->top, "dynamic_events", &text, err);
	char *at = text;
	char *line;

	while (r == 0 && (line = str_next_line(&at))) {
		const char *colon = strchr(line, ':');
		size_t len = colon ? strcspn(colon + 1, " \t") : 0;
		cleanup_free char *full = colon ? xstrndup(colon + 1, len) : xstrdup("");
		char *slash = strchr(full, '/');
		bool is_own;

		if (!slash)
			continue;
		*slash = '\0';
		is_own = !strcmp(full, GROUP) || (name && !strcmp(full, SYNTHETIC));
		if (is_own)
			strv_add(names, slash + 1);
		if (!is_own || (name && strcmp(slash + 1, name)))
			continue;
		*found = true;
		r = add_removal(c, full, slash + 1, line, err);
	}
	return r;
}

static int remove_one(struct filter_change *c, const char *typed, struct err *err)
{
	const char *colon = strchr(typed, ':');
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	bool found = false;
	int r;

	if (colon && strncmp(typed, GROUP ":", strlen(GROUP) + 1) &&
	    strncmp(typed, SYNTHETIC ":", strlen(SYNTHETIC) + 1))
		return err_set(err, EINVAL,
			       "event %s is not ft's: only those of the groups " GROUP
			       " and " SYNTHETIC " are taken away",
			       typed);
	r = remove_matching(c, colon ? colon + 1 : typed, &names, &found, err);
	if (r < 0 || found)
		return r;
	near = near_names(colon ? colon + 1 : typed, &names);
	return err_set(err, ENOENT,
		       "ft has made no event %s%s; 'ft list dynamic' shows what there is", typed,
		       near);
}

/* A kernel built without it has no file for it. */
static int check_kind(const struct filter_change *c, enum probe_kind kind, struct err *err)
{
	bool in_programs = kind == PROBE_UPROBE || kind == PROBE_URETPROBE;

	if (tfs_has(c->top, kinds[kind].file))
		return 0;
	return err_set(err, ENOENT, "this kernel has no %ss: there is no %s/%s (%s)",
		       kinds[kind].option, tfs_dir(c->top), kinds[kind].file,
		       kind == PROBE_SYNTH    ? "CONFIG_SYNTH_EVENTS"
		       : kind == PROBE_EPROBE ? "CONFIG_DYNAMIC_EVENTS"
		       : in_programs	      ? "CONFIG_UPROBE_EVENTS"
					      : "CONFIG_KPROBE_EVENTS");
}

static int add_each(struct filter_change *c, const struct strv *specs, enum probe_kind kind,
		    struct err *err)
{
	int r = specs->nr ? check_kind(c, kind, err) : 0;

	for (size_t i = 0; r == 0 && i < specs->nr; i++) {
		const char *text = specs->item[i];

		if (kind == PROBE_EPROBE)
			r = add_event(c, text, err);
		else if (kind == PROBE_SYNTH)
			r = add_synthetic(c, text, err);
		else if (kind == PROBE_UPROBE || kind == PROBE_URETPROBE)
			r = add_user(c, kind, text, err);
		else
			r = add_kernel(c, kind, text, err);
	}
	return r;
}

int filter_add_probes(struct filter_change *c, struct err *err)
{
	const struct filter_args *args = c->args;
	const struct strv *const specs[] = {
		[PROBE_KPROBE] = &args->kprobes, [PROBE_KRETPROBE] = &args->kretprobes,
		[PROBE_UPROBE] = &args->uprobes, [PROBE_URETPROBE] = &args->uretprobes,
		[PROBE_EPROBE] = &args->eprobes, [PROBE_SYNTH] = &args->synths,
	};
	cleanup(strv_fini) struct strv names = {0};
	bool found = false;
	int r = 0;

	/* Instances share the events, and may be cleared without them. */
	if (!args->instance && tfs_has(c->top, "dynamic_events") &&
	    (strv_has(&args->clear, "probes") || strv_has(&args->clear, "all")))
		r = remove_matching(c, NULL, &names, &found, err);
	for (size_t i = 0; r == 0 && i < args->remove.nr; i++)
		r = remove_one(c, args->remove.item[i], err);
	for (size_t i = 0; r == 0 && i < array_size(specs); i++)
		r = add_each(c, specs[i], (enum probe_kind)i, err);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The completion scripts, and what the running system offers for a word. */
#include "cmd/completion.h"

#include <ctype.h>
#include <dirent.h>
#include <grp.h>
#include <string.h>

#include "cmd/filter.h"
#include "completion_scripts.h"
#include "tracefs/tracefs.h"
#include "util/io.h"
#include "util/mem.h"

/* More than this nobody reads, and a shell takes long to show. */
#define OFFER_MOST 1000

struct script {
	const char *shell;
	const char *text;
};

static const struct script scripts[] = {
	{"bash", script_bash},
	{"zsh", script_zsh},
	{"fish", script_fish},
};

const char *completion_script(const char *shell)
{
	for (size_t i = 0; i < array_size(scripts); i++)
		if (!strcmp(scripts[i].shell, shell))
			return scripts[i].text;
	return NULL;
}

static int list_clocks(const struct tfs *tfs, struct strv *out, struct err *err)
{
	cleanup_free char *current = NULL;

	return tfs_clocks(tfs, out, &current, err);
}

/* Both spellings that -e takes: whole systems, and "system:event". */
static int list_events(const struct tfs *tfs, struct strv *out, struct err *err)
{
	int r = tfs_systems(tfs, out, err);

	return r < 0 ? r : tfs_events(tfs, out, err);
}

static int list_functions(const struct tfs *tfs, struct strv *out, struct err *err)
{
	/* Asking must change nothing, not even the copy of the list. */
	int r = tfs_peek_functions(tfs, out, err);

	/* "name [module]": -l takes the bare name. */
	for (size_t i = 0; i < out->nr; i++)
		out->item[i][strcspn(out->item[i], " ")] = '\0';
	return r;
}

/* Both spellings that -O takes: NAME and noNAME. */
static int list_options(const struct tfs *tfs, struct strv *out, struct err *err)
{
	int r = tfs_options(tfs, out, err);
	size_t nr = out->nr;

	for (size_t i = 0; r >= 0 && i < nr; i++)
		strv_add_take(out, xasprintf("no%s", out->item[i]));
	strv_sort(out);
	return r;
}

struct offer {
	enum hint hint;
	int (*list)(const struct tfs *tfs, struct strv *out, struct err *err);
};

static const struct offer offers[] = {
	{HINT_EVENT, list_events},	 {HINT_FUNCTION, list_functions},
	{HINT_TRACER, tfs_tracers},	 {HINT_TRACE_OPTION, list_options},
	{HINT_OPTION_NAME, tfs_options}, {HINT_CLOCK, list_clocks},
	{HINT_INSTANCE, tfs_instances},
};

/* When there are too many, the last is among those that are offered: a shell types what all have in
 * common, and of a sorted list the first and the last have no more in common than all. */
static void offer_names(const struct strv *names, const char *prefix, const char *lead,
			struct strv *out)
{
	const char *last = NULL;

	for (size_t i = 0; i < names->nr; i++) {
		if (!str_starts(names->item[i], prefix))
			continue;
		last = names->item[i];
		if (out->nr < OFFER_MOST)
			strv_add_take(out, xasprintf("%s%s", lead, last));
	}
	if (last && out->nr == OFFER_MOST)
		strv_add_take(out, xasprintf("%s%s", lead, last));
}

/* What may follow a sign, and events: which word it is shows at its first character. */
static void offer_gate(const struct tfs *tfs, const char *prefix, struct strv *out)
{
	static const char signs[] = "+-!";
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *lead = NULL;

	if (*prefix && strchr(signs, *prefix)) {
		lead = xstrndup(prefix, 1);
		if (list_functions(tfs, &names, NULL) >= 0)
			offer_names(&names, prefix + 1, lead, out);
	} else if (tfs_events(tfs, &names, NULL) >= 0) {
		offer_names(&names, prefix, "", out);
	}
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void add_fields(const struct tfs *tfs, const char *event, struct strv *names)
{
	cleanup(strv_fini) struct strv events = {0};

	if (tfs_match_events(tfs, event, &events, NULL) < 0 ||
	    filter_event_fields(tfs, events.item[0], names, NULL) < 0)
		return;
	strv_add(names, "comm");
	strv_add(names, "cpu");
}

/* For the last name in what has been typed. */
static void offer_last(struct strv *names, const char *typed, const char *option, struct strv *out)
{
	size_t at = strlen(typed);
	cleanup_free char *lead = NULL;

	while (at && is_name_char(typed[at - 1]))
		at--;
	lead = xasprintf("%s%.*s", option, (int)at, typed);
	strv_sort(names);
	offer_names(names, typed + at, lead, out);
}

/* The fields of @event, and the triggers when nothing stands before. */
static void offer_fields(const struct tfs *tfs, const char *event, const char *typed,
			 struct strv *out)
{
	static const char *const others[] = {"none",	"stacktrace", "snapshot",
					     "traceon", "traceoff",   "hist:keys="};
	cleanup(strv_fini) struct strv names = {0};
	bool is_first = true;

	for (const char *c = typed; *c; c++)
		is_first = is_first && is_name_char(*c);
	add_fields(tfs, event, &names);
	for (size_t i = 0; names.nr && is_first && i < array_size(others); i++)
		strv_add(&names, others[i]);
	offer_last(&names, typed, "", out);
}

/* "EVENT: FILTER": the fields behind the colon and a blank, before it the events. */
static void offer_filter(const struct tfs *tfs, const struct proposal *proposal, struct strv *out)
{
	const char *filter = strstr(proposal->prefix, ": ");
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *event = NULL;

	if (!filter) {
		if (tfs_events(tfs, &names, NULL) >= 0)
			offer_names(&names, proposal->prefix, proposal->lead, out);
		return;
	}
	event = xstrndup(proposal->prefix, (size_t)(filter - proposal->prefix));
	add_fields(tfs, event, &names);
	offer_last(&names, proposal->prefix, proposal->lead, out);
}

/* A tab and the command behind it, for the reader. */
static void add_pid(const char *pid, const char *lead, struct strv *out)
{
	cleanup_free char *path = xasprintf("/proc/%s/comm", pid);
	cleanup(strbuf_fini) struct strbuf comm = {0};

	if (io_read_file(path, &comm, NULL) == 0)
		strv_add_take(out, xasprintf("%s%s\t%s", lead, pid, str_trim(comm.text)));
}

static void offer_pids(const char *prefix, const char *lead, struct strv *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc)) && out->nr < OFFER_MOST)
		if (isdigit((unsigned char)entry->d_name[0]) && str_starts(entry->d_name, prefix))
			add_pid(entry->d_name, lead, out);
	closedir(proc);
}

/* Users are the shell's business, but none knows ":GROUP". */
static bool is_group(const struct proposal *proposal)
{
	return proposal->hint == HINT_USER && proposal->prefix && proposal->prefix[0] == ':';
}

static void offer_groups(const char *prefix, const char *lead, struct strv *out)
{
	cleanup(strv_fini) struct strv names = {0};
	struct group *group;

	setgrent();
	while ((group = getgrent()))
		strv_add_take(&names, xasprintf(":%s", group->gr_name));
	endgrent();
	strv_sort(&names);
	offer_names(&names, prefix, lead, out);
}

/* Nouns of ft list that take names of a kind. */
static const struct {
	const char *noun;
	enum hint hint;
} nouns[] = {
	{"events", HINT_EVENT}, {"functions", HINT_FUNCTION},  {"tracers", HINT_TRACER},
	{"clocks", HINT_CLOCK}, {"options", HINT_OPTION_NAME}, {"instances", HINT_INSTANCE},
};

static enum hint real_hint(const struct proposal *proposal)
{
	if (proposal->hint != HINT_NOUN)
		return proposal->hint;
	for (size_t i = 0; proposal->noun && i < array_size(nouns); i++)
		if (!strcmp(nouns[i].noun, proposal->noun))
			return nouns[i].hint;
	return HINT_NONE;
}

static void add_offers(struct proposal *proposal)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(tfs_freep) struct tfs *tfs = NULL;
	enum hint hint = real_hint(proposal);

	if (hint == HINT_PID) {
		offer_pids(proposal->prefix, proposal->lead, &proposal->answers);
		return;
	}
	if (is_group(proposal)) {
		offer_groups(proposal->prefix, proposal->lead, &proposal->answers);
		return;
	}
	if (hint == HINT_GATE) {
		tfs = tfs_open(proposal->tracefs, NULL);
		if (tfs && proposal->noun)
			offer_fields(tfs, proposal->noun, proposal->prefix, &proposal->answers);
		else if (tfs)
			offer_gate(tfs, proposal->prefix, &proposal->answers);
		return;
	}
	if (hint == HINT_FILTER) {
		tfs = tfs_open(proposal->tracefs, NULL);
		if (tfs)
			offer_filter(tfs, proposal, &proposal->answers);
		return;
	}
	for (size_t i = 0; i < array_size(offers); i++) {
		if (offers[i].hint != hint)
			continue;
		tfs = tfs_open(proposal->tracefs, NULL);
		if (tfs && offers[i].list(tfs, &names, NULL) >= 0)
			offer_names(&names, proposal->prefix, proposal->lead, &proposal->answers);
		return;
	}
}

static void print_directive(const struct proposal *proposal, FILE *to)
{
	switch (is_group(proposal) ? HINT_NONE : proposal->hint) {
	case HINT_FILE:
		fputs(":file\n", to);
		break;
	case HINT_DIR:
		fputs(":dir\n", to);
		break;
	case HINT_USER:
		fputs(":user\n", to);
		break;
	case HINT_COMMAND:
		fprintf(to, ":command %zu\n", proposal->command_at);
		break;
	default:
		fputs(":none\n", to);
	}
}

void completion_print(struct proposal *proposal, FILE *to)
{
	if (proposal->prefix)
		add_offers(proposal);
	for (size_t i = 0; i < proposal->answers.nr; i++)
		fprintf(to, "%s\n", proposal->answers.item[i]);
	print_directive(proposal, to);
}

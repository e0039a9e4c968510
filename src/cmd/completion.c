/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The completion scripts, and what the running system offers for a word. */
#include "cmd/completion.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

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

const char *completion_directive(enum hint hint)
{
	switch (hint) {
	case HINT_FILE:
		return ":file";
	case HINT_DIR:
		return ":dir";
	case HINT_COMMAND:
		return ":command";
	case HINT_USER:
		return ":user";
	default:
		return ":none";
	}
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
	int r = tfs_functions(tfs, out, err);

	/* "name [module]": -l takes the bare name. */
	for (size_t i = 0; i < out->nr; i++)
		out->item[i][strcspn(out->item[i], " ")] = '\0';
	return r;
}

static int list_options(const struct tfs *tfs, struct strv *out, struct err *err)
{
	return tfs_options(tfs, out, err);
}

struct offer {
	enum hint hint;
	int (*list)(const struct tfs *tfs, struct strv *out, struct err *err);
};

static const struct offer offers[] = {
	{HINT_EVENT, list_events},  {HINT_FUNCTION, list_functions},
	{HINT_TRACER, tfs_tracers}, {HINT_TRACE_OPTION, list_options},
	{HINT_CLOCK, list_clocks},  {HINT_INSTANCE, tfs_instances},
};

static void offer_names(const struct strv *names, const char *prefix, const char *lead,
			struct strv *out)
{
	for (size_t i = 0; i < names->nr && out->nr < OFFER_MOST; i++)
		if (str_starts(names->item[i], prefix))
			strv_add_take(out, xasprintf("%s%s", lead, names->item[i]));
}

static void offer_pids(const char *prefix, const char *lead, struct strv *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc)) && out->nr < OFFER_MOST)
		if (isdigit((unsigned char)entry->d_name[0]) && str_starts(entry->d_name, prefix))
			strv_add_take(out, xasprintf("%s%s", lead, entry->d_name));
	closedir(proc);
}

void completion_offer(enum hint hint, const char *prefix, const char *lead, struct strv *out)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup(tfs_freep) struct tfs *tfs = NULL;

	if (hint == HINT_PID) {
		offer_pids(prefix, lead, out);
		return;
	}
	for (size_t i = 0; i < array_size(offers); i++) {
		if (offers[i].hint != hint)
			continue;
		tfs = tfs_open(NULL, NULL);
		if (!tfs || offers[i].list(tfs, &names, NULL) < 0)
			return;
		offer_names(&names, prefix, lead, out);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables as lists, for completion and for the tests that compare manuals with them. */
#include "cli/introspect.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

char *introspect_options(const struct command *cmd)
{
	struct strbuf sb = {0};

	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++) {
		if (opt->kind == OPT_KIND_GROUP)
			continue;
		strbuf_addf(&sb, "%c\t%s\t%s\t%s\n", opt->letter ? opt->letter : '-', opt->name,
			    option_has_arg(opt) ? opt->metavar : "-", opt->help);
	}
	strbuf_add(&sb, "h\thelp\t-\tshow this text\n");
	return strbuf_take(&sb);
}

static const struct option *find_long(const struct command *cmd, const char *name, size_t len)
{
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++)
		if (opt->kind != OPT_KIND_GROUP && strlen(opt->name) == len &&
		    !strncmp(opt->name, name, len))
			return opt;
	return NULL;
}

static const struct option *find_short(const struct command *cmd, char letter)
{
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++)
		if (opt->kind != OPT_KIND_GROUP && opt->letter == letter)
			return opt;
	return NULL;
}

static bool needs_argument(const struct option *opt)
{
	return opt && option_has_arg(opt) && !opt->optional_arg;
}

/* The option of @word whose argument is the word after it: "--output", "-o", "-avo", but not
 * "--output=x" or "-ox". */
static const struct option *find_open(const struct command *cmd, const char *word)
{
	const struct option *opt;

	if (str_starts(word, "--")) {
		opt = find_long(cmd, word + 2, strlen(word + 2));
		return needs_argument(opt) ? opt : NULL;
	}
	for (const char *letter = word + 1; word[0] == '-' && *letter; letter++) {
		opt = find_short(cmd, *letter);
		if (needs_argument(opt))
			return letter[1] ? NULL : opt;
	}
	return NULL;
}

static void add_matching(struct strv *out, const char *const *names, const char *lead,
			 const char *prefix)
{
	for (size_t i = 0; names[i]; i++)
		if (str_starts(names[i], prefix))
			strv_add_take(out, xasprintf("%s%s", lead, names[i]));
}

static void complete_options(const struct command *cmd, const char *prefix, struct strv *out)
{
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++) {
		cleanup_free char *dashed = NULL;

		if (opt->kind == OPT_KIND_GROUP)
			continue;
		dashed = xasprintf("--%s", opt->name);
		if (str_starts(dashed, prefix))
			strv_add(out, dashed);
	}
	if (str_starts("--help", prefix))
		strv_add(out, "--help");
}

static void complete_verbs(const struct command *const *cmds, const char *prefix, struct strv *out)
{
	static const char *const others[] = {"help", "completion", "--version", "--help", NULL};

	for (size_t i = 0; cmds[i]; i++)
		if (str_starts(cmds[i]->name, prefix))
			strv_add(out, cmds[i]->name);
	add_matching(out, others, "", prefix);
}

/* What the words before the last one come to. */
struct before {
	const struct option *open; /* the last word is its argument */
	const char *noun; /* the first plain word; of pairs the one that waits for its second */
	const char *tracefs;
	size_t command_at; /* where the verb's own options have ended, 0 when they have not */
	bool wrapped;	   /* and a command begins there, after "run NAME --" */
};

/* Where the command of "run NAME -- COMMAND" begins, 0 when the last word comes before it. */
static size_t find_wrapped(const struct command *cmd, const struct strv *words, size_t at)
{
	if (!cmd->wrapper || strcmp(words->item[at], cmd->wrapper))
		return 0;
	return at + 3 < words->nr && !strcmp(words->item[at + 2], "--") ? at + 3 : 0;
}

static struct before read_words(const struct command *cmd, const struct strv *words)
{
	struct before before = {0};

	for (size_t i = 1; i + 1 < words->nr && !before.command_at; i++) {
		const char *word = words->item[i];

		if (before.open) {
			if (!strcmp(before.open->name, "tracefs"))
				before.tracefs = word;
			before.open = NULL;
		} else if (!strcmp(word, "--")) {
			before.command_at = i + 1;
		} else if (word[0] != '-' || !word[1] || command_has_minus_word(cmd, word)) {
			size_t wrapped = find_wrapped(cmd, words, i);

			before.wrapped = wrapped != 0;
			if (cmd->stops_at_word)
				before.command_at = wrapped ? wrapped : i;
			else if (before.noun && cmd->word_hint == HINT_GATE)
				before.noun = NULL;
			else if (!before.noun && (!cmd->minus_words || !strchr("+-!:", word[0])))
				before.noun = word;
		} else if (str_starts(word, "--tracefs=")) {
			before.tracefs = strchr(word, '=') + 1;
		} else {
			before.open = find_open(cmd, word);
		}
	}
	return before;
}

static void ask(struct proposal *out, enum hint hint, const char *prefix, const char *lead)
{
	out->hint = hint;
	out->prefix = xstrdup(prefix);
	out->lead = xstrdup(lead);
}

static void propose_argument(const struct option *opt, const char *typed, const char *lead,
			     struct proposal *out)
{
	if (opt->choices)
		add_matching(&out->answers, opt->choices, lead, typed);
	else
		ask(out, opt->hint, typed, lead);
}

/* "--name=typed so far" */
static void propose_joined(const struct command *cmd, const char *last, struct proposal *out)
{
	size_t len = strcspn(last, "=");
	cleanup_free char *lead = xstrndup(last, len + 1);
	const struct option *opt = find_long(cmd, last + 2, len - 2);

	if (opt && option_has_arg(opt))
		propose_argument(opt, last + len + 1, lead, out);
}

/* "events+=sched:*,typed so far": the last part after '=' and commas is open. */
static void propose_value(const struct word *word, const char *last, struct proposal *out)
{
	const char *value = last + strlen(word->form);
	const char *comma = strrchr(value, ',');
	const char *typed = comma ? comma + 1 : value;
	cleanup_free char *lead = xstrndup(last, (size_t)(typed - last));

	if (word->choices)
		add_matching(&out->answers, word->choices, lead, typed);
	else
		ask(out, word->hint, typed, lead);
}

static void propose_setting(const struct command *cmd, const char *last, struct proposal *out)
{
	for (const struct word *word = cmd->words; word->form; word++) {
		if (word->metavar && str_starts(last, word->form)) {
			propose_value(word, last, out);
			return;
		}
		if (str_starts(word->form, last))
			strv_add(&out->answers, word->form);
	}
}

static void propose_word(const struct command *cmd, const struct before *before, const char *last,
			 size_t at, struct proposal *out)
{
	if (cmd->word_choices && !before->noun) {
		add_matching(&out->answers, cmd->word_choices, "", last);
		return;
	}
	if (cmd->words) {
		propose_setting(cmd, last, out);
		return;
	}
	if (cmd->wrapper && !before->command_at && str_starts(cmd->wrapper, last))
		strv_add(&out->answers, cmd->wrapper);
	ask(out, before->wrapped ? HINT_COMMAND : cmd->word_hint, last, "");
	out->noun = before->noun ? xstrdup(before->noun) : NULL;
	out->command_at = before->command_at ? before->command_at : at;
}

static void propose_for_verb(const struct command *cmd, const struct strv *words,
			     struct proposal *out)
{
	const struct before before = read_words(cmd, words);
	const char *last = words->item[words->nr - 1];

	out->tracefs = before.tracefs ? xstrdup(before.tracefs) : NULL;
	if (before.open)
		propose_argument(before.open, last, "", out);
	else if (before.command_at || last[0] != '-' || command_has_minus_word(cmd, last))
		propose_word(cmd, &before, last, words->nr - 1, out);
	else if (str_starts(last, "--") && strchr(last, '='))
		propose_joined(cmd, last, out);
	else
		complete_options(cmd, last, &out->answers);
}

void introspect_complete(const struct command *const *cmds, const struct strv *words,
			 struct proposal *out)
{
	static const char *const shells[] = {"bash", "zsh", "fish", NULL};
	const char *last = words->nr ? words->item[words->nr - 1] : "";
	const struct command *cmd;

	if (words->nr <= 1) {
		complete_verbs(cmds, last, &out->answers);
		return;
	}
	cmd = command_find(cmds, words->item[0]);
	if (cmd)
		propose_for_verb(cmd, words, out);
	else if (words->nr == 2 && !strcmp(words->item[0], "completion"))
		add_matching(&out->answers, shells, "", last);
	else if (words->nr == 2 && !strcmp(words->item[0], "help"))
		for (size_t i = 0; cmds[i]; i++)
			if (str_starts(cmds[i]->name, last))
				strv_add(&out->answers, cmds[i]->name);
}

void proposal_fini(struct proposal *proposal)
{
	strv_fini(&proposal->answers);
	free(proposal->prefix);
	free(proposal->lead);
	free(proposal->noun);
	free(proposal->tracefs);
	*proposal = (struct proposal){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables as lists, for completion and for the tests that compare manuals with them. */
#include "cli/introspect.h"

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

static const struct option *find_option(const struct command *cmd, const char *word)
{
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++) {
		if (opt->kind == OPT_KIND_GROUP)
			continue;
		if (str_starts(word, "--") && !strcmp(word + 2, opt->name))
			return opt;
		/* The last letter of "-av" may be the one that takes the argument. */
		if (word[0] == '-' && word[1] && word[1] != '-' && opt->letter &&
		    word[strlen(word) - 1] == opt->letter)
			return opt;
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

/* The place where the verb's own options have ended; words->nr when they have not. */
static size_t find_end_of_options(const struct command *cmd, const struct strv *words)
{
	for (size_t i = 1; i + 1 < words->nr; i++) {
		const char *word = words->item[i];
		const struct option *opt;

		if (!strcmp(word, "--"))
			return i + 1;
		if (word[0] != '-') {
			if (cmd->stops_at_word)
				return i;
			continue;
		}
		opt = find_option(cmd, word);
		if (opt && option_has_arg(opt) && !opt->optional_arg && !strchr(word, '='))
			i++;
	}
	return words->nr;
}

struct completion {
	struct strv *out;
	enum hint *hint;
	char **prefix;
	char **lead;
};

static void complete_argument(const struct option *opt, const char *typed, const char *lead,
			      struct completion *c)
{
	if (opt->choices) {
		add_matching(c->out, opt->choices, lead, typed);
		return;
	}
	*c->hint = opt->hint;
	*c->prefix = xstrdup(typed);
	*c->lead = xstrdup(lead);
}

/* "--name=typed so far" */
static bool complete_joined(const struct command *cmd, const char *last, struct completion *c)
{
	const char *equals = strchr(last, '=');
	cleanup_free char *name = NULL;
	cleanup_free char *lead = NULL;
	const struct option *opt;

	if (!str_starts(last, "--") || !equals)
		return false;
	name = xstrndup(last, (size_t)(equals - last));
	lead = xstrndup(last, (size_t)(equals - last) + 1);
	opt = find_option(cmd, name);
	if (opt && option_has_arg(opt))
		complete_argument(opt, equals + 1, lead, c);
	return true;
}

static void complete_word(const struct command *cmd, const struct strv *words, const char *last,
			  struct completion *c)
{
	bool first = true;

	for (size_t i = 1; i + 1 < words->nr; i++)
		first = first && words->item[i][0] == '-';
	if (cmd->word_choices && first)
		add_matching(c->out, cmd->word_choices, "", last);
	else
		*c->hint = cmd->word_hint;
	*c->prefix = xstrdup(last);
	*c->lead = xstrdup("");
}

void introspect_complete(const struct command *const *cmds, const struct strv *words,
			 struct strv *out, enum hint *hint, char **prefix, char **lead)
{
	struct completion c = {out, hint, prefix, lead};
	const char *last = words->nr ? words->item[words->nr - 1] : "";
	const struct command *cmd;
	const struct option *opt;

	*hint = HINT_NONE;
	*prefix = NULL;
	*lead = NULL;
	if (words->nr <= 1) {
		complete_verbs(cmds, last, out);
		return;
	}
	if (!strcmp(words->item[0], "help")) {
		for (size_t i = 0; cmds[i]; i++)
			if (str_starts(cmds[i]->name, last))
				strv_add(out, cmds[i]->name);
		return;
	}
	if (!strcmp(words->item[0], "completion")) {
		static const char *const shells[] = {"bash", "zsh", "fish", NULL};

		add_matching(out, shells, "", last);
		return;
	}
	cmd = command_find(cmds, words->item[0]);
	if (!cmd)
		return;
	if (find_end_of_options(cmd, words) < words->nr) {
		complete_word(cmd, words, last, &c);
		return;
	}
	opt = words->nr > 2 ? find_option(cmd, words->item[words->nr - 2]) : NULL;
	if (opt && option_has_arg(opt) && !opt->optional_arg) {
		complete_argument(opt, last, "", &c);
		return;
	}
	if (complete_joined(cmd, last, &c))
		return;
	if (last[0] == '-') {
		complete_options(cmd, last, out);
		return;
	}
	complete_word(cmd, words, last, &c);
}

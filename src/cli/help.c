/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts, made from the tables. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "util/mem.h"

/* Where the help of an option and the meaning of an example begin, and where a line ends. */
#define HELP_COLUMN 28
#define EXAMPLE_COLUMN 46
#define HELP_WIDTH 80

/* Adds @text wrapped between @margin and HELP_WIDTH; the line has @used columns already. */
static void add_wrapped(struct strbuf *sb, const char *text, size_t used, size_t margin)
{
	size_t column = used;

	if (used + 2 > margin) {
		strbuf_add(sb, "\n");
		column = 0;
	}
	strbuf_addf(sb, "%*s", (int)(margin - column), "");
	column = margin;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > margin && column + 1 + len > HELP_WIDTH) {
			strbuf_addf(sb, "\n%*s", (int)margin, "");
			column = margin;
		} else if (column > margin) {
			strbuf_add(sb, " ");
			column++;
		}
		strbuf_add_mem(sb, text, len);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	strbuf_add(sb, "\n");
}

static void add_option(struct strbuf *sb, const struct option *opt)
{
	cleanup(strbuf_fini) struct strbuf left = {0};

	if (opt->letter)
		strbuf_addf(&left, "  -%c, --%s", opt->letter, opt->name);
	else
		strbuf_addf(&left, "      --%s", opt->name);
	if (option_has_arg(opt))
		strbuf_addf(&left, opt->optional_arg ? "[=%s]" : " %s", opt->metavar);
	strbuf_add(sb, strbuf_str(&left));
	add_wrapped(sb, opt->help, left.len, HELP_COLUMN);
}

static void add_options(struct strbuf *sb, const struct command *cmd)
{
	if (cmd->options[0].kind != OPT_KIND_GROUP)
		strbuf_add(sb, "\nOptions:\n");
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++) {
		if (opt->kind == OPT_KIND_GROUP)
			strbuf_addf(sb, "\n%s:\n", opt->name);
		else
			add_option(sb, opt);
	}
	strbuf_add(sb, "  -h, --help");
	add_wrapped(sb, "show this text", strlen("  -h, --help"), HELP_COLUMN);
}

static void add_words(struct strbuf *sb, const struct word *words)
{
	strbuf_add(sb, "\nSettings:\n");
	for (; words->form; words++) {
		size_t at = sb->len;

		strbuf_addf(sb, "  %s%s", words->form, words->metavar ? words->metavar : "");
		add_wrapped(sb, words->help, sb->len - at, HELP_COLUMN);
	}
}

char *command_help(const struct command *cmd)
{
	struct strbuf sb = {0};

	strbuf_addf(&sb, "Usage: ft %s %s\n\n%s\n", cmd->name, cmd->synopsis, cmd->description);
	if (cmd->words)
		add_words(&sb, cmd->words);
	add_options(&sb, cmd);
	strbuf_add(&sb, "\nExamples:\n");
	for (const struct example *ex = cmd->examples; ex->line; ex++)
		strbuf_addf(&sb, "  %s\n        %s\n", ex->line, ex->what);
	strbuf_addf(&sb, "\nThe manual page is ft-%s(1).\n", cmd->name);
	return strbuf_take(&sb);
}

char *command_overview(const struct command *const *cmds)
{
	struct strbuf sb = {0};

	strbuf_add(&sb, "ft - record and read what the Linux kernel does\n\n"
			"Usage: ft VERB [OPTION...] [ARGUMENT...]\n\nVerbs:\n");
	for (size_t i = 0; cmds[i]; i++)
		strbuf_addf(&sb, "  %-12s%s\n", cmds[i]->name, cmds[i]->summary);
	strbuf_addf(&sb, "  %-12s%s\n", "help", "the options of a verb: ft help VERB");
	strbuf_addf(&sb, "  %-12s%s\n", "completion", "the script for bash, zsh or fish");
	strbuf_add(&sb, "\nExamples:\n");
	for (size_t i = 0; cmds[i]; i++) {
		const struct example *ex = cmds[i]->examples;

		for (size_t n = 0; n < 2 && ex[n].line; n++) {
			strbuf_addf(&sb, "  %s", ex[n].line);
			add_wrapped(&sb, ex[n].what, 2 + strlen(ex[n].line), EXAMPLE_COLUMN);
		}
	}
	strbuf_add(&sb, "\nSee ft(1), and 'ft list support' for what works on this machine.\n");
	return strbuf_take(&sb);
}

const struct command *command_find(const struct command *const *cmds, const char *name)
{
	for (size_t i = 0; cmds[i]; i++)
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}

char *command_near(const struct command *const *cmds, const char *name)
{
	cleanup(strv_fini) struct strv names = {0};

	for (size_t i = 0; cmds[i]; i++)
		strv_add(&names, cmds[i]->name);
	strv_split(&names, "help completion --help --version", " ");
	return near_names(name, &names);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft: finds the verb, runs it, prints its error, and gives its exit status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/introspect.h"
#include "cmd/completion.h"
#include "cmd/verbs.h"
#include "config.h"
#include "util/mem.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* stdout is data: a full disk or a closed pipe behind it must not look like success. */
static int close_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	fprintf(stderr, "ft: cannot write to standard output: %s\n", strerror(errno));
	return status ? status : EXIT_FAILED;
}

static int fail(const struct command *cmd, const void *args, const struct err *err, bool usage)
{
	fprintf(stderr, "ft %s: %s\n", cmd->name, err->text);
	if (usage)
		fprintf(stderr, "Try 'ft help %s'.\n", cmd->name);
	if (cmd->fail_status)
		return cmd->fail_status(args, usage);
	return usage ? EXIT_USAGE : EXIT_FAILED;
}

static int print_help(const struct command *cmd)
{
	cleanup_free char *text = command_help(cmd);

	fputs(text, stdout);
	return 0;
}

static int run_parsed(const struct command *cmd, int argc, char **argv, void *args, bool only_parse)
{
	struct err err = {0};
	int r;

	r = command_parse(cmd, argc, argv, args, &err);
	if (((struct common_args *)args)->help)
		return print_help(cmd);
	if (r >= 0 && cmd->check)
		r = cmd->check(args, &err);
	if (r < 0)
		return fail(cmd, args, &err, true);
	if (only_parse)
		return 0;
	r = cmd->run(args, &err);
	return r < 0 ? fail(cmd, args, &err, false) : r;
}

static int run_verb(const struct command *cmd, int argc, char **argv, bool only_parse)
{
	cleanup_free void *args = xzalloc(cmd->args_size);
	int status;

	if (cmd->init)
		cmd->init(args);
	status = run_parsed(cmd, argc, argv, args, only_parse);
	command_fini_args(cmd, args);
	return status;
}

static int print_overview(FILE *to)
{
	cleanup_free char *text = command_overview(verbs);

	fputs(text, to);
	return 0;
}

static int unknown_verb(const char *name)
{
	cleanup_free char *near = command_near(verbs, name);

	fprintf(stderr, "ft: no %s '%s'%s\nTry 'ft help'.\n", name[0] == '-' ? "option" : "verb",
		name, near);
	return EXIT_USAGE;
}

static int run_help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc == 0)
		return print_overview(stdout);
	cmd = command_find(verbs, argv[0]);
	if (!cmd)
		return unknown_verb(argv[0]);
	if (argc > 1) {
		fprintf(stderr, "ft help: '%s' is too much: it explains one verb\n", argv[1]);
		return EXIT_USAGE;
	}
	return print_help(cmd);
}

static int run_completion(int argc, char **argv)
{
	const char *script = argc == 1 ? completion_script(argv[0]) : NULL;

	if (!script) {
		fprintf(stderr, "ft completion: say which shell: bash, zsh or fish\n");
		return EXIT_USAGE;
	}
	fputs(script, stdout);
	return 0;
}

/* ft __options VERB: the rows of its table. */
static int run_options(int argc, char **argv)
{
	const struct command *cmd = argc == 1 ? command_find(verbs, argv[0]) : NULL;
	cleanup_free char *text = NULL;

	if (!cmd)
		return EXIT_USAGE;
	text = introspect_options(cmd);
	fputs(text, stdout);
	return 0;
}

/* ft __words VERB: the words that it takes, with what follows them. */
static int run_words(int argc, char **argv)
{
	const struct command *cmd = argc == 1 ? command_find(verbs, argv[0]) : NULL;

	if (!cmd)
		return EXIT_USAGE;
	for (const struct word *word = cmd->words; word && word->form; word++)
		printf("%s%s\n", word->form, word->metavar ? word->metavar : "");
	return 0;
}

/* ft __parse VERB ARGS: 0 when the line is right, without running it. */
static int run_parse(int argc, char **argv)
{
	const struct command *cmd = argc >= 1 ? command_find(verbs, argv[0]) : NULL;

	return cmd ? run_verb(cmd, argc - 1, argv + 1, true) : EXIT_USAGE;
}

/* ft __verbs: a name a line. */
static int run_verbs(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (size_t i = 0; verbs[i]; i++)
		puts(verbs[i]->name);
	return 0;
}

/* ft __complete WORD...: what may stand for the last word. */
static int run_complete(int argc, char **argv)
{
	cleanup(strv_fini) struct strv words = {0};
	cleanup(proposal_fini) struct proposal proposal = {0};

	for (int i = 0; i < argc; i++)
		strv_add(&words, argv[i]);
	introspect_complete(verbs, &words, &proposal);
	completion_print(&proposal, stdout);
	return 0;
}

static int run_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("ft " FT_VERSION);
	return 0;
}

struct entry {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct entry others[] = {
	{"help", run_help},	    {"--help", run_help},   {"-h", run_help},
	{"--version", run_version}, {"-V", run_version},    {"completion", run_completion},
	{"__options", run_options}, {"__parse", run_parse}, {"__complete", run_complete},
	{"__verbs", run_verbs},	    {"__words", run_words},
};

static int run_main(int argc, char **argv)
{
	const struct command *cmd;

	/* Never 0 with nothing done: a script whose arguments went missing must notice. */
	if (argc < 2) {
		print_overview(stdout);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < array_size(others); i++)
		if (!strcmp(argv[1], others[i].name))
			return others[i].run(argc - 2, argv + 2);
	cmd = command_find(verbs, argv[1]);
	return cmd ? run_verb(cmd, argc - 2, argv + 2, false) : unknown_verb(argv[1]);
}

/* A file that is opened while 0, 1 or 2 is closed would get that number, and what is meant for the
 * terminal would go into it. These stand-ins refuse what is written to them. */
static void fill_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	fill_standard_files();
	return close_stdout(run_main(argc, argv));
}

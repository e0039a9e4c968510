/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From argv to a verb's args struct, by the verb's table. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "util/mem.h"

/* The place in argv, the first error, and where values go. */
struct parser {
	const struct command *cmd;
	int argc;
	char **argv;
	int at;
	char *args;
	const struct option_section *section; /* that the last part was begun of, NULL for none */
	struct err *err;
	bool failed;
};

bool option_has_arg(const struct option *opt)
{
	return opt->kind != OPT_KIND_FLAG && opt->kind != OPT_KIND_COUNT &&
	       opt->kind != OPT_KIND_GROUP;
}

static struct common_args *common_of(void *args)
{
	return args;
}

static void take_string(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

static int set_choice(const struct option *opt, char **field, const char *value, struct err *err)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *near = NULL;
	cleanup_free char *all = NULL;

	for (size_t i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], value)) {
			take_string(field, value);
			return 0;
		}
		strv_add(&names, opt->choices[i]);
	}
	near = near_names(value, &names);
	all = strv_join(&names, ", ");
	return err_set(err, EINVAL, "--%s has no '%s'%s: it is one of %s", opt->name, value, near,
		       all);
}

/* 0 in the field stands for an option that was not given. */
static int check_more_than_0(const struct option *opt, const uint64_t *field, const char *value,
			     struct err *err)
{
	if (*field)
		return 0;
	return err_set(err, EINVAL, "--%s needs more than '%s'", opt->name, value);
}

/* Stores one value; @value is NULL for options without one. */
static int set_value(const struct option *opt, char *args, const char *value, struct err *err)
{
	void *field = args + opt->offset;
	int r;

	switch (opt->kind) {
	case OPT_KIND_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_KIND_COUNT:
		(*(unsigned int *)field)++;
		return 0;
	case OPT_KIND_STRING:
	case OPT_KIND_SECTION:
		take_string(field, value ? value : "");
		return 0;
	case OPT_KIND_LIST:
		strv_add(field, value ? value : "");
		return 0;
	case OPT_KIND_NUMBER:
		if (!parse_u64(value, field))
			return err_set(err, EINVAL, "--%s takes a number, not '%s'", opt->name,
				       value);
		return check_more_than_0(opt, field, value, err);
	case OPT_KIND_SIZE:
		r = parse_size(value, true, field, err);
		return r < 0 ? err_wrap(err, "--%s", opt->name)
			     : check_more_than_0(opt, field, value, err);
	case OPT_KIND_DURATION:
		r = parse_duration(value, field, err);
		return r < 0 ? err_wrap(err, "--%s", opt->name)
			     : check_more_than_0(opt, field, value, err);
	case OPT_KIND_CHOICE:
		return set_choice(opt, field, value ? value : "", err);
	case OPT_KIND_END:
	case OPT_KIND_GROUP:
		break;
	}
	return err_set(err, EINVAL, "option table of '%s' is broken", opt->name);
}

/* Remembers the first error only: what follows from it would mislead. */
static struct err *error_slot(struct parser *p)
{
	struct err *slot = p->failed ? NULL : p->err;

	p->failed = true;
	return slot;
}

static bool is_in_section(const struct option *opt, const struct option_section *section)
{
	return section && opt->offset >= section->offset &&
	       opt->offset - section->offset < section->size;
}

/* Part number @i of the list, seen as if it lay where the first one does. */
static char *part_base(char *args, const struct option_section *section, size_t i)
{
	const struct option_parts *parts = (void *)(args + section->list);

	return (char *)parts->item + i * section->size - section->offset;
}

static void begin_part(struct parser *p, const struct option_section *section)
{
	struct option_parts *parts = (void *)(p->args + section->list);

	parts->item = xrealloc(parts->item, (parts->nr + 1) * section->size);
	memset((char *)parts->item + parts->nr++ * section->size, 0, section->size);
	p->section = section;
}

static void store(struct parser *p, const struct option *opt, const char *value)
{
	struct err err = {0};
	char *args = p->args;

	if (opt->kind == OPT_KIND_SECTION)
		begin_part(p, opt->section);
	if (is_in_section(opt, p->section))
		args = part_base(args, p->section,
				 ((struct option_parts *)(args + p->section->list))->nr - 1);
	if (set_value(opt, args, value, &err) < 0)
		err_set(error_slot(p), err.code, "%s", err.text);
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

/* True when @option is a habit from another tool, which is then answered. */
static bool answer_habit(struct parser *p, const char *option)
{
	const struct habit *habit = p->cmd->habits;

	while (habit && habit->option && strcmp(habit->option, option) != 0)
		habit++;
	if (!habit || !habit->option)
		return false;
	err_set(error_slot(p), EINVAL, "no option %s: %s", option, habit->instead);
	return true;
}

static void unknown_letter(struct parser *p, char letter)
{
	const char option[] = {'-', letter, '\0'};

	if (!answer_habit(p, option))
		err_set(error_slot(p), EINVAL, "no option %s", option);
}

static void unknown_long(struct parser *p, const char *name, size_t len)
{
	cleanup(strv_fini) struct strv names = {0};
	cleanup_free char *wrong = xstrndup(name, len);
	cleanup_free char *dashed = xasprintf("--%s", wrong);
	cleanup_free char *near = NULL;

	if (answer_habit(p, dashed))
		return;
	for (const struct option *opt = p->cmd->options; opt->kind != OPT_KIND_END; opt++)
		if (opt->kind != OPT_KIND_GROUP)
			strv_add_take(&names, xasprintf("--%s", opt->name));
	strv_add(&names, "--help");
	near = near_names(dashed, &names);
	err_set(error_slot(p), EINVAL, "no option %s%s", dashed, near);
}

/* The argument that follows in argv, NULL with an error when there is none. */
static const char *next_argument(struct parser *p, const struct option *opt)
{
	if (p->at < p->argc)
		return p->argv[p->at++];
	err_set(error_slot(p), EINVAL, "--%s needs an argument: %s", opt->name, opt->metavar);
	return NULL;
}

static void take_long(struct parser *p, const char *text)
{
	const char *value = strchr(text, '=');
	size_t len = value ? (size_t)(value - text) : strlen(text);
	const struct option *opt = find_long(p->cmd, text, len);

	if (!opt && len == 4 && !strncmp(text, "help", 4)) {
		common_of(p->args)->help = true;
		return;
	}
	if (!opt) {
		unknown_long(p, text, len);
		return;
	}
	if (!option_has_arg(opt)) {
		if (value)
			err_set(error_slot(p), EINVAL, "--%s takes no argument", opt->name);
		else
			store(p, opt, NULL);
		return;
	}
	if (value)
		value++;
	else if (!opt->optional_arg && !(value = next_argument(p, opt)))
		return;
	store(p, opt, value);
	if (opt->takes_two && (value = next_argument(p, opt)))
		store(p, opt, value);
}

/* "-abVALUE": letters without an argument may stand together, the last may take one. */
static void take_short(struct parser *p, const char *letters)
{
	for (; *letters; letters++) {
		const struct option *opt = find_short(p->cmd, *letters);
		const char *value;

		if (!opt && *letters == 'h') {
			common_of(p->args)->help = true;
			continue;
		}
		if (!opt) {
			unknown_letter(p, *letters);
			return;
		}
		if (!option_has_arg(opt) || opt->optional_arg) {
			store(p, opt, NULL);
			continue;
		}
		value = letters[1] ? letters + 1 : next_argument(p, opt);
		if (value)
			store(p, opt, value);
		return;
	}
}

static void take_words(struct parser *p)
{
	while (p->at < p->argc)
		strv_add(&common_of(p->args)->words, p->argv[p->at++]);
}

bool command_has_minus_word(const struct command *cmd, const char *word)
{
	return cmd->minus_words && word[1] && word[1] != '-' &&
	       (word[2] || !isalnum((unsigned char)word[1]));
}

int command_parse(const struct command *cmd, int argc, char **argv, void *args, struct err *err)
{
	struct parser p = {.cmd = cmd, .argc = argc, .argv = argv, .args = args, .err = err};

	while (p.at < p.argc) {
		const char *word = p.argv[p.at];

		if (!strcmp(word, "--")) {
			p.at++;
			take_words(&p);
		} else if (word[0] != '-' || !word[1] || command_has_minus_word(cmd, word)) {
			if (cmd->stops_at_word)
				take_words(&p);
			else
				strv_add(&common_of(args)->words, p.argv[p.at++]);
		} else if (word[1] == '-') {
			p.at++;
			take_long(&p, word + 2);
		} else {
			p.at++;
			take_short(&p, word + 1);
		}
	}
	return p.failed ? -EINVAL : 0;
}

static void free_value(const struct option *opt, char *base)
{
	void *field = base + opt->offset;

	if (opt->kind == OPT_KIND_LIST) {
		strv_fini(field);
	} else if (opt->kind == OPT_KIND_STRING || opt->kind == OPT_KIND_CHOICE ||
		   opt->kind == OPT_KIND_SECTION) {
		free(*(char **)field);
		*(char **)field = NULL;
	}
}

static void free_parts(const struct command *cmd, char *args, const struct option_section *section)
{
	struct option_parts *parts = (void *)(args + section->list);

	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++)
		for (size_t i = 0; i < parts->nr && is_in_section(opt, section); i++)
			free_value(opt, part_base(args, section, i));
	free(parts->item);
	*parts = (struct option_parts){0};
}

void command_fini_args(const struct command *cmd, void *args)
{
	if (cmd->fini)
		cmd->fini(args);
	strv_fini(&common_of(args)->words);
	for (const struct option *opt = cmd->options; opt->kind != OPT_KIND_END; opt++) {
		free_value(opt, args);
		if (opt->kind == OPT_KIND_SECTION)
			free_parts(cmd, args, opt->section);
	}
}

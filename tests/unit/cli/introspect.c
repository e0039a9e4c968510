/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion by the tables. */
#include <stdlib.h>
#include <string.h>

#include "cli/introspect.h"
#include "tests/unit/cli/sample.h"
#include "tests/unit/test.h"
#include "util/mem.h"

static const struct command *const verbs_here[] = {&sample, NULL};

/* @line is split at '|', so that the last word may be empty. */
static void check(const char *line, const char *want, enum hint want_hint)
{
	cleanup(strv_fini) struct strv words = {0};
	cleanup(proposal_fini) struct proposal out = {0};
	cleanup_free char *got = NULL;

	strv_split(&words, line, "|");
	if (line[0] && line[strlen(line) - 1] == '|')
		strv_add(&words, "");
	introspect_complete(verbs_here, &words, &out);
	got = strv_join(&out.answers, " ");
	assert_string_equal(got, want);
	assert_int_equal(out.hint, want_hint);
}

static void test_verbs(void **state)
{
	(void)state;
	check("sa", "sample", HINT_NONE);
	check("help|", "sample", HINT_NONE);
	check("completion|z", "zsh", HINT_NONE);
	check("nosuch|", "", HINT_NONE);
}

static void test_options(void **state)
{
	(void)state;
	check("sample|--co", "--color", HINT_NONE);
	check("sample|--color|a", "auto always", HINT_NONE);
	check("sample|--color=n", "--color=never", HINT_NONE);
	check("sample|-e|sch", "", HINT_EVENT);
	check("sample|-ae|sch", "", HINT_EVENT);
	check("sample|-o|", "", HINT_FILE);
	check("sample|-e|x|ls|--co", "", HINT_COMMAND);
	check("sample|--|-", "", HINT_COMMAND);
}

/* An argument in the option's own word leaves nothing open: the "t" of -oout is no option. */
static void test_joined_letters(void **state)
{
	(void)state;
	check("sample|-ofile|", "", HINT_COMMAND);
	check("sample|-afile|x", "", HINT_EVENT);
	check("sample|-b8M|--co", "--color", HINT_NONE);
	check("sample|--output=x|--co", "--color", HINT_NONE);
	check("sample|--output=", "", HINT_FILE);
	check("sample|-o|-e|--co", "--color", HINT_NONE);
	check("sample|-o|--|--co", "--color", HINT_NONE);
	check("sample|--nosuch=", "", HINT_NONE);
	check("sample|--all=", "", HINT_NONE);
}

static void check_command(const char *line, size_t want)
{
	cleanup(strv_fini) struct strv words = {0};
	cleanup(proposal_fini) struct proposal out = {0};

	strv_split(&words, line, " ");
	introspect_complete(verbs_here, &words, &out);
	assert_int_equal(out.hint, HINT_COMMAND);
	assert_int_equal(out.command_at, want);
}

static void test_command_at(void **state)
{
	(void)state;
	check_command("sample l", 1);
	check_command("sample -a -e sched l", 4);
	check_command("sample -a ls --color x", 2);
	check_command("sample -- l", 2);
	check_command("sample -- ls -- x", 2);
	check_command("sample - x", 1);
}

static void test_lead(void **state)
{
	cleanup(strv_fini) struct strv words = {0};
	cleanup(proposal_fini) struct proposal out = {0};

	(void)state;
	strv_split(&words, "sample --event=sched:s", " ");
	introspect_complete(verbs_here, &words, &out);
	assert_string_equal(out.lead, "--event=");
	assert_string_equal(out.prefix, "sched:s");
	assert_int_equal(out.hint, HINT_EVENT);
}

/* A verb whose first word is a noun, as ft list. */
static void check_noun(const char *line, const char *want, const char *noun)
{
	struct command nouns = sample;
	const struct command *const table[] = {&nouns, NULL};
	cleanup(strv_fini) struct strv words = {0};
	cleanup(proposal_fini) struct proposal out = {0};
	cleanup_free char *got = NULL;

	nouns.stops_at_word = false;
	nouns.word_hint = HINT_NOUN;
	nouns.word_choices = sample_nouns;
	strv_split(&words, line, " ");
	introspect_complete(table, &words, &out);
	got = strv_join(&out.answers, " ");
	assert_string_equal(got, want);
	if (noun)
		assert_string_equal(out.noun, noun);
	else
		assert_null(out.noun);
}

static void test_nouns(void **state)
{
	(void)state;
	check_noun("sample -a ev", "events", NULL);
	check_noun("sample -o file tr", "tracers", NULL);
	check_noun("sample events sch", "", "events");
	check_noun("sample -o file tracers -a x y", "", "tracers");
	check_noun("sample events --al", "--all", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verbs),	       cmocka_unit_test(test_options),
		cmocka_unit_test(test_joined_letters), cmocka_unit_test(test_command_at),
		cmocka_unit_test(test_lead),	       cmocka_unit_test(test_nouns),
	};

	return cmocka_run_group_tests_name("introspect", tests, NULL, NULL);
}

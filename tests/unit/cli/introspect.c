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
	cleanup(strv_fini) struct strv out = {0};
	cleanup_free char *prefix = NULL;
	cleanup_free char *lead = NULL;
	cleanup_free char *got = NULL;
	enum hint hint;

	strv_split(&words, line, "|");
	if (line[0] && line[strlen(line) - 1] == '|')
		strv_add(&words, "");
	introspect_complete(verbs_here, &words, &out, &hint, &prefix, &lead);
	got = strv_join(&out, " ");
	assert_string_equal(got, want);
	assert_int_equal(hint, want_hint);
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

static void test_nouns(void **state)
{
	struct command nouns = sample;
	const struct command *const table[] = {&nouns, NULL};
	cleanup(strv_fini) struct strv words = {0};
	cleanup(strv_fini) struct strv out = {0};
	cleanup_free char *prefix = NULL;
	cleanup_free char *lead = NULL;
	enum hint hint;

	(void)state;
	nouns.stops_at_word = false;
	nouns.word_choices = sample_nouns;
	strv_split(&words, "sample -a ev", " ");
	introspect_complete(table, &words, &out, &hint, &prefix, &lead);
	assert_int_equal(out.nr, 1);
	assert_string_equal(out.item[0], "events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_nouns),
	};

	return cmocka_run_group_tests_name("introspect", tests, NULL, NULL);
}

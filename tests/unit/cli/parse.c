/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of argv by a verb's table. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cli/sample.h"
#include "tests/unit/test.h"
#include "util/mem.h"

struct line {
	struct sample_args args;
	struct err err;
	int r;
};

/* Splits at blanks and parses. */
static void parse_as(const struct command *cmd, const char *text, struct line *line)
{
	cleanup(strv_fini) struct strv argv = {0};

	*line = (struct line){0};
	strv_split(&argv, text, " ");
	line->r = command_parse(cmd, (int)argv.nr, argv.item, &line->args, &line->err);
}

static void done(struct line *line)
{
	command_fini_args(&sample, &line->args);
}

static void test_all_kinds(void **state)
{
	struct line line;

	(void)state;
	parse_as(&sample, "-avv -b8M --duration=1.5s -e a --event b --color never -ofile", &line);
	assert_int_equal(line.r, 0);
	assert_true(line.args.all);
	assert_int_equal(line.args.verbose, 2);
	assert_int_equal(line.args.main.buffer, 8 << 20);
	assert_int_equal(line.args.duration, 1500000000);
	assert_int_equal(line.args.main.events.nr, 2);
	assert_string_equal(line.args.main.events.item[1], "b");
	assert_string_equal(line.args.color, "never");
	assert_string_equal(line.args.output, "file");
	done(&line);
}

/* What stands behind --part belongs to it, but for what is not of a part. */
static void test_parts(void **state)
{
	const struct sample_part *part;
	struct line line;

	(void)state;
	parse_as(&sample, "-e a --part one -e b -v -b 1M --part=two -e c -o file", &line);
	assert_int_equal(line.r, 0);
	assert_int_equal(line.args.verbose, 1);
	assert_string_equal(line.args.output, "file");
	assert_null(line.args.main.name);
	assert_int_equal(line.args.main.events.nr, 1);
	assert_string_equal(line.args.main.events.item[0], "a");
	assert_int_equal(line.args.main.buffer, 0);
	assert_int_equal(line.args.more.nr, 2);
	part = line.args.more.item;
	assert_string_equal(part[0].name, "one");
	assert_string_equal(part[0].events.item[0], "b");
	assert_int_equal(part[0].buffer, 1 << 20);
	assert_string_equal(part[1].name, "two");
	assert_int_equal(part[1].events.nr, 1);
	assert_int_equal(part[1].buffer, 0);
	done(&line);
	assert_null(line.args.more.item);
}

static void test_command_ends_options(void **state)
{
	struct line line;

	(void)state;
	parse_as(&sample, "-a ls -v --color", &line);
	assert_int_equal(line.r, 0);
	assert_int_equal(line.args.verbose, 0);
	assert_int_equal(line.args.common.words.nr, 3);
	assert_string_equal(line.args.common.words.item[1], "-v");
	done(&line);
	parse_as(&sample, "-- -a", &line);
	assert_false(line.args.all);
	assert_string_equal(line.args.common.words.item[0], "-a");
	done(&line);
}

static void test_words_between_options(void **state)
{
	struct command loose = sample;
	struct line line;

	(void)state;
	loose.stops_at_word = false;
	parse_as(&loose, "file -a - -v", &line);
	assert_int_equal(line.r, 0);
	assert_true(line.args.all);
	assert_int_equal(line.args.common.words.nr, 2);
	assert_string_equal(line.args.common.words.item[1], "-");
	done(&line);
}

static void check_error(const char *text, const char *want)
{
	struct line line;

	parse_as(&sample, text, &line);
	assert_true(line.r < 0);
	assert_string_equal(line.err.text, want);
	done(&line);
}

static void test_errors(void **state)
{
	(void)state;
	check_error("--colour x", "no option --colour (did you mean --color?)");
	check_error("-x", "no option -x");
	check_error("-b", "--buffer needs an argument: SIZE");
	check_error("-b 12q", "--buffer: '12q' is not a size (like 512k, 8M, 1.5G)");
	check_error("--all=1", "--all takes no argument");
	check_error("--color=neve", "--color has no 'neve' (did you mean never?): "
				    "it is one of auto, always, never");
}

static void test_error_keeps_words(void **state)
{
	struct line line;

	(void)state;
	parse_as(&sample, "--nosuch -b 1q ls /", &line);
	assert_true(line.r < 0);
	assert_string_equal(line.err.text, "no option --nosuch");
	assert_int_equal(line.args.common.words.nr, 2);
	done(&line);
}

static void test_help(void **state)
{
	cleanup_free char *text = command_help(&sample);

	(void)state;
	assert_non_null(strstr(text, "Usage: ft sample [OPTION...] [--] [COMMAND...]\n"));
	assert_non_null(strstr(text, "\nFirst:\n  -a, --all                 everything\n"));
	assert_non_null(strstr(text, "      --color WHEN          colours\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_command_ends_options),
		cmocka_unit_test(test_words_between_options),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_error_keeps_words),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}

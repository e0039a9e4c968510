/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same cells as text, TSV and JSON. */
#include "out/table.h"

#include <string.h>

#include "../test.h"
#include "util/mem.h"

static const struct table_column columns[] = {
	{"name", "NAME", CELL_TEXT, false}, {"count", "COUNT", CELL_COUNT, false},
	{"time", "TIME", CELL_TIME, false}, {"mean", "MEAN", CELL_MEAN, false},
	{"at", "AT", CELL_STAMP, false},    {"errors", "ERRORS", CELL_TALLY, false},
	{"lost", "LOST", CELL_COUNT, true}, {"bar", "", CELL_BAR, false},
};

static void assert_table(enum table_format format, bool ticks, const char *want)
{
	struct table table = {.name = "rows", .column = columns, .nr_columns = array_size(columns)};
	struct table_out out = {.format = format, .ticks = ticks};
	struct table_cell *cell = table_add_row(&table);

	cell[0].text = xstrdup("a\t\"b\"");
	cell[1].number = 12;
	cell[2].number = 1234567;
	cell[3].real = 1500.25;
	cell[4].number = 5000000042;
	cell[5].text = xstrdup("ENOENT=2 EIO=1");
	cell[7].number = 4;
	cell = table_add_row(&table);
	cell[0].text = xstrdup("\xc3\xa4");
	cell[3].is_none = true;
	table_put(&out, &table);
	table_put_count(&out, "gaps", "gaps", 2);
	table_end(&out);
	assert_string_equal(strbuf_str(&out.text), want);
	strbuf_fini(&out.text);
	table_fini(&table);
}

static void assert_name(const char *name, const char *want)
{
	static const enum table_format formats[] = {TABLE_TEXT, TABLE_TSV};

	for (size_t i = 0; i < array_size(formats); i++) {
		struct table table = {.name = "rows", .column = columns, .nr_columns = 1};
		struct table_out out = {.format = formats[i]};

		table_add_row(&table)->text = xstrdup(name);
		table_put(&out, &table);
		assert_string_equal(strchr(strbuf_str(&out.text), '\n') + 1, want);
		strbuf_fini(&out.text);
		table_fini(&table);
	}
}

/* What a program wrote may be anything but NUL; a table has lines, and is UTF-8. */
static void odd_names(void **state)
{
	(void)state;
	assert_name("\xff\xfe bad", "\\xff\\xfe bad\n");
	assert_name("cut \xe2\x82", "cut \\xe2\\x82\n");
	assert_name("csi \xc2\x9b"
		    "31m",
		    "csi \\xc2\\x9b31m\n");
	assert_name("a\tb\rc\nd\x1b\x7f", "a\\tb\\rc\\nd\\x1b\\x7f\n");
	assert_name("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80\n");
}

/* One name of 4 KB must not make all lines that long. */
static void long_name(void **state)
{
	struct table table = {.name = "rows", .column = columns, .nr_columns = 2};
	struct table_out out = {.format = TABLE_TEXT};
	struct strbuf name = {0};
	struct strbuf want = {0};

	(void)state;
	for (int i = 0; i < 70; i++)
		strbuf_add(&name, "x");
	strbuf_addf(&want, "%-60s  COUNT\n%s      0\n%-60s      0\n", "NAME", strbuf_str(&name),
		    "y");
	table_add_row(&table)->text = strbuf_take(&name);
	table_add_row(&table)->text = xstrdup("y");
	table_put(&out, &table);
	assert_string_equal(strbuf_str(&out.text), strbuf_str(&want));
	strbuf_fini(&want);
	strbuf_fini(&out.text);
	table_fini(&table);
}

static void text(void **state)
{
	(void)state;
	assert_table(TABLE_TEXT, false,
		     "NAME    COUNT      TIME   MEAN           AT  ERRORS          \n"
		     "a\\t\"b\"     12  1234.567  1.500  5.000000042  ENOENT=2 EIO=1  "
		     "|@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		     "\xc3\xa4           0     0.000      -  0.000000000                  "
		     "|                                        |\n"
		     "gaps: 2\n");
}

static void tsv(void **state)
{
	(void)state;
	assert_table(TABLE_TSV, false,
		     "name\tcount\ttime_ns\tmean_ns\tat_ns\terrors\tlost\n"
		     "a\\t\"b\"\t12\t1234567\t1500.250\t5000000042\tENOENT=2 EIO=1\t0\n"
		     "\xc3\xa4\t0\t0\t\t0\t\t0\n");
}

static void json(void **state)
{
	(void)state;
	assert_table(TABLE_JSON, true,
		     "{\"rows\":[\n"
		     "{\"name\":\"a\\t\\\"b\\\"\",\"count\":12,\"time_ticks\":1234567,"
		     "\"mean_ticks\":1500.250,\"at_ticks\":5000000042,"
		     "\"errors\":{\"ENOENT\":2,\"EIO\":1},\"lost\":0},\n"
		     "{\"name\":\"\xc3\xa4\",\"count\":0,\"time_ticks\":0,\"mean_ticks\":null,"
		     "\"at_ticks\":0,\"errors\":{},\"lost\":0}],\"gaps\":2}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(odd_names), cmocka_unit_test(long_name),
		cmocka_unit_test(tsv),	cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

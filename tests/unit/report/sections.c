/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grammar of markers, and which end belongs to which begin. */
#include "report/sections.h"

#include <string.h>

#include "../test.h"

static void assert_marker(const char *text, enum marker_kind kind, int pid, const char *name,
			  const char *value)
{
	struct marker marker;

	marker_parse(text, strlen(text), &marker);
	assert_int_equal(marker.kind, kind);
	assert_int_equal(marker.pid, pid);
	assert_int_equal(marker.name_len, strlen(name));
	assert_memory_equal(marker.name, name, marker.name_len);
	assert_int_equal(marker.value_len, strlen(value));
	assert_memory_equal(marker.value, value, marker.value_len);
}

static void grammar(void **state)
{
	(void)state;
	assert_marker("B|12|a b", MARKER_BEGIN, 12, "a b", "");
	assert_marker("B|12|a|b", MARKER_BEGIN, 12, "a|b", "");
	assert_marker("B|12|", MARKER_TEXT, 0, "B|12|", "");
	assert_marker("E", MARKER_END, 0, "", "");
	assert_marker("E|", MARKER_END, 0, "", "");
	assert_marker("E|12", MARKER_END, 12, "", "");
	assert_marker("E|12|", MARKER_END, 12, "", "");
	assert_marker("S|12|job|7", MARKER_ASYNC_BEGIN, 12, "job", "7");
	assert_marker("F|12|a|b|7", MARKER_ASYNC_END, 12, "a|b", "7");
	assert_marker("S|12|job", MARKER_ASYNC_BEGIN, 12, "job", "");
	assert_marker("C|12|heap|-5", MARKER_COUNTER, 12, "heap", "-5");
	assert_marker("I|12|now", MARKER_INSTANT, 12, "now", "");
	assert_marker("", MARKER_TEXT, 0, "", "");
	assert_marker("Begin", MARKER_TEXT, 0, "Begin", "");
	assert_marker("Eve", MARKER_TEXT, 0, "Eve", "");
	assert_marker("B", MARKER_TEXT, 0, "B", "");
	assert_marker("B|x|name", MARKER_TEXT, 0, "B|x|name", "");
	assert_marker("B|99999999999|name", MARKER_TEXT, 0, "B|99999999999|name", "");
	assert_marker("B||name", MARKER_BEGIN, 0, "name", "");
}

static void put(struct section_pairing *p, int tid, uint64_t ts, const char *text)
{
	struct raw_event raw = {.ts = ts};
	struct sink_event event = {.raw = &raw, .common.pid = tid, .comm = "task"};
	struct marker marker;

	marker_parse(text, strlen(text), &marker);
	section_pairing_marker(p, &event, &marker);
}

static const struct section *find(const struct section_pairing *p, int tid, const char *name)
{
	for (size_t i = 0; i < p->sections.nr; i++) {
		const struct section *s = p->sections.entry[i]->value;

		if (s->tid == tid && (name ? s->name && !strcmp(s->name, name) : !s->name))
			return s;
	}
	fail_msg("no section %s", name ? name : "(nameless)");
	return NULL;
}

static void nested(void **state)
{
	struct section_pairing p = {0};
	const struct section *s;

	(void)state;
	put(&p, 1, 10, "B|1|outer");
	put(&p, 2, 11, "B|1|outer");
	put(&p, 1, 20, "B|1|inner");
	put(&p, 1, 22, "B|1|outer");
	put(&p, 1, 25, "E|1");
	put(&p, 1, 30, "E|1");
	put(&p, 1, 40, "E|1");
	put(&p, 1, 50, "E|1");
	section_pairing_finish(&p);
	s = find(&p, 1, "outer");
	assert_int_equal(s->closed.nr, 2);
	assert_int_equal(s->closed.pair[0].start, 22);
	assert_int_equal(s->closed.pair[0].extra, 3);
	assert_int_equal(s->closed.pair[1].end, 40);
	assert_int_equal(s->closed.pair[1].extra, 20);
	assert_int_equal(s->recursive.nr, 1);
	s = find(&p, 1, "inner");
	assert_int_equal(s->closed.pair[0].extra, 7);
	assert_int_equal(s->recursive.nr, 0);
	s = find(&p, 2, "outer");
	assert_int_equal(s->closed.nr, 0);
	assert_int_equal(s->unclosed.nr, 1);
	assert_int_equal(find(&p, 1, NULL)->nr_unopened, 1);
	section_pairing_fini(&p);
}

static void async(void **state)
{
	struct section_pairing p = {0};
	const struct section *s;

	(void)state;
	put(&p, 1, 10, "S|9|job|1");
	put(&p, 1, 11, "S|9|job|2");
	put(&p, 1, 12, "S|8|job|1");
	put(&p, 2, 20, "F|9|job|1");
	put(&p, 3, 21, "F|9|job|3");
	put(&p, 3, 22, "E|9");
	put(&p, 3, 31, "F|9|job|2");
	section_pairing_finish(&p);
	s = p.sections.entry[0]->value;
	assert_int_equal(s->tid, -1);
	assert_int_equal(s->pid, 9);
	assert_int_equal(s->closed.nr, 2);
	assert_int_equal(s->closed.pair[0].end - s->closed.pair[0].start, 10);
	assert_int_equal(s->closed.pair[1].end - s->closed.pair[1].start, 20);
	assert_int_equal(s->nr_unopened, 1);
	s = p.sections.entry[1]->value;
	assert_int_equal(s->pid, 8);
	assert_int_equal(s->unclosed.nr, 1);
	assert_int_equal(find(&p, 3, NULL)->nr_unopened, 1);
	section_pairing_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grammar),
		cmocka_unit_test(nested),
		cmocka_unit_test(async),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

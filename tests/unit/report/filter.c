/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events filters choose: each case names them by letters. */
#include "tests/unit/test.h"

#include <stdio.h>

#include "report/filter.h"
#include "tests/unit/report/filter_sample.h"

struct record {
	char letter;
	int id;
	const char *comm;
	int pid;
	uint32_t cpu;
	uint64_t ts;
	size_t size;
	uint8_t data[96];
};

static void put_bytes(struct record *r, size_t at, const void *bytes, size_t len)
{
	memcpy(r->data + at, bytes, len);
	if (at + len > r->size)
		r->size = at + len;
}

static void put(struct record *r, size_t at, size_t size, int64_t value)
{
	uint8_t v1 = (uint8_t)value;
	uint16_t v2 = (uint16_t)value;
	uint32_t v4 = (uint32_t)value;
	const void *from = size == 1   ? &v1
			   : size == 2 ? (void *)&v2
			   : size == 4 ? (void *)&v4
				       : (void *)&value;

	put_bytes(r, at, from, size);
}

static void put_name(struct record *r, size_t at, const char *name)
{
	char field[16] = {0};

	memcpy(field, name, strlen(name));
	put_bytes(r, at, field, sizeof(field));
}

static void fill_switch(struct record *r)
{
	put_name(r, 8, "bash");
	put(r, 24, 4, 100);
	put(r, 28, 4, 120);
	put(r, 32, 8, 1);
	put_name(r, 40, "sshd");
	put(r, 56, 4, 200);
	put(r, 60, 4, 98);
}

static void fill_wakeup(struct record *r)
{
	put_name(r, 8, "kworker/0:1");
	put(r, 24, 4, 7);
	put(r, 28, 4, -5);
}

static void fill_kfree(struct record *r)
{
	put(r, 8, 8, (int64_t)0xffffffff81001010);
	put(r, 16, 8, 0);
}

static void fill_enter(struct record *r)
{
	put(r, 8, 8, -12);
	for (int i = 0; i < 6; i++)
		put(r, 16 + 8 * (size_t)i, 8, i + 1);
}

static void fill_mixed(struct record *r)
{
	static const char msg[] = "hello world";

	put(r, 8, 1, 200);
	put(r, 9, 1, -1);
	put(r, 10, 2, 80);
	put(r, 12, 4, sizeof(msg) << 16 | 32);
	put(r, 16, 8, (int64_t)0xffffffff00000001);
	put(r, 24, 1, 'x');
	put(r, 28, 4, 8 << 16 | 44);
	put_bytes(r, 32, msg, sizeof(msg));
	put(r, 44, 4, 7);
	put(r, 48, 4, 8);
	put(r, 52, 4, 5 << 16 | 60);
	put(r, 56, 4, 3 << 16 | 65);
	put_bytes(r, 60, "eth0", 5);
	put_bytes(r, 65, "up", 3);
}

static void fill_print(struct record *r)
{
	put(r, 8, 8, (int64_t)0xffffffff81003000);
	put_bytes(r, 16, "start here\n", 12);
}

static void fill_rcu(struct record *r)
{
	put(r, 8, 8, (int64_t)0xffffffff82000000);
}

static void fill_none(struct record *r)
{
	put(r, 8, 8, 0);
}

static const struct {
	struct record record;
	void (*fill)(struct record *r);
} records[] = {
	{{'S', SWITCH, "bash", 100, 1, 5250000000}, fill_switch},
	{{'W', WAKEUP, "<idle>", 0, 0, 6000000000}, fill_wakeup},
	{{'K', KFREE, "bash", 100, 0, 6000001000}, fill_kfree},
	{{'E', SYS_ENTER, "irq", 300, 2, 7000000000}, fill_enter},
	{{'M', MIXED, "mixer", 7, 3, 8000000000}, fill_mixed},
	{{'P', PRINT, "echo", 8, 3, 9000000000}, fill_print},
	{{'R', RCU, "rcu_sched", 9, 3, 10000000000}, fill_rcu},
	{{'U', 99, "bash", 100, 0, 11000000000}, fill_none}, /* no format has its id */
};

static bool matches(struct filter_set *set, struct decode *dec, size_t i, size_t cut)
{
	struct record r = records[i].record;
	cleanup_free uint8_t *exact = NULL;
	struct raw_event raw;
	struct decode_common common;
	struct report_view view;

	put(&r, 0, 2, r.id);
	put(&r, 4, 4, r.pid);
	records[i].fill(&r);
	/* A copy of its own, so that a sanitizer sees the first byte read too far. */
	exact = xmalloc(r.size);
	memcpy(exact, r.data, r.size);
	raw = (struct raw_event){.ts = r.ts, .data = exact, .cpu = r.cpu};
	raw.size = (uint32_t)(cut && cut < r.size ? cut : r.size);
	assert_true(decode_common(dec, &raw, &common));
	view = (struct report_view){.dec = dec,
				    .event = decode_event(dec, r.id),
				    .raw = &raw,
				    .common = &common,
				    .comm = r.comm,
				    .instance = "",
				    .file = "f"};
	return filter_set_match(set, &view);
}

/* The letters of the records, cut to @cut bytes if not 0, that pass @text and not @without. */
static void check_cut(const char *text, const char *without, size_t cut, const char *expected)
{
	struct filter_set *set = filter_set_new();
	char found[sizeof(records) / sizeof(records[0]) + 1] = "";
	struct sample sample;
	struct err err = {0};
	size_t nr = 0;

	sample_init(&sample);
	if ((text && filter_set_add(set, text, false, &err) < 0) ||
	    (without && filter_set_add(set, without, true, &err) < 0) ||
	    filter_set_bind(set, sample.dec, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < array_size(records); i++)
		if (matches(set, sample.dec, i, cut))
			found[nr++] = records[i].record.letter;
	if (strcmp(found, expected))
		fail_msg("'%s' without '%s': '%s' instead of '%s'", text ? text : "",
			 without ? without : "", found, expected);
	decode_free(sample.dec);
	filter_set_free(set);
}

static void check(const char *text, const char *expected)
{
	check_cut(text, NULL, 0, expected);
}

static void events(void **state)
{
	(void)state;
	check("sched_switch", "S");
	check("sched", "SW");
	check("sched:sched_switch", "S");
	check("sched/sched_switch , kfree", "SK");
	check("sched:", "SW");
	check(":kfree", "K");
	check("sched_*", "SW");
	check("*", "SWKEMPR");
	check("s?s_enter", "E");
	check("sched/sched_switch,sched_wakeup: pid==7", "W");
	check("sched:sched_switch:prev_pid==100", "S");
	check(".*:COMM == \"bash\"", "SK");
	check("sched_.*: prev_pid==100", "S");
	check("sched : prev_pid == 100", "S");
}

static void specials(void **state)
{
	(void)state;
	check("comm == bash", "SKU");
	check("COMM==\"bash\"", "SKU");
	check("comm != 'bash'", "WEMPR");
	check("pid==100", "SKU");
	check("pid == 7", "M");
	check("sched_wakeup:pid == 7", "W");
	check("sched_wakeup:PID == 7", "");
	check("sched_wakeup:comm ~ kworker/*", "W");
	check("sched_wakeup:COMM == '<idle>'", "W");
	check("cpu==3", "MPR");
	check("CPU & 2", "EMPR");
	check("cpu > 0 && cpu<=2", "SE");
	check("0 < cpu && 2 >= CPU", "SE");
	check("time < 6", "S");
	check("TIME == 5.25", "S");
	check("time >= 5.25s && time < 6000001us", "SW");
	check("time >= 6.000001 && time <= 7000ms", "KE");
	check("time > 8.9999999999", "PRU");
	check("time == 5250000000ns", "S");
	/* A program with the name of a field. */
	check("comm == irq", "E");
}

static void numbers(void **state)
{
	(void)state;
	check("next_prio<100", "S");
	check("next_prio < 98", "");
	check("next_prio <= 98", "S");
	check("next_prio >= 98", "S");
	check("next_prio != 98", "");
	check("prio == -5", "W");
	check("prio < 0", "W");
	check("prio > -6 && prio < -4", "W");
	check("prio == 0xfffffffb", "W");
	check("id == 0xfffffffffffffff4", "E");
	check("id < 0", "E");
	check("small > 100", "M");
	check("small == 0310", "M");
	check("tiny == -1", "M");
	check("tiny < 0", "M");
	check("big > 0x7fffffffffffffff", "M");
	check("big == 18446744069414584321", "M");
	check("big < 1", "");
	check("letter == 'x'", "M");
	check("letter > '\\n'", "M");
	check("port & 0x10", "M");
	check("port & 0xf", "");
	check("(port & 0x5f) == 80", "M");
	check("!((port & 0x50) != 0x50)", "M");
	check("(tiny & 0xff) == 255", "M");
	check("tiny & 128", "M");
	check("prev_prio > next_prio", "S");
	check("prev_prio == next_prio", "");
	check("prev_pid == common_pid", "S");
	check("prev_pid == pid", "S");
	check("common_pid == 100", "SK");
	check("tiny < big", "M");
	check("small > tiny", "M");
	check("ptr == 0", "K");
}

static void texts(void **state)
{
	(void)state;
	check("next_comm == sshd", "S");
	check("next_comm == ssh", "");
	check("next_comm ~ \"ssh*\"", "S");
	check("next_comm ~ '*hd'", "S");
	check("next_comm ~ s??d", "S");
	check("next_comm ~ [r-t]s[^a]d", "S");
	check("next_comm ~ '[!r-t]s*'", "");
	check("next_comm ~ ssh", "");
	check("next_comm =~ ^ss", "S");
	check("next_comm =~ '^(ssh|x)d$'", "S");
	check("next_comm !~ ^ss", "");
	check("next_comm !~ '^bash'", "S");
	check("prev_comm == comm", "S");
	check("prev_comm != next_comm", "S");
	check("msg == 'hello world'", "M");
	check("msg ~ \"hello*\"", "M");
	check("msg =~ 'o w'", "M");
	check("buf == 'start here'", "P");
	check("buf ~ '*here'", "P");
	check("print: buf =~ 'here$'", "P");
	check("s == 'Start grace period'", "R");
	check("s ~ 'End*'", "");
	check("s ~ Start*", "R");
}

static void functions_and_arrays(void **state)
{
	(void)state;
	check("call_site == vfs_read", "K");
	check("call_site.function == vfs_read", "K");
	check("call_site != vfs_read", "");
	check("call_site ~ vfs_*", "K");
	check("call_site == 'vfs_write'", "");
	check("call_site =~ '^vfs'", "K");
	check("ip == schedule || call_site == vfs_read", "KP");
	check("args[1] == 2", "E");
	check("sys_enter: id == -12 && args[5]>5", "E");
	check("list[0]==7 && list[1] == 8", "M");
	check("list[2] == 0 || list[2] != 0", "");
	check("prev_comm[0] == 'b'", "S");
	check("names == eth0", "M");
	check("names == up && names ~ 'e*'", "M");
	check("names == down || names =~ '^x'", "");
	check("names != up", "");
	check("names !~ 'u.'", "");
	check("names != down && names !~ 'x'", "M");
	check("names[1] == up && names[0] == eth0", "M");
	check("names[0] == up || names[1] != up", "");
	check("names == msg || names[1] == names", "M");
	check_cut("names == eth0", NULL, 64, "");
	check_cut("names != down", NULL, 66, "M");
}

static void logic(void **state)
{
	(void)state;
	check("next_prio<100 && next_comm ~ \"ssh*\"", "S");
	check("prev_pid==1 || prev_pid==100 && next_pid==200", "S");
	check("(prev_pid==100 || prev_pid==1) && next_pid==1", "");
	check("!(prev_pid == 1)", "S");
	check("!prev_pid == 1", "S");
	check("!!(prev_pid == 100)", "S");
	check("!(prev_pid == 100 && next_pid == 1)", "S");
	check("!(prev_pid == 1 || next_pid == 200)", "");
	/* A field that is not there makes its comparison not true, and the opposite not either. */
	check("prev_pid == 1 || comm == bash", "SKU");
	check("!(prev_pid == 100) || pid == 7", "M");
	check("prev_pid != 1", "S");
	check("((((prev_pid==100))))", "S");
}

static void sets(void **state)
{
	struct filter_set *set = filter_set_new();
	struct sample sample;

	(void)state;
	check_cut(NULL, NULL, 0, "SWKEMPRU");
	check_cut(NULL, "sched_switch", 0, "WKEMPRU");
	check_cut(NULL, "comm==bash", 0, "WEMPR");
	check_cut(NULL, "prev_pid != 1", 0, "WKEMPRU");
	check_cut("comm==bash", "sched: prev_pid==100", 0, "KU");
	check_cut("sched", "prio == -5", 0, "S");
	sample_init(&sample);
	assert_true(filter_set_is_empty(set));
	assert_int_equal(filter_set_add(set, "sched_switch", false, NULL), 0);
	assert_int_equal(filter_set_add(set, "pid==9", false, NULL), 0);
	assert_false(filter_set_is_empty(set));
	assert_int_equal(filter_set_bind(set, sample.dec, NULL), 0);
	assert_int_equal(filter_set_bind(set, sample.dec, NULL), 0);
	assert_true(matches(set, sample.dec, 0, 0));
	assert_false(matches(set, sample.dec, 1, 0));
	assert_true(matches(set, sample.dec, 6, 0));
	decode_free(sample.dec);
	filter_set_free(set);
}

/* A record too short for a field has no such field. */
static void short_records(void **state)
{
	(void)state;
	check_cut("prev_prio == 120", NULL, 31, "");
	check_cut("prev_prio != 5", NULL, 31, "");
	check_cut("prev_prio == 120", NULL, 32, "S");
	check_cut("msg ~ '*'", NULL, 40, "");
	check_cut("list[0] == 7", NULL, 51, "");
	check_cut("args[1] == 2", NULL, 40, "");
	check_cut("next_comm ~ '*'", NULL, 50, "");
	for (size_t cut = 8; cut < 64; cut++)
		check_cut(
			"prev_pid == -77 || pid == -77 || msg == q || buf == q || s == q || args[5] == 77",
			NULL, cut, "");
}

static void names(void **state)
{
	struct strv v = {0};
	struct sample sample;

	(void)state;
	sample_init(&sample);
	filter_names(sample.dec, "sched", "sched_wakeup", &v);
	assert_true(strv_has(&v, "comm") && strv_has(&v, "time") && strv_has(&v, "prio"));
	assert_false(strv_has(&v, "next_prio"));
	strv_fini(&v);
	filter_names(NULL, NULL, NULL, &v);
	assert_int_equal(v.nr, 4);
	strv_fini(&v);
	decode_free(sample.dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),
		cmocka_unit_test(specials),
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts),
		cmocka_unit_test(functions_and_arrays),
		cmocka_unit_test(logic),
		cmocka_unit_test(sets),
		cmocka_unit_test(short_records),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

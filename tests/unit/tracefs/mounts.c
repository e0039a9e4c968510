/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the tracing directory in /proc/self/mountinfo. */
#include "tests/unit/test.h"
#include "tracefs/private.h"
#include "util/mem.h"

static void check_found(const char *mountinfo, const char *want)
{
	cleanup_free char *found = mounts_find_tracing(mountinfo);

	if (want)
		assert_string_equal(found, want);
	else
		assert_null(found);
}

#define ROOT "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"

static void test_optional_fields(void **state)
{
	(void)state;
	check_found(ROOT "33 22 0:12 / /sys/kernel/tracing rw,nosuid - tracefs tracefs rw\n",
		    "/sys/kernel/tracing");
	check_found(ROOT "33 22 0:12 / /sys/kernel/tracing rw shared:11 - tracefs tracefs rw\n",
		    "/sys/kernel/tracing");
	check_found(ROOT "33 22 0:12 / /mnt/t rw shared:11 master:2 propagate_from:3 unbindable - "
			 "tracefs nodev rw\n",
		    "/mnt/t");
}

static void test_usual_place_first(void **state)
{
	(void)state;
	check_found("33 22 0:12 / /mnt/t rw - tracefs nodev rw\n"
		    "34 22 0:7 / /sys/kernel/debug rw - debugfs nodev rw\n"
		    "35 22 0:12 / /sys/kernel/tracing rw - tracefs nodev rw\n",
		    "/sys/kernel/tracing");
}

static void test_below_debugfs(void **state)
{
	(void)state;
	check_found(ROOT "34 22 0:7 / /sys/kernel/debug rw - debugfs nodev rw\n",
		    "/sys/kernel/debug/tracing");
	check_found("34 22 0:7 / /sys/kernel/debug rw - debugfs nodev rw\n"
		    "35 34 0:12 / /sys/kernel/debug/tracing rw - tracefs nodev rw\n",
		    "/sys/kernel/debug/tracing");
}

static void test_escapes(void **state)
{
	(void)state;
	check_found("33 22 0:12 / /mnt/my\\040trace\\134\\011x rw - tracefs nodev rw\n",
		    "/mnt/my trace\\\tx");
	/* Not an escape: too short. */
	check_found("33 22 0:12 / /mnt/a\\04 rw - tracefs nodev rw\n", "/mnt/a\\04");
}

static void test_parts_do_not_count(void **state)
{
	(void)state;
	check_found("33 22 0:12 /instances/a /mnt/a rw - tracefs nodev rw\n", NULL);
}

static void test_nothing(void **state)
{
	(void)state;
	check_found("", NULL);
	check_found(ROOT, NULL);
	check_found("garbage\n1 2 3\n\n33 22 0:12 / /x rw shared:1\n33 22 0:12 / /x rw -\n", NULL);
	/* The type decides, not the source or an optional field that looks like it. */
	check_found("33 22 0:12 / /x rw tracefs - tmpfs tracefs rw\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optional_fields),	   cmocka_unit_test(test_usual_place_first),
		cmocka_unit_test(test_below_debugfs),	   cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_parts_do_not_count), cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests_name("mounts", tests, NULL, NULL);
}

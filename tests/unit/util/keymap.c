/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map that keeps the order of insertion. */
#include "util/keymap.h"

#include <stdio.h>

#include "../test.h"

static void finds(void **state)
{
	struct keymap map = {0};
	char key[32];
	void **first = keymap_at(&map, "", 0);

	(void)state;
	assert_null(*first);
	*first = &map;
	for (size_t i = 1; i < 5000; i++) {
		int len = snprintf(key, sizeof(key), "key %zu", i);
		void **slot = keymap_at(&map, key, (size_t)len);

		assert_null(*slot);
		*slot = (char *)&map + i;
	}
	assert_int_equal(map.nr, 5000);
	/* The place of a value does not move. */
	assert_ptr_equal(first, keymap_at(&map, "", 0));
	for (size_t i = 1; i < 5000; i++) {
		int len = snprintf(key, sizeof(key), "key %zu", i);

		assert_ptr_equal(*keymap_at(&map, key, (size_t)len), (char *)&map + i);
		assert_ptr_equal(map.entry[i]->value, (char *)&map + i);
	}
	assert_int_equal(map.nr, 5000);
	/* A key may hold any bytes, and may begin another. */
	assert_null(*keymap_at(&map, "key\0", 4));
	assert_null(*keymap_at(&map, "key", 3));
	assert_int_equal(map.nr, 5002);
	keymap_fini(&map);
	assert_int_equal(map.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

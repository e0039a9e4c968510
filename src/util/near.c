/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the names nearest to one that was mistyped. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/mem.h"
#include "util/str.h"

#define NEAR_MOST 3
#define NAME_LONGEST 128

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Costs are in halves, so that a change of case costs less than a change of letter. */
static unsigned int replace_cost(char a, char b)
{
	if (a == b)
		return 0;
	return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int row[3][NAME_LONGEST + 1];
	size_t la = strlen(a);
	size_t lb = strlen(b);

	if (la > NAME_LONGEST || lb > NAME_LONGEST)
		return strcmp(a, b) ? 2 * (unsigned int)(la + lb) : 0;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = 2 * (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *cur = row[i % 3];
		const unsigned int *prev = row[(i + 2) % 3];
		const unsigned int *prev2 = row[(i + 1) % 3];

		cur[0] = 2 * (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			cur[j] = min3(prev[j] + 2, cur[j - 1] + 2,
				      prev[j - 1] + replace_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    prev2[j - 2] + 2 < cur[j])
				cur[j] = prev2[j - 2] + 2;
		}
	}
	return row[la % 3][lb];
}

struct near {
	unsigned int distance;
	const char *name;
};

static void keep_nearest(struct near *best, size_t *nr, unsigned int distance, const char *name)
{
	size_t at = *nr;

	for (size_t i = 0; i < *nr; i++)
		if (!strcmp(best[i].name, name))
			return;
	while (at > 0 && best[at - 1].distance > distance)
		at--;
	if (at >= NEAR_MOST)
		return;
	if (*nr < NEAR_MOST)
		(*nr)++;
	for (size_t i = *nr - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = (struct near){distance, name};
}

static size_t length_gap(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

char *near_names(const char *wrong, const struct strv *names)
{
	struct near best[NEAR_MOST];
	struct strbuf sb = {0};
	size_t len = strlen(wrong);
	/* A third of the letters may be wrong; one more costs nothing in short names. */
	unsigned int limit = 2 * (unsigned int)(len < 4 ? 1 : (len + 2) / 3);
	size_t nr = 0;

	for (size_t i = 0; i < names->nr; i++) {
		const char *name = names->item[i];
		unsigned int distance;

		/* finish_task_switch is there as finish_task_switch.isra.0. */
		if ((len >= 3 && str_starts(name, wrong)) || !strcasecmp(name, wrong)) {
			keep_nearest(best, &nr, 1, name);
			continue;
		}
		if (2 * length_gap(strlen(name), len) > limit)
			continue;
		distance = edit_distance(wrong, name);
		if (distance <= limit)
			keep_nearest(best, &nr, distance, name);
	}
	if (!nr)
		return xstrdup("");
	strbuf_add(&sb, " (did you mean ");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			strbuf_add(&sb, i + 1 == nr ? " or " : ", ");
		strbuf_add(&sb, best[i].name);
	}
	strbuf_add(&sb, "?)");
	return strbuf_take(&sb);
}

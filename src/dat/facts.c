/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks into the lines that ft has put into a file. */
#include "dat/facts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

struct dat_tgid {
	int tid;
	int tgid;
	size_t line; /* of two of the same thread the later one holds */
};

bool dat_has_fact(const struct dat_reader *r, const char *line)
{
	return strv_has(&r->facts, line);
}

/* A number up to @end, and what comes behind that; NULL when it is none. */
static const char *take_id(const char *text, char end, int *out)
{
	char *stop;
	long value;

	if (*text < '0' || *text > '9')
		return NULL;
	value = strtol(text, &stop, 10);
	if (*stop != end || value > INT_MAX)
		return NULL;
	*out = (int)value;
	return stop + 1;
}

static bool parse_tgid(const char *line, struct dat_tgid *out)
{
	const char *at = take_id(line + strlen(DAT_FACT_TGID), ' ', &out->tid);

	return at && take_id(at, '\0', &out->tgid);
}

static int by_tid(const void *a, const void *b)
{
	const struct dat_tgid *x = a;
	const struct dat_tgid *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void dat_tgids_read(const struct dat_reader *r, struct dat_tgids *out)
{
	*out = (struct dat_tgids){.item = xcalloc(r->facts.nr + 1, sizeof(*out->item))};
	for (size_t i = 0; i < r->facts.nr; i++) {
		struct dat_tgid one = {.line = i};

		if (str_starts(r->facts.item[i], DAT_FACT_TGID) &&
		    parse_tgid(r->facts.item[i], &one))
			out->item[out->nr++] = one;
	}
	qsort(out->item, out->nr, sizeof(*out->item), by_tid);
}

void dat_tgids_fini(struct dat_tgids *tgids)
{
	free(tgids->item);
	*tgids = (struct dat_tgids){0};
}

int dat_tgids_find(const struct dat_tgids *tgids, int tid)
{
	size_t low = 0;
	size_t high = tgids->nr;

	/* The first of a higher tid. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tgids->item[mid].tid <= tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low && tgids->item[low - 1].tid == tid ? tgids->item[low - 1].tgid : tid;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What filters ask a decoder for: events by a word of their format, functions by name. */
#include <stdlib.h>
#include <string.h>

#include "decode/internal.h"
#include "report/filter.h"
#include "report/filter_bind.h"
#include "util/mem.h"

/* Searching the text first spares the parsing of some thousand formats that do not matter. */
void filter_visit_events(struct decode *dec, const char *word,
			 void (*visit)(void *ctx, const struct event *event), void *ctx)
{
	for (size_t i = 0; i < dec->nr_slots; i++) {
		struct decode_text text = dec->slot[i].format->text;
		const struct event *event;

		if (!memmem(text.text, text.len, word, strlen(word)))
			continue;
		event = decode_event(dec, dec->slot[i].id);
		if (event)
			visit(ctx, event);
	}
}

/* Where the symbol ends: at the next other address. The last one has no end. */
static uint64_t symbol_end(const struct symbols *symbols, size_t at)
{
	uint64_t addr = symbols->symbol[at].addr;

	while (++at < symbols->nr)
		if (symbols->symbol[at].addr != addr)
			return symbols->symbol[at].addr;
	return addr + 1;
}

static void add_range(struct filter_ranges *ranges, uint64_t start, uint64_t end)
{
	struct filter_range *last = ranges->nr ? &ranges->range[ranges->nr - 1] : NULL;

	if (last && start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return;
	}
	/* Room doubles whenever the number is a power of two. */
	if (!(ranges->nr & (ranges->nr - 1)))
		ranges->range = xrealloc(ranges->range, (ranges->nr ? ranges->nr * 2 : 1) *
								sizeof(*ranges->range));
	ranges->range[ranges->nr++] = (struct filter_range){start, end};
}

static char *near_functions(const struct symbols *symbols, const char *name)
{
	cleanup(strv_fini) struct strv names = {0};

	for (size_t i = 0; i < symbols->nr; i++)
		if (symbols->symbol[i].is_text)
			strv_add(&names, symbols->text + symbols->symbol[i].name);
	return near_names(name, &names);
}

int filter_find_functions(struct decode *dec, enum filter_op op, const struct filter_word *word,
			  const regex_t *regex, struct filter_ranges *out, char **near)
{
	const struct symbols *symbols = decode_symbols(dec);
	struct filter_value pattern = {.text = word->text, .len = strlen(word->text)};

	if (op == FILTER_NE)
		op = FILTER_EQ;
	if (op == FILTER_NOT_REGEX)
		op = FILTER_REGEX;
	for (size_t i = 0; i < symbols->nr; i++) {
		const char *name = symbols->text + symbols->symbol[i].name;

		if (filter_text_matches(op, &pattern, regex, name, strlen(name)))
			add_range(out, symbols->symbol[i].addr, symbol_end(symbols, i));
	}
	if (out->nr)
		return 0;
	*near = op == FILTER_EQ ? near_functions(symbols, word->text) : xstrdup("");
	return -ENOENT;
}

static void add_fields(struct strv *out, const struct event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		strv_add(out, event->field[i].name);
}

void filter_names(struct decode *dec, const char *system, const char *event, struct strv *out)
{
	size_t nr = dec ? decode_find(dec, system, event, NULL, 0) : 0;
	cleanup_free const struct event **found = xcalloc(nr + 1, sizeof(struct event *));

	for (int i = 0; i < FILTER_NO_SPECIAL; i++)
		strv_add(out, filter_special_name((enum filter_special)i));
	if (nr)
		decode_find(dec, system, event, found, nr);
	for (size_t i = 0; i < nr; i++)
		add_fields(out, found[i]);
	strv_sort(out);
	strv_uniq(out);
}

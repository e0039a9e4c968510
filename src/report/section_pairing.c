/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which end belongs to which begin. */
#include <stdlib.h>

#include "report/sections.h"
#include "util/mem.h"

struct open_section {
	struct section *section;
	uint64_t start;
	uint64_t children; /* time of the sections inside of it that are closed */
};

struct open_stack {
	struct open_section *open;
	size_t nr;
	size_t room;
};

enum key_kind { KEY_SYNC, KEY_ASYNC, KEY_NAMELESS };

/* In front of the name in a key; no padding. */
struct key_head {
	uint32_t source;
	int32_t pid;
	int32_t tid;
	uint32_t kind;
};

static struct section *get_section(struct section_pairing *p, enum key_kind kind,
				   const struct sink_event *event, const struct marker *marker)
{
	struct key_head head = {.source = event->source, .pid = marker->pid, .kind = kind};
	struct section *section;
	void **slot;

	head.tid = kind == KEY_ASYNC ? -1 : event->common.pid;
	p->key.len = 0;
	strbuf_add_mem(&p->key, &head, sizeof(head));
	if (kind != KEY_NAMELESS)
		strbuf_add_mem(&p->key, marker->name, marker->name_len);
	slot = keymap_at(&p->sections, p->key.text, p->key.len);
	if (*slot)
		return *slot;
	section = *slot = xzalloc(sizeof(*section));
	section->source = event->source;
	section->pid = marker->pid;
	section->tid = head.tid;
	section->comm = event->comm;
	if (kind != KEY_NAMELESS)
		section->name = xstrndup(marker->name, marker->name_len);
	return section;
}

static struct open_stack *get_stack(struct keymap *map, const void *key, size_t len)
{
	void **slot = keymap_at(map, key, len);

	if (!*slot)
		*slot = xzalloc(sizeof(struct open_stack));
	return *slot;
}

static struct open_stack *thread_stack(struct section_pairing *p, const struct sink_event *event)
{
	struct key_head head = {.source = event->source, .tid = event->common.pid};

	return get_stack(&p->threads, &head, sizeof(head));
}

static struct open_stack *async_stack(struct section_pairing *p, const struct sink_event *event,
				      const struct marker *marker)
{
	struct key_head head = {.source = event->source, .pid = marker->pid};

	p->key.len = 0;
	strbuf_add_mem(&p->key, &head, sizeof(head));
	strbuf_add_mem(&p->key, marker->name, marker->name_len);
	strbuf_add_mem(&p->key, "|", 1);
	strbuf_add_mem(&p->key, marker->value, marker->value_len);
	return get_stack(&p->asyncs, p->key.text, p->key.len);
}

static void push(struct open_stack *stack, struct section *section, uint64_t start)
{
	if (stack->nr == stack->room) {
		stack->room = stack->room ? stack->room * 2 : 8;
		stack->open = xrealloc(stack->open, stack->room * sizeof(*stack->open));
	}
	for (size_t i = stack->nr; i-- > 0;) {
		if (stack->open[i].section == section) {
			pairs_add(&section->recursive, stack->open[i].start, start, 0);
			break;
		}
	}
	stack->open[stack->nr++] = (struct open_section){section, start, 0};
}

static void pop(struct open_stack *stack, uint64_t end)
{
	struct open_section *open = &stack->open[--stack->nr];
	uint64_t time = end - open->start;

	pairs_add(&open->section->closed, open->start, end, (int64_t)(time - open->children));
	if (stack->nr)
		open[-1].children += time;
}

void section_pairing_marker(struct section_pairing *p, const struct sink_event *event,
			    const struct marker *marker)
{
	bool is_async = marker->kind == MARKER_ASYNC_BEGIN || marker->kind == MARKER_ASYNC_END;
	struct open_stack *stack;
	uint64_t ts = event->raw->ts;

	if (!is_async && marker->kind != MARKER_BEGIN && marker->kind != MARKER_END)
		return;
	stack = is_async ? async_stack(p, event, marker) : thread_stack(p, event);
	if (marker->kind == MARKER_BEGIN)
		push(stack, get_section(p, KEY_SYNC, event, marker), ts);
	else if (marker->kind == MARKER_ASYNC_BEGIN)
		push(stack, get_section(p, KEY_ASYNC, event, marker), ts);
	else if (stack->nr)
		pop(stack, ts);
	else
		get_section(p, is_async ? KEY_ASYNC : KEY_NAMELESS, event, marker)->nr_unopened++;
}

static void finish_stacks(struct keymap *map)
{
	for (size_t i = 0; i < map->nr; i++) {
		struct open_stack *stack = map->entry[i]->value;

		for (size_t o = 0; o < stack->nr; o++)
			pairs_add(&stack->open[o].section->unclosed, stack->open[o].start,
				  UINT64_MAX, 0);
		stack->nr = 0;
	}
}

void section_pairing_finish(struct section_pairing *p)
{
	finish_stacks(&p->threads);
	finish_stacks(&p->asyncs);
}

static void free_stacks(struct keymap *map)
{
	for (size_t i = 0; i < map->nr; i++) {
		struct open_stack *stack = map->entry[i]->value;

		free(stack->open);
		free(stack);
	}
	keymap_fini(map);
}

void section_pairing_fini(struct section_pairing *p)
{
	for (size_t i = 0; i < p->sections.nr; i++) {
		struct section *section = p->sections.entry[i]->value;

		pairs_fini(&section->closed);
		pairs_fini(&section->unclosed);
		pairs_fini(&section->recursive);
		free(section->name);
		free(section);
	}
	keymap_fini(&p->sections);
	free_stacks(&p->threads);
	free_stacks(&p->asyncs);
	strbuf_fini(&p->key);
}

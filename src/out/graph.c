/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of graph events. */
#include "out/graph.h"

#include <string.h>

static struct graph_place find(const struct event *event, const char *name)
{
	const struct decode_field *field = event_field(event, name);

	if (!field || field->is_array || (field->size != 4 && field->size != 8))
		return (struct graph_place){0};
	return (struct graph_place){field->offset, field->size, field->offset + field->size};
}

static void find_plain(struct graph_fields *fields)
{
	const struct graph_place *place[] = {&fields->func, &fields->calltime, &fields->rettime};
	size_t nr = fields->kind == GRAPH_EXIT ? 3 : 1;

	fields->plain = fields->depth.size == 4 &&
			fields->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	fields->end = fields->depth.end;
	for (size_t i = 0; i < nr; i++) {
		fields->plain &= place[i]->size == 8;
		if (place[i]->end > fields->end)
			fields->end = place[i]->end;
	}
}

void graph_fields_init(struct graph_fields *fields, const struct event *event, bool big_endian)
{
	*fields = (struct graph_fields){.kind = GRAPH_NONE, .big_endian = big_endian};
	if (!event || strcmp(event->system, "ftrace") != 0)
		return;
	fields->func = find(event, "func");
	fields->depth = find(event, "depth");
	fields->calltime = find(event, "calltime");
	fields->rettime = find(event, "rettime");
	if (!fields->func.size || !fields->depth.size)
		return;
	if (!strcmp(event->name, "funcgraph_entry"))
		fields->kind = GRAPH_ENTRY;
	else if (!strcmp(event->name, "funcgraph_exit") && fields->calltime.size &&
		 fields->rettime.size)
		fields->kind = GRAPH_EXIT;
	find_plain(fields);
}

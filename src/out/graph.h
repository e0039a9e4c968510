/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of the function graph tracer's two events, read without looking them up each time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dat/cursor.h"
#include "decode/decode.h"

enum graph_kind { GRAPH_NONE, GRAPH_ENTRY, GRAPH_EXIT };

struct graph_place {
	uint32_t offset;
	uint32_t size; /* 0 when the format has no such field */
	uint32_t end;  /* shorter records do not have it */
};

struct graph_fields {
	enum graph_kind kind;
	bool big_endian;
	struct graph_place func;
	struct graph_place depth;
	struct graph_place calltime;
	struct graph_place rettime;
};

/* kind is GRAPH_NONE unless the event is ftrace:funcgraph_entry or funcgraph_exit with all fields that are needed. */
void graph_fields_init(struct graph_fields *fields, const struct event *event, bool big_endian);

/* 0 when the record is too short. */
static inline uint64_t graph_number(const struct graph_fields *fields, struct graph_place place,
				    const struct raw_event *raw)
{
	if (__builtin_expect(raw->size < place.end || !place.size, 0))
		return 0;
	if (place.size == 8)
		return get_u64(raw->data + place.offset, fields->big_endian);
	return get_u32(raw->data + place.offset, fields->big_endian);
}

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
	/* All of them are 8 bytes (depth: 4) in this machine's byte order, and records from this size on have them. */
	bool plain;
	uint32_t end;
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

/* True when graph_u64() and graph_u32() may be used for this record. */
static inline bool graph_is_plain(const struct graph_fields *fields, const struct raw_event *raw)
{
	return __builtin_expect(fields->plain && raw->size >= fields->end, 1);
}

static inline uint64_t graph_u64(struct graph_place place, const struct raw_event *raw)
{
	uint64_t v;

	memcpy(&v, raw->data + place.offset, sizeof(v));
	return v;
}

static inline uint32_t graph_u32(struct graph_place place, const struct raw_event *raw)
{
	uint32_t v;

	memcpy(&v, raw->data + place.offset, sizeof(v));
	return v;
}

/* The four fields; 0 where the record is too short. */
static inline uint64_t graph_func(const struct graph_fields *fields, const struct raw_event *raw)
{
	if (graph_is_plain(fields, raw))
		return graph_u64(fields->func, raw);
	return graph_number(fields, fields->func, raw);
}

static inline uint64_t graph_depth(const struct graph_fields *fields, const struct raw_event *raw)
{
	if (graph_is_plain(fields, raw))
		return graph_u32(fields->depth, raw);
	return graph_number(fields, fields->depth, raw);
}

static inline uint64_t graph_duration(const struct graph_fields *fields,
				      const struct raw_event *raw)
{
	if (graph_is_plain(fields, raw))
		return graph_u64(fields->rettime, raw) - graph_u64(fields->calltime, raw);
	return graph_number(fields, fields->rettime, raw) -
	       graph_number(fields, fields->calltime, raw);
}

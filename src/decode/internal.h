/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this module know of each other. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "decode/arena.h"
#include "decode/comms.h"
#include "decode/decode.h"
#include "decode/eval.h"
#include "decode/format.h"
#include "decode/plan.h"
#include "decode/symbols.h"

/* An event type with all that was made of it. */
struct event_full {
	struct event event; /* what others see */
	struct format format;
	struct arena arena;
	struct plan plan;
};

/* One format of the recording; parsed and compiled at first use. */
struct slot {
	int id;
	const struct decode_format *format;
	_Atomic(struct event_full *) full;
	atomic_bool broken; /* its text is no format */
};

/* A format that the kernel told later, of an event that was not enabled before. */
struct late_format {
	struct late_format *next;
	struct decode_format format;
	struct slot slot; /* ->format is NULL when the kernel knows of none */
};

/* Where the common fields lie; ->size 0: not there. */
struct common_field {
	uint32_t offset;
	uint32_t size;
	uint8_t load;
};

enum {
	COMMON_TYPE,
	COMMON_FLAGS,
	COMMON_PREEMPT,
	COMMON_PID,
	COMMON_MIGRATE,
	COMMON_LOCK,
	NR_COMMON
};

struct decode {
	struct decode_input in; /* its arrays and texts are borrowed */
	bool swap;		/* recorded in the other byte order */
	struct slot *slot;	/* by id */
	size_t nr_slots;
	struct slot **by_id; /* up to max_id, NULL where there is none */
	int max_id;
	struct late_format *late;
	pthread_mutex_t late_lock;
	struct common_field common[NR_COMMON];
	uint32_t common_end;
	struct comms comms;
	pthread_mutex_t lock; /* guards what is made at first use */
	_Atomic(struct symbols *) symbols;
	_Atomic(struct printks *) printks;
	char *kallsyms; /* a copy of the input's, which is not to be changed */
	pthread_mutex_t fallback_lock;
	struct fallback *fallback; /* libtraceevent, when a plan needs it */
};

#define SYMBOL_CACHE 4096 /* a power of two */

struct cached_symbol {
	uint64_t addr;
	const char *name; /* NULL: there is none */
	uint64_t offset;
	uint32_t name_len;
	bool used;
};

#define NAMES_CACHE 256 /* a power of two */
#define NAMES_TEXT 104

/* The text of one value of a table of flags or symbols. */
struct cached_names {
	const struct names *names;
	uint64_t value;
	uint32_t len;
	char text[NAMES_TEXT];
};

struct decode_thread {
	struct decode *dec;
	struct cached_names names[NAMES_CACHE];
	struct outbuf scratch;
	struct cached_symbol cache[SYMBOL_CACHE];
};

const struct symbols *decode_symbols(struct decode *dec);
/* The cache's entry for @addr, looked up when it is not there yet. */
const struct cached_symbol *thread_symbol(struct decode_thread *thread, uint64_t addr);

/* One of several texts as a field of its own. */
static inline struct decode_field field_of_texts(const struct decode_field *field, uint32_t index)
{
	struct decode_field one = *field;

	one.offset += index * 4;
	one.size = 4;
	one.nr_texts = 0;
	return one;
}

/* The bytes of a field, dynamic ones resolved; false when they lie outside of the record. */
bool field_memory(const struct eval *ev, const struct decode_field *field, struct memory *memory);
/* Appends " name=value" of every field that is not common. */
void fields_print(struct eval *ev, const struct event *event, struct outbuf *out);
void field_print(struct eval *ev, const struct decode_field *field, struct outbuf *out);

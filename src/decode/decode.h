/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From raw events to text and values: event formats, symbols, comms. Knows no file and no tracefs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dat/raw_event.h"
#include "util/err.h"
#include "util/outbuf.h"
#include "util/str.h"

/* A text that is borrowed and need not end in NUL. */
struct decode_text {
	const char *text;
	size_t len;
};

/* The same where the decoder may change it, such as end names in it with NUL. */
struct decode_buffer {
	char *text;
	size_t len;
};

struct decode_format {
	const char *system; /* borrowed */
	struct decode_text text;
};

/* All that a recording tells about how to decode it. Texts are borrowed and must stay. */
struct decode_input {
	bool big_endian;
	unsigned int long_size; /* of the recorded kernel: 4 or 8 */
	const struct decode_format *format;
	size_t nr_formats;
	struct decode_text header_page;
	struct decode_text kallsyms; /* parsed at the first look-up */
	struct decode_text printk;
	struct decode_text cmdlines;
	/* All may be NULL. The symbols when they are needed, in the place of ->kallsyms; and, of a running kernel, the
	 * format of an id that is in no format above, false when there is none. Texts are borrowed. */
	void *ctx;
	struct decode_buffer (*load_kallsyms)(void *ctx);
	bool (*load_format)(void *ctx, int id, struct decode_format *format);
};

/* One field of an event, as its format file gives it. */
struct decode_field {
	const char *name;
	const char *type; /* "char[16]", "__data_loc char[]", for people */
	uint32_t offset;
	uint32_t size;
	uint32_t elem_size; /* of one element of an array, else size */
	uint32_t nr_texts;  /* of a probe's array of texts, which is so many locations; else 0 */
	bool is_signed;
	bool is_array;
	bool is_string;	  /* char array, fixed or dynamic */
	bool is_dynamic;  /* __data_loc: u16 offset, u16 length at offset */
	bool is_relative; /* __rel_loc: offset counts from the end of this field */
	bool is_common;	  /* common_type, common_flags ... */
	bool is_pointer;
};

/* An event type. Owned by the decoder, immutable once handed out, safe in several threads. */
struct event {
	int id;
	const char *system;
	const char *name;
	const struct decode_field *field; /* common fields first */
	size_t nr_fields;
	uint32_t min_size; /* no record may be shorter */
	const struct plan *plan;
};

struct decode;

/* Indexes the formats by their "ID:" line only; everything else is done at first use. Thread-safe
 * after this. Fails only when nothing in @in can be used. */
struct decode *decode_new(const struct decode_input *in, struct err *err);
void decode_free(struct decode *dec);

/* The event type of @id, parsed and compiled at first use; NULL when the file has no such id. */
const struct event *decode_event(struct decode *dec, int id);
/* Calls @visit with the system and name of each event type, without parsing any. */
void decode_visit_names(struct decode *dec,
			void (*visit)(void *ctx, const char *system, const char *name), void *ctx);
/* All event types whose system and name match the globs ("*" for all); fills @out with up to @max
 * and returns how many there are. Parses only those. */
size_t decode_find(struct decode *dec, const char *system, const char *name,
		   const struct event **out, size_t max);
/* Calls @visit for each event type whose format has @word in its text. Parses only those. */
void decode_visit_events(struct decode *dec, const char *word,
			 void (*visit)(void *ctx, const struct event *event), void *ctx);
const struct decode_field *event_field(const struct event *event, const char *name);

/* The common fields of a record, checked against its size. False when it is too short. */
struct decode_common {
	int id;
	int pid;
	uint8_t flags;
	uint8_t preempt;
	int16_t migrate_disable; /* -1 when the format has no such field */
	int16_t lock_depth;	 /* INT16_MIN when the format has no such field */
};
bool decode_common(const struct decode *dec, const struct raw_event *raw,
		   struct decode_common *out);
/* True when id, flags, preempt count and pid are where all kernels since 2.6.33 have them: in 2, 1, 1 and 4 bytes from the
 * start of the record. */
bool decode_has_plain_common(const struct decode *dec);

/* A number of a field, sign extended; 0 when the record is too short for it. */
int64_t field_number(const struct decode *dec, const struct decode_field *field,
		     const struct raw_event *raw);
/* The bytes of an array or string field, dynamic ones resolved and bounds-checked; NULL and len 0
 * when they lie outside of the record. Strings end at their NUL or at the end of the field. */
const uint8_t *field_bytes(const struct decode *dec, const struct decode_field *field,
			   const struct raw_event *raw, size_t *len);

/* One of several texts in a field with ->nr_texts. */
const uint8_t *field_text(const struct decode *dec, const struct decode_field *field,
			  const struct raw_event *raw, uint32_t index, size_t *len);

/* What one thread needs while it prints: caches of symbols and texts. Not shared. */
struct decode_thread;
struct decode_thread *decode_thread_new(struct decode *dec);
void decode_thread_free(struct decode_thread *thread);

/* Writes what follows "event_name: " in a report: the text by the event's print format; fields as
 * name=value when that cannot be done. One line, without its newline: newlines and control bytes
 * inside of it are escapes. Only ftrace's kernel_stack and user_stack have a line for each frame. */
void event_print(struct decode_thread *thread, const struct event *event,
		 const struct raw_event *raw, struct outbuf *out);
/* Writes " field=value ..." as trace-cmd report -R does. */
void event_print_raw(struct decode_thread *thread, const struct event *event,
		     const struct raw_event *raw, struct outbuf *out);

/* Replaces what @out holds from @start on by what is safe on one line of a terminal: control bytes
 * but TAB and bytes that are no UTF-8 become escapes. */
void clean_text(struct outbuf *out, size_t start, bool keep_lines);
/* A copy of a name on one line, likewise; caller frees. */
char *clean_name(const char *name);

/* How the print format of an event was taken, for --stats. */
enum plan_kind {
	PLAN_NATIVE,   /* compiled by ft */
	PLAN_FALLBACK, /* printed by libtraceevent under guards */
	PLAN_FIELDS,   /* neither can: name=value */
};
enum plan_kind event_plan_kind(const struct event *event);
/* Whether all or some of its print format cannot be done: fields follow as name=value. */
bool event_lacks_values(const struct event *event);
/* The same before any record was printed: it may name kernel symbols that the recording does not know. */
bool decode_lacks_values(struct decode *dec, const struct event *event);

/* The symbol that holds @addr: its name and the distance in *offset; NULL when there is none.
 * Text symbols win over data labels at the same address. */
const char *decode_symbol(struct decode_thread *thread, uint64_t addr, uint64_t *offset);
/* A symbol reaches to the next other address; the last one has no end and is told to have one byte. */
struct decode_function {
	const char *name;
	uint64_t start;
	uint64_t end;
	bool is_text;
};
/* Calls @visit for each symbol, in the order of addresses. */
void decode_visit_symbols(struct decode *dec,
			  void (*visit)(void *ctx, const struct decode_function *function),
			  void *ctx);
/* The comm of @pid as saved_cmdlines of the file has it, NULL when unknown; pid 0 is "<idle>". */
const char *decode_comm(const struct decode *dec, int pid);
/* The printk format text at @addr without its quotes; NULL when unknown. */
const char *decode_printk(struct decode *dec, uint64_t addr);

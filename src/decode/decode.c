/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The index of a recording's event formats, and what is made of them at first use. */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#include "decode/internal.h"
#include "decode/load.h"
#include "util/mem.h"

/* The record's common_type has 16 bits. */
#define ID_MOST 0xffff

static const char *const common_names[NR_COMMON] = {
	[COMMON_TYPE] = "common_type",
	[COMMON_FLAGS] = "common_flags",
	[COMMON_PREEMPT] = "common_preempt_count",
	[COMMON_PID] = "common_pid",
	[COMMON_MIGRATE] = "common_migrate_disable",
	[COMMON_LOCK] = "common_lock_depth",
};

/* As every kernel since 2.6.33 has them; the formats say if one does not. */
static const struct common_field common_default[NR_COMMON] = {
	[COMMON_TYPE] = {0, 2, 0},
	[COMMON_FLAGS] = {2, 1, 0},
	[COMMON_PREEMPT] = {3, 1, 0},
	[COMMON_PID] = {4, 4, 0},
};

static void set_common(struct decode *dec, const struct format *format)
{
	memcpy(dec->common, common_default, sizeof(dec->common));
	for (size_t i = 0; format && i < format->nr_fields; i++) {
		const struct decode_field *field = &format->field[i];

		for (size_t j = 0; j < NR_COMMON; j++)
			if (!strcmp(field->name, common_names[j]))
				dec->common[j] =
					(struct common_field){field->offset, field->size, 0};
	}
	for (size_t i = 0; i < NR_COMMON; i++) {
		struct common_field *common = &dec->common[i];
		bool is_signed = i >= COMMON_PID;

		common->load = load_for(common->size, is_signed, dec->in.big_endian);
		if (common->load == LOAD_NONE)
			common->size = 0;
		if (common->size && common->offset + common->size > dec->common_end)
			dec->common_end = common->offset + common->size;
	}
}

/* The common fields are the same in all formats: the first that can be read tells. */
static void find_common(struct decode *dec)
{
	struct arena arena = {0};
	struct format format;
	bool found = false;

	for (size_t i = 0; i < dec->nr_slots && !found; i++)
		found = format_parse(dec->slot[i].format->text, dec->in.long_size, &arena,
				     &format) &&
			format.nr_fields;
	set_common(dec, found ? &format : NULL);
	arena_fini(&arena);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a;
	const struct slot *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	/* Of two with one id the first in the file counts. */
	return x->format < y->format ? -1 : x->format > y->format;
}

static void index_formats(struct decode *dec)
{
	size_t nr = 0;

	dec->slot = xcalloc(dec->in.nr_formats + 1, sizeof(*dec->slot));
	for (size_t i = 0; i < dec->in.nr_formats; i++) {
		const struct decode_format *format = &dec->in.format[i];
		int id = format_id(format->text);

		if (id < 0 || id > ID_MOST)
			continue;
		dec->slot[dec->nr_slots].id = id;
		dec->slot[dec->nr_slots++].format = format;
	}
	qsort(dec->slot, dec->nr_slots, sizeof(*dec->slot), compare_slots);
	for (size_t i = 0; i < dec->nr_slots; i++)
		if (!nr || dec->slot[nr - 1].id != dec->slot[i].id)
			dec->slot[nr++] = dec->slot[i];
	dec->nr_slots = nr;
	dec->max_id = nr ? dec->slot[nr - 1].id : -1;
	dec->by_id = xcalloc((size_t)dec->max_id + 2, sizeof(*dec->by_id));
	for (size_t i = 0; i < nr; i++)
		dec->by_id[dec->slot[i].id] = &dec->slot[i];
}

struct decode *decode_new(const struct decode_input *in, struct err *err)
{
	struct decode *dec;

	if (in->long_size != 4 && in->long_size != 8) {
		err_set(err, EINVAL, "a recorded kernel's long has %u bytes, not 4 or 8",
			in->long_size);
		return NULL;
	}
	dec = xzalloc(sizeof(*dec));
	dec->in = *in;
	dec->swap = in->big_endian != HOST_BIG_ENDIAN;
	pthread_mutex_init(&dec->lock, NULL);
	pthread_mutex_init(&dec->fallback_lock, NULL);
	pthread_mutex_init(&dec->late_lock, NULL);
	index_formats(dec);
	find_common(dec);
	comms_parse(&dec->comms, in->cmdlines);
	return dec;
}

static void full_free(struct event_full *full)
{
	struct arena arena;

	if (!full)
		return;
	arena = full->arena;
	arena_fini(&arena);
	free(full);
}

static void late_free(struct decode *dec)
{
	while (dec->late) {
		struct late_format *late = dec->late;

		dec->late = late->next;
		full_free(atomic_load(&late->slot.full));
		free(late);
	}
	pthread_mutex_destroy(&dec->late_lock);
}

void decode_free(struct decode *dec)
{
	struct symbols *symbols;
	struct printks *printks;

	if (!dec)
		return;
	for (size_t i = 0; i < dec->nr_slots; i++)
		full_free(atomic_load(&dec->slot[i].full));
	late_free(dec);
	symbols = atomic_load(&dec->symbols);
	if (symbols)
		symbols_fini(symbols);
	free(symbols);
	free(dec->kallsyms);
	comms_fini(&dec->comms);
	printks = atomic_load(&dec->printks);
	if (printks)
		printks_fini(printks);
	free(printks);
	fallback_free(dec->fallback);
	pthread_mutex_destroy(&dec->lock);
	pthread_mutex_destroy(&dec->fallback_lock);
	free(dec->slot);
	free(dec->by_id);
	free(dec);
}

static struct event_full *full_new(struct decode *dec, const struct slot *slot)
{
	struct event_full *full = xzalloc(sizeof(*full));

	if (!format_parse(slot->format->text, dec->in.long_size, &full->arena, &full->format)) {
		full_free(full);
		return NULL;
	}
	full->event = (struct event){
		.id = slot->id,
		.system = slot->format->system ? slot->format->system : "",
		.name = full->format.name,
		.field = full->format.field,
		.nr_fields = full->format.nr_fields,
		.min_size = full->format.min_size,
		.plan = &full->plan,
	};
	plan_build(dec, full);
	return full;
}

static struct event_full *slot_fill(struct decode *dec, struct slot *slot)
{
	struct event_full *full;

	pthread_mutex_lock(&dec->lock);
	full = atomic_load_explicit(&slot->full, memory_order_acquire);
	if (!full && !atomic_load(&slot->broken)) {
		full = full_new(dec, slot);
		atomic_store_explicit(&slot->full, full, memory_order_release);
		atomic_store(&slot->broken, full == NULL);
	}
	pthread_mutex_unlock(&dec->lock);
	return full;
}

static const struct event *slot_event(struct decode *dec, struct slot *slot)
{
	struct event_full *full = atomic_load_explicit(&slot->full, memory_order_acquire);

	if (!full && !atomic_load_explicit(&slot->broken, memory_order_relaxed))
		full = slot_fill(dec, slot);
	return full ? &full->event : NULL;
}

/* Asks once for each id. */
static const struct event *late_event(struct decode *dec, int id)
{
	struct late_format *late;

	pthread_mutex_lock(&dec->late_lock);
	for (late = dec->late; late && late->slot.id != id;)
		late = late->next;
	if (!late) {
		late = xzalloc(sizeof(*late));
		late->slot.id = id;
		if (dec->in.load_format(dec->in.ctx, id, &late->format))
			late->slot.format = &late->format;
		late->next = dec->late;
		dec->late = late;
	}
	pthread_mutex_unlock(&dec->late_lock);
	return late->slot.format ? slot_event(dec, &late->slot) : NULL;
}

const struct event *decode_event(struct decode *dec, int id)
{
	if (id < 0 || id > ID_MOST)
		return NULL;
	if (id > dec->max_id || !dec->by_id[id])
		return dec->in.load_format ? late_event(dec, id) : NULL;
	return slot_event(dec, dec->by_id[id]);
}

void decode_visit_names(struct decode *dec,
			void (*visit)(void *ctx, const char *system, const char *name), void *ctx)
{
	for (size_t i = 0; i < dec->nr_slots; i++) {
		const struct decode_format *format = dec->slot[i].format;
		struct decode_text text = format_name(format->text);
		cleanup_free char *name = xstrndup(text.text, text.len);

		visit(ctx, format->system ? format->system : "", name);
	}
}

size_t decode_find(struct decode *dec, const char *system, const char *name,
		   const struct event **out, size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < dec->nr_slots; i++) {
		const struct decode_format *format = dec->slot[i].format;
		struct decode_text text = format_name(format->text);
		cleanup_free char *own = xstrndup(text.text, text.len);
		const struct event *event;

		if (!glob_matches(system, format->system ? format->system : "") ||
		    !glob_matches(name, own))
			continue;
		event = slot_event(dec, &dec->slot[i]);
		if (!event)
			continue;
		if (nr < max)
			out[nr] = event;
		nr++;
	}
	return nr;
}

const struct decode_field *event_field(const struct event *event, const char *name)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		if (!strcmp(event->field[i].name, name))
			return &event->field[i];
	return NULL;
}

static int64_t common_number(const struct decode *dec, const struct raw_event *raw, int which,
			     int64_t missing)
{
	const struct common_field *common = &dec->common[which];

	return common->size ? (int64_t)load_number(common->load, raw->data + common->offset)
			    : missing;
}

bool decode_common(const struct decode *dec, const struct raw_event *raw, struct decode_common *out)
{
	if (raw->size < dec->common_end)
		return false;
	out->id = (int)common_number(dec, raw, COMMON_TYPE, -1);
	out->pid = (int)common_number(dec, raw, COMMON_PID, 0);
	out->flags = (uint8_t)common_number(dec, raw, COMMON_FLAGS, 0);
	out->preempt = (uint8_t)common_number(dec, raw, COMMON_PREEMPT, 0);
	out->migrate_disable = (int16_t)common_number(dec, raw, COMMON_MIGRATE, -1);
	out->lock_depth = (int16_t)common_number(dec, raw, COMMON_LOCK, INT16_MIN);
	return true;
}

bool decode_has_plain_common(const struct decode *dec)
{
	for (size_t i = COMMON_TYPE; i <= COMMON_PID; i++)
		if (dec->common[i].offset != common_default[i].offset ||
		    dec->common[i].size != common_default[i].size)
			return false;
	return true;
}

int64_t field_number(const struct decode *dec, const struct decode_field *field,
		     const struct raw_event *raw)
{
	uint8_t load = load_for(field->size, field->is_signed, dec->in.big_endian);

	if (load == LOAD_NONE || field->offset + field->size > raw->size)
		return 0;
	return (int64_t)load_number(load, raw->data + field->offset);
}

const uint8_t *field_bytes(const struct decode *dec, const struct decode_field *field,
			   const struct raw_event *raw, size_t *len)
{
	struct eval ev = {.data = raw->data, .size = raw->size, .swap = dec->swap};
	struct memory memory;

	*len = 0;
	if (!field_memory(&ev, field, &memory))
		return NULL;
	*len = field->is_string ? strnlen((const char *)memory.at, memory.len) : memory.len;
	return memory.at;
}

const uint8_t *field_text(const struct decode *dec, const struct decode_field *field,
			  const struct raw_event *raw, uint32_t index, size_t *len)
{
	struct decode_field one = field_of_texts(field, index);

	return field_bytes(dec, &one, raw, len);
}

static struct decode_buffer load_kallsyms(struct decode *dec)
{
	struct decode_text text = dec->in.kallsyms;

	if (dec->in.load_kallsyms)
		return dec->in.load_kallsyms(dec->in.ctx);
	if (text.len)
		dec->kallsyms = xstrndup(text.text, text.len);
	return (struct decode_buffer){dec->kallsyms, text.len};
}

const struct symbols *decode_symbols(struct decode *dec)
{
	struct symbols *symbols = atomic_load_explicit(&dec->symbols, memory_order_acquire);
	struct decode_buffer kallsyms;

	if (symbols)
		return symbols;
	pthread_mutex_lock(&dec->lock);
	symbols = atomic_load(&dec->symbols);
	if (!symbols) {
		symbols = xzalloc(sizeof(*symbols));
		kallsyms = load_kallsyms(dec);
		symbols_parse(symbols, kallsyms.text, kallsyms.len);
		atomic_store_explicit(&dec->symbols, symbols, memory_order_release);
	}
	pthread_mutex_unlock(&dec->lock);
	return symbols;
}

void decode_visit_events(struct decode *dec, const char *word,
			 void (*visit)(void *ctx, const struct event *event), void *ctx)
{
	for (size_t i = 0; i < dec->nr_slots; i++) {
		struct decode_text text = dec->slot[i].format->text;
		const struct event *event;

		/* Searching the text first spares the parsing of some thousand formats that do not matter. */
		if (!memmem(text.text, text.len, word, strlen(word)))
			continue;
		event = decode_event(dec, dec->slot[i].id);
		if (event)
			visit(ctx, event);
	}
}

void decode_visit_symbols(struct decode *dec,
			  void (*visit)(void *ctx, const struct decode_function *function),
			  void *ctx)
{
	const struct symbols *symbols = decode_symbols(dec);
	uint64_t end = 0;
	size_t next = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		const struct symbol *symbol = &symbols->symbol[i];

		while (next < symbols->nr && symbols->symbol[next].addr == symbol->addr)
			next++;
		end = next < symbols->nr ? symbols->symbol[next].addr : symbol->addr + 1;
		visit(ctx, &(struct decode_function){symbols->text + symbol->name, symbol->addr,
						     end, symbol->is_text != 0});
	}
}

const char *decode_comm(const struct decode *dec, int pid)
{
	return pid ? comms_find(&dec->comms, pid) : "<idle>";
}

static const struct printks *get_printks(struct decode *dec)
{
	struct printks *printks = atomic_load_explicit(&dec->printks, memory_order_acquire);

	if (printks)
		return printks;
	pthread_mutex_lock(&dec->lock);
	printks = atomic_load(&dec->printks);
	if (!printks) {
		printks = xzalloc(sizeof(*printks));
		printks_parse(printks, dec->in.printk);
		atomic_store_explicit(&dec->printks, printks, memory_order_release);
	}
	pthread_mutex_unlock(&dec->lock);
	return printks;
}

const char *decode_printk(struct decode *dec, uint64_t addr)
{
	return printks_find(get_printks(dec), addr);
}

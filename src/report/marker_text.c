/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of markers, from trace_marker and trace_printk(). */
#include "report/marker_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define EVENT_IDS 65536

enum carrier { CARRIER_UNKNOWN, CARRIER_NONE, CARRIER_PRINT, CARRIER_BPUTS, CARRIER_BPRINT };

struct marker_source {
	struct decode *dec;
	struct decode_thread *thread;
	uint8_t *carrier; /* by event id */
};

struct marker_reader {
	struct marker_source *source;
	size_t nr;
	struct outbuf text;
};

static const struct {
	char letter;
	enum marker_kind kind;
	bool has_value;
} letters[] = {
	{'B', MARKER_BEGIN, false},    {'E', MARKER_END, false},    {'S', MARKER_ASYNC_BEGIN, true},
	{'F', MARKER_ASYNC_END, true}, {'C', MARKER_COUNTER, true}, {'I', MARKER_INSTANT, false},
};

/* The number up to the next '|', which *at moves behind. */
static bool parse_pid(const char **at, const char *end, int *pid)
{
	uint64_t n = 0;

	while (*at < end && **at >= '0' && **at <= '9' && n <= INT32_MAX)
		n = n * 10 + (uint64_t)(*(*at)++ - '0');
	if (n > INT32_MAX || (*at < end && *(*at)++ != '|'))
		return false;
	*pid = (int)n;
	return true;
}

void marker_parse(const char *text, size_t len, struct marker *out)
{
	const char *end = text + len;
	const char *at = text + 2;
	const char *bar;
	size_t i = 0;

	*out = (struct marker){.kind = MARKER_TEXT, .name = text, .name_len = len, .value = ""};
	while (i < array_size(letters) && (!len || letters[i].letter != *text))
		i++;
	if (i == array_size(letters) || (len > 1 && text[1] != '|'))
		return;
	if (letters[i].kind == MARKER_END && len <= 2) {
		out->kind = MARKER_END;
		out->name_len = 0;
		return;
	}
	if (len <= 2 || !parse_pid(&at, end, &out->pid) ||
	    (at == end && letters[i].kind != MARKER_END)) {
		out->pid = 0;
		return;
	}
	out->kind = letters[i].kind;
	out->name = at;
	out->name_len = (size_t)(end - at);
	if (!letters[i].has_value)
		return;
	/* A name may hold bars; a number does not. */
	bar = memrchr(at, '|', (size_t)(end - at));
	if (!bar)
		return;
	out->name_len = (size_t)(bar - at);
	out->value = bar + 1;
	out->value_len = (size_t)(end - bar - 1);
}

struct marker_reader *marker_reader_new(const struct sink_source *source, size_t nr_sources)
{
	struct marker_reader *reader = xzalloc(sizeof(*reader));

	reader->nr = nr_sources;
	reader->source = xcalloc(nr_sources, sizeof(*reader->source));
	for (size_t i = 0; i < nr_sources; i++) {
		reader->source[i].dec = source[i].dec;
		reader->source[i].thread = decode_thread_new(source[i].dec);
		reader->source[i].carrier = xcalloc(EVENT_IDS, 1);
	}
	return reader;
}

void marker_reader_free(struct marker_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->nr; i++) {
		decode_thread_free(reader->source[i].thread);
		free(reader->source[i].carrier);
	}
	free(reader->source);
	outbuf_fini(&reader->text);
	free(reader);
}

static enum carrier find_carrier(const struct event *event)
{
	if (strcmp(event->system, "ftrace") != 0)
		return CARRIER_NONE;
	if (!strcmp(event->name, "print"))
		return CARRIER_PRINT;
	if (!strcmp(event->name, "bputs"))
		return CARRIER_BPUTS;
	return !strcmp(event->name, "bprint") ? CARRIER_BPRINT : CARRIER_NONE;
}

/* The printed line begins with the function that called trace_printk(). */
static bool print_text(struct marker_reader *reader, const struct marker_source *source,
		       const struct sink_event *event, const char **text, size_t *len)
{
	const char *colon;

	reader->text.len = 0;
	event_print(source->thread, event->event, event->raw, &reader->text);
	*text = reader->text.buf;
	*len = reader->text.len;
	colon = memmem(*text, *len, ": ", 2);
	if (colon) {
		*len -= (size_t)(colon + 2 - *text);
		*text = colon + 2;
	}
	return *len > 0;
}

static bool get_text(struct marker_reader *reader, enum carrier carrier,
		     const struct sink_event *event, const char **text, size_t *len)
{
	const struct marker_source *source = &reader->source[event->source];
	const struct decode_field *field;

	if (carrier == CARRIER_BPRINT)
		return print_text(reader, source, event, text, len);
	field = event_field(event->event, carrier == CARRIER_PRINT ? "buf" : "str");
	if (!field)
		return false;
	if (carrier == CARRIER_PRINT) {
		*text = (const char *)field_bytes(source->dec, field, event->raw, len);
		return *text != NULL;
	}
	*text = decode_printk(source->dec, (uint64_t)field_number(source->dec, field, event->raw));
	*len = *text ? strlen(*text) : 0;
	return *text != NULL;
}

bool marker_read(struct marker_reader *reader, const struct sink_event *event, const char **text,
		 size_t *len)
{
	uint8_t *carrier;

	if (!event->event)
		return false;
	carrier = &reader->source[event->source].carrier[(uint16_t)event->event->id];
	if (*carrier == CARRIER_UNKNOWN)
		*carrier = (uint8_t)find_carrier(event->event);
	if (*carrier == CARRIER_NONE || !get_text(reader, *carrier, event, text, len))
		return false;
	*len = strnlen(*text, *len);
	while (*len && (*text)[*len - 1] == '\n')
		--*len;
	return true;
}

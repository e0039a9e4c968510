/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a user event, and their values as bytes. */
#include "cmd/marker_fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define ARRAY_MOST 2048

static const struct {
	const char *name;
	size_t size;
	bool is_signed;
} types[] = {
	{"u8", 1, false},
	{"u16", 2, false},
	{"u32", 4, false},
	{"u64", 8, false},
	{"s8", 1, true},
	{"s16", 2, true},
	{"s32", 4, true},
	{"s64", 8, true},
	{"int", 4, true},
	{"unsigned int", 4, false},
	{"short", 2, true},
	{"unsigned short", 2, false},
	{"unsigned char", 1, false},
	{"string", 0, false},
	{"char", 1, true},
};

void marker_fields_fini(struct marker_fields *fields)
{
	for (size_t i = 0; i < fields->nr; i++)
		free(fields->item[i].name);
	free(fields->item);
	*fields = (struct marker_fields){0};
}

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* Takes "[N]" off the end of a name or a type. 0 without one. */
static int take_brackets(char *text, size_t *size, struct err *err)
{
	char *open = strchr(text, '[');
	uint64_t n;

	*size = 0;
	if (!open)
		return 0;
	if (!str_ends(open, "]"))
		return err_set(err, EINVAL, "'%s' lacks its ']'", text);
	open[strlen(open) - 1] = '\0';
	if (!parse_u64(open + 1, &n) || !n || n > ARRAY_MOST)
		return err_set(err, EINVAL, "'%s]' is no size: a number from 1 to %d", text,
			       ARRAY_MOST);
	*open = '\0';
	*size = (size_t)n;
	return 0;
}

static int set_type(struct marker_field *field, const char *type, size_t array, struct err *err)
{
	for (size_t i = 0; i < array_size(types); i++) {
		if (strcmp(types[i].name, type))
			continue;
		field->type = types[i].name;
		field->size = array ? array : types[i].size;
		field->is_signed = types[i].is_signed;
		field->is_text = array || !types[i].size;
		if (!array || !strcmp(type, "char"))
			return 0;
		return err_set(err, EINVAL, "only char can be an array, not %s", type);
	}
	return err_set(err, EINVAL,
		       "no type '%s': there are u8, u16, u32, u64, s8, s16, s32, s64, int, "
		       "unsigned int, short, unsigned short, char[N] and string",
		       type);
}

static int parse_field(char *text, struct marker_field *out, struct err *err)
{
	char *whole = str_trim(text);
	char *name = strrchr(whole, ' ');
	size_t before = 0;
	size_t after = 0;
	int r;

	if (!name)
		return err_set(err, EINVAL, "a field is TYPE NAME, not '%s'", whole);
	*name++ = '\0';
	whole = str_trim(whole);
	r = take_brackets(name, &after, err);
	if (r == 0)
		r = take_brackets(whole, &before, err);
	if (r == 0 && !is_name(name))
		r = err_set(err, EINVAL, "'%s' cannot be the name of a field", name);
	if (r == 0)
		r = set_type(out, whole, after ? after : before, err);
	if (r == 0)
		out->name = xstrdup(name);
	return r;
}

int marker_fields_parse(const char *text, struct marker_fields *out, struct err *err)
{
	cleanup(strv_fini) struct strv parts = {0};

	*out = (struct marker_fields){0};
	strv_split(&parts, text, ";");
	for (size_t i = 0; i < parts.nr; i++) {
		struct marker_field field = {0};
		int r;

		if (!parts.item[i][strspn(parts.item[i], " \t")])
			continue;
		r = parse_field(parts.item[i], &field, err);
		if (r < 0)
			return r;
		out->item = xrealloc(out->item, (out->nr + 1) * sizeof(*out->item));
		out->item[out->nr++] = field;
	}
	return out->nr ? 0 : err_set(err, EINVAL, "an event needs fields: 'u32 id; char what[16]'");
}

char *marker_fields_text(const char *name, const struct marker_fields *fields)
{
	struct strbuf sb = {0};

	strbuf_addf(&sb, "%s ", name);
	for (size_t i = 0; i < fields->nr; i++) {
		const struct marker_field *f = &fields->item[i];

		strbuf_add(&sb, i ? ";" : "");
		if (f->is_text && f->size)
			strbuf_addf(&sb, "char[%zu] %s", f->size, f->name);
		else if (f->is_text)
			strbuf_addf(&sb, "__rel_loc char[] %s", f->name);
		else
			strbuf_addf(&sb, "%s %s", f->type, f->name);
	}
	return strbuf_take(&sb);
}

static int say_range(const struct marker_field *f, const char *value, struct err *err)
{
	return err_set(err, ERANGE, "field %s is of type %s, which does not hold '%s'", f->name,
		       f->type, value);
}

/* The machine's own byte order: the low bytes first on the machines that Linux traces on, or the
 * high ones. */
static int pack_number(const struct marker_field *f, const char *value, struct strbuf *out,
		       struct err *err)
{
	int bits = (int)f->size * 8;
	uint64_t u = 0;
	long s = 0;
	const char *bytes;

	if (f->is_signed ? !parse_long(value, &s) : !parse_u64(value, &u))
		return say_range(f, value, err);
	if (f->is_signed && bits < 64 && (s < -(1L << (bits - 1)) || s >= 1L << (bits - 1)))
		return say_range(f, value, err);
	if (!f->is_signed && bits < 64 && u >> bits)
		return say_range(f, value, err);
	if (f->is_signed)
		u = (uint64_t)s;
	bytes = (const char *)&u;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes += sizeof(u) - f->size;
#endif
	strbuf_add_mem(out, bytes, f->size);
	return 0;
}

static int pack_array(const struct marker_field *f, const char *value, struct strbuf *out,
		      struct err *err)
{
	size_t len = strlen(value);

	if (len >= f->size)
		return err_set(err, ERANGE, "field %s holds %zu bytes, and '%.40s' has %zu",
			       f->name, f->size - 1, value, len);
	strbuf_add_mem(out, value, len);
	for (; len < f->size; len++)
		strbuf_add_mem(out, "", 1);
	return 0;
}

/* Strings of any length follow all fields. Each has its place in its field: the length above, and
 * below how far it is from the field's end. */
static int pack_string(const struct marker_field *f, const char *value, size_t fixed_left,
		       struct strbuf *out, struct strbuf *tail, struct err *err)
{
	size_t len = strlen(value) + 1;
	uint32_t place;

	if (len + fixed_left + tail->len > UINT16_MAX)
		return err_set(err, ERANGE, "field %s is too long: %zu bytes", f->name, len);
	place = (uint32_t)len << 16 | (uint32_t)(fixed_left + tail->len);
	strbuf_add_mem(out, &place, sizeof(place));
	strbuf_add_mem(tail, value, len);
	return 0;
}

static size_t fixed_size(const struct marker_field *f)
{
	return f->size ? f->size : sizeof(uint32_t);
}

int marker_fields_pack(const struct marker_fields *fields, const struct strv *values, size_t first,
		       struct strbuf *out, struct err *err)
{
	cleanup(strbuf_fini) struct strbuf tail = {0};
	size_t left = 0;
	int r = 0;

	if (values->nr - first != fields->nr)
		return err_set(err, EINVAL, "the event has %zu fields, and there are %zu values",
			       fields->nr, values->nr - first);
	for (size_t i = 0; i < fields->nr; i++)
		left += fixed_size(&fields->item[i]);
	for (size_t i = 0; r == 0 && i < fields->nr; i++) {
		const struct marker_field *f = &fields->item[i];
		const char *value = values->item[first + i];

		left -= fixed_size(f);
		if (!f->is_text)
			r = pack_number(f, value, out, err);
		else if (f->size)
			r = pack_array(f, value, out, err);
		else
			r = pack_string(f, value, left, out, &tail, err);
	}
	if (tail.len)
		strbuf_add_mem(out, tail.text, tail.len);
	return r;
}

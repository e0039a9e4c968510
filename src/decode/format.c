/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of an event's format file. */
#include "decode/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "decode/ctype.h"

/* No kernel event comes near; a file that says more is not read further. */
#define FIELDS_MOST 1024

/* The value of "key" up to the end of its line; len 0 when the line is missing. */
static struct decode_text line_value(struct decode_text text, const char *key)
{
	size_t key_len = strlen(key);
	const char *end = text.text + text.len;
	const char *at = text.text;

	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		const char *stop = eol ? eol : end;

		if ((size_t)(stop - at) >= key_len && !memcmp(at, key, key_len)) {
			at += key_len;
			while (at < stop && (*at == ' ' || *at == '\t'))
				at++;
			return (struct decode_text){at, (size_t)(stop - at)};
		}
		if (!eol)
			break;
		at = eol + 1;
	}
	return (struct decode_text){"", 0};
}

static bool read_number(const char *at, const char *end, uint64_t *out)
{
	uint64_t value = 0;
	const char *start = at;

	while (at < end && isdigit((unsigned char)*at) && at - start < 18)
		value = value * 10 + (uint64_t)(*at++ - '0');
	*out = value;
	return at > start;
}

int format_id(struct decode_text text)
{
	struct decode_text id = line_value(text, "ID:");
	uint64_t value;

	if (!read_number(id.text, id.text + id.len, &value) || value > 0x7fffffff)
		return -1;
	return (int)value;
}

struct decode_text format_name(struct decode_text text)
{
	struct decode_text name = line_value(text, "name:");

	while (name.len && isspace((unsigned char)name.text[name.len - 1]))
		name.len--;
	return name;
}

/* The number after "key:" in a field line. */
static bool field_value(const char *line, const char *end, const char *key, uint64_t *out)
{
	const char *at = memmem(line, (size_t)(end - line), key, strlen(key));

	if (!at)
		return false;
	return read_number(at + strlen(key), end, out);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

struct declaration {
	const char *type;
	size_t type_len;
	const char *name;
	size_t name_len;
	const char *dims; /* "[16]" behind the name, or NULL */
	size_t dims_len;
};

/* Splits "char comm[16]", "__data_loc char[] name", "void (*fn)(void)". */
static bool split_declaration(const char *at, const char *end, struct declaration *out)
{
	const char *fn = memmem(at, (size_t)(end - at), "(*", 2);
	const char *name_end = end;
	const char *name;

	while (name_end > at && isspace((unsigned char)name_end[-1]))
		name_end--;
	*out = (struct declaration){0};
	if (fn) {
		name = fn + 2;
		name_end = name;
		while (name_end < end && is_name_char(*name_end))
			name_end++;
		*out = (struct declaration){
			at, (size_t)(fn + 2 - at), name, (size_t)(name_end - name), NULL, 0};
		return name_end > name;
	}
	if (name_end > at && name_end[-1] == ']') {
		const char *open = memchr(at, '[', (size_t)(name_end - at));

		out->dims = open;
		out->dims_len = (size_t)(name_end - open);
		name_end = open;
		while (name_end > at && isspace((unsigned char)name_end[-1]))
			name_end--;
	}
	name = name_end;
	while (name > at && is_name_char(name[-1]))
		name--;
	out->name = name;
	out->name_len = (size_t)(name_end - name);
	while (name > at && isspace((unsigned char)name[-1]))
		name--;
	out->type = at;
	out->type_len = (size_t)(name - at);
	return out->name_len && out->type_len;
}

static bool starts_with(const char *text, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	return len >= word_len && !memcmp(text, word, word_len);
}

/* One element's size: by the number of elements when that is plain, else by the type's name, which
 * is all that a dynamic array has. */
static uint32_t element_size(const struct declaration *decl, const struct decode_field *field,
			     unsigned int long_size, bool *is_signed)
{
	const char *type = decl->type;
	size_t len = decl->type_len;
	const char *bracket;
	struct ctype ctype = {0};
	uint64_t count = 0;

	if (field->is_dynamic || field->is_relative) {
		size_t skip = strcspn(type, " ");

		type += skip < len ? skip : len;
		len -= skip < len ? skip : len;
	}
	bracket = memchr(type, '[', len);
	if (bracket)
		len = (size_t)(bracket - type);
	if (!ctype_parse(type, len, long_size, &ctype))
		ctype.size = 0;
	*is_signed = ctype.is_signed;
	if (!field->is_dynamic && !field->is_relative && decl->dims &&
	    read_number(decl->dims + 1, decl->dims + decl->dims_len, &count) && count &&
	    decl->dims[1 + strspn(decl->dims + 1, "0123456789")] == ']' &&
	    field->size % count == 0 && field->size / count <= 8)
		return field->size / (uint32_t)count;
	if (ctype.size && (field->is_dynamic || field->is_relative || !field->size ||
			   field->size % ctype.size == 0))
		return ctype.size;
	return 1;
}

static bool is_char_type(const struct declaration *decl)
{
	return memmem(decl->type, decl->type_len, "char", 4) &&
	       !memmem(decl->type, decl->type_len, "unsigned", 8) &&
	       !memchr(decl->type, '*', decl->type_len);
}

/* "__data_loc char[][2]": what a probe's array of texts is declared as. */
static uint32_t count_texts(const struct declaration *decl, const struct decode_field *field)
{
	const char *rows = memmem(decl->type, decl->type_len, "[][", 3);
	uint64_t count;

	if (!rows || !field->is_string ||
	    !read_number(rows + 3, decl->type + decl->type_len, &count))
		return 0;
	/* The kernel stops at 64. */
	return field->size % 4 == 0 && count == field->size / 4 && count <= 1024 ? (uint32_t)count
										 : 0;
}

static void set_kind(struct decode_field *field, const struct declaration *decl,
		     unsigned int long_size)
{
	bool elem_signed = field->is_signed;
	bool brackets = decl->dims || memchr(decl->type, '[', decl->type_len);

	field->is_dynamic = starts_with(decl->type, decl->type_len, "__data_loc");
	field->is_relative = starts_with(decl->type, decl->type_len, "__rel_loc");
	/* __data_loc without brackets is met too: it can only be an array. */
	field->is_array = brackets || field->is_dynamic || field->is_relative;
	field->elem_size = field->size;
	if (field->is_array) {
		field->elem_size = element_size(decl, field, long_size, &elem_signed);
		field->is_string = is_char_type(decl);
		/* The word of a dynamic array is never signed; its elements may be. */
		if (field->is_dynamic || field->is_relative) {
			field->is_signed = elem_signed;
			field->nr_texts = count_texts(decl, field);
		}
	}
	field->is_pointer = !field->is_array && memchr(decl->type, '*', decl->type_len) != NULL;
	field->is_common = starts_with(field->name, strlen(field->name), "common_");
}

static bool parse_field(const char *line, const char *end, unsigned int long_size,
			struct arena *arena, struct decode_field *field)
{
	const char *semi = memchr(line, ';', (size_t)(end - line));
	struct declaration decl;
	struct ctype ctype;
	uint64_t offset;
	uint64_t size;
	uint64_t is_signed;
	char *type;

	if (!semi || !split_declaration(line, semi, &decl))
		return false;
	if (!field_value(semi, end, "offset:", &offset) || !field_value(semi, end, "size:", &size))
		return false;
	if (offset > 0xffff || size > 0xffff)
		return false;
	/* Kernels before 2.6.33 do not say it. */
	if (!field_value(semi, end, "signed:", &is_signed))
		is_signed = ctype_parse(decl.type, decl.type_len, long_size, &ctype) &&
			    ctype.is_signed;
	*field = (struct decode_field){
		.name = arena_text(arena, decl.name, decl.name_len),
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.is_signed = is_signed != 0,
	};
	type = arena_alloc(arena, decl.type_len + decl.dims_len + 1);
	memcpy(type, decl.type, decl.type_len);
	if (decl.dims)
		memcpy(type + decl.type_len, decl.dims, decl.dims_len);
	field->type = type;
	set_kind(field, &decl, long_size);
	return true;
}

/* Visits the field lines; with @out NULL it only counts. */
static bool each_field(struct decode_text text, unsigned int long_size, struct arena *arena,
		       struct format *out, size_t *count)
{
	const char *end = text.text + text.len;
	const char *at = text.text;

	*count = 0;
	while (at < end && *count < FIELDS_MOST) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		const char *stop = eol ? eol : end;

		while (at < stop && (*at == ' ' || *at == '\t'))
			at++;
		if (starts_with(at, (size_t)(stop - at), "print fmt:"))
			break;
		if (starts_with(at, (size_t)(stop - at), "field:") ||
		    starts_with(at, (size_t)(stop - at), "field special:")) {
			const char *colon = memchr(at, ':', (size_t)(stop - at));

			if (out &&
			    !parse_field(colon + 1, stop, long_size, arena, &out->field[*count]))
				return false;
			(*count)++;
		}
		if (!eol)
			break;
		at = eol + 1;
	}
	return true;
}

bool format_parse(struct decode_text text, unsigned int long_size, struct arena *arena,
		  struct format *out)
{
	struct decode_text name = format_name(text);
	const char *print;
	size_t count;

	*out = (struct format){.id = format_id(text)};
	if (!name.len)
		return false;
	out->name = arena_text(arena, name.text, name.len);
	each_field(text, long_size, arena, NULL, &count);
	out->field = arena_alloc(arena, (count + 1) * sizeof(*out->field));
	if (!each_field(text, long_size, arena, out, &out->nr_fields))
		return false;
	for (size_t i = 0; i < out->nr_fields; i++) {
		uint32_t end = out->field[i].offset + out->field[i].size;

		if (end > out->min_size)
			out->min_size = end;
	}
	print = memmem(text.text, text.len, "print fmt:", 10);
	if (!print)
		return true;
	print += 10;
	while (print < text.text + text.len && *print == ' ')
		print++;
	out->print = (struct decode_text){print, (size_t)(text.text + text.len - print)};
	while (out->print.len && isspace((unsigned char)print[out->print.len - 1]))
		out->print.len--;
	return true;
}

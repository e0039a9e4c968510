/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ft list events: names, and with -v the fields and the print format of each. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "util/json.h"
#include "util/mem.h"

/* One line of a format file: "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;". */
struct field {
	char *type; /* with the array bounds: "char[16]" */
	char *name;
	long offset;
	long size;
	long is_signed;
};

static void field_fini(struct field *f)
{
	free(f->type);
	free(f->name);
}

static bool take_number(const char *line, const char *key, long *out)
{
	const char *at = strstr(line, key);
	cleanup_free char *digits = NULL;

	if (!at)
		return false;
	at += strlen(key);
	digits = xstrndup(at, strcspn(at, ";"));
	return parse_long(digits, out);
}

/* The name is the last word before the bounds: "unsigned long args[6]", "__data_loc char[] name",
 * "void (*fn)(int)" keeps its parentheses in the type. */
static bool split_declaration(const char *text, size_t len, struct field *f)
{
	size_t end = len;
	size_t start;

	while (end && text[end - 1] == ']')
		while (end && text[--end] != '[')
			;
	start = end;
	while (start && (isalnum((unsigned char)text[start - 1]) || text[start - 1] == '_'))
		start--;
	if (start == end || start == 0)
		return false;
	f->name = xstrndup(text + start, end - start);
	while (start && text[start - 1] == ' ')
		start--;
	f->type = xasprintf("%.*s%.*s", (int)start, text, (int)(len - end), text + end);
	return true;
}

static bool parse_field(const char *line, struct field *f)
{
	const char *text = strstr(line, "field:");
	const char *end = text ? strchr(text, ';') : NULL;

	if (!end)
		return false;
	text += strlen("field:");
	return take_number(end, "offset:", &f->offset) && take_number(end, "size:", &f->size) &&
	       take_number(end, "signed:", &f->is_signed) &&
	       split_declaration(text, (size_t)(end - text), f);
}

/* What is gathered from one format file. */
struct description {
	struct strbuf text;
	struct strbuf fields; /* JSON objects */
	char *id;
	char *print; /* points into the file's text */
};

static void description_fini(struct description *d)
{
	strbuf_fini(&d->text);
	strbuf_fini(&d->fields);
}

static void add_field(struct description *d, const struct field *f)
{
	cleanup_free char *offset = xasprintf("%ld", f->offset);
	cleanup_free char *size = xasprintf("%ld", f->size);

	strbuf_addf(&d->text, "  %-28s %-30s offset %3ld  size %3ld  %s\n", f->name, f->type,
		    f->offset, f->size, f->is_signed ? "signed" : "unsigned");
	strbuf_add(&d->fields, d->fields.len ? ",{" : "{");
	json_add_member(&d->fields, "name", f->name);
	json_add_member(&d->fields, "type", f->type);
	json_add_raw(&d->fields, "offset", offset);
	json_add_raw(&d->fields, "size", size);
	json_add_raw(&d->fields, "signed", f->is_signed ? "true" : "false");
	strbuf_add(&d->fields, "}");
}

static void parse_format(char *text, struct description *d)
{
	char *line;

	while ((line = str_next_line(&text))) {
		cleanup(field_fini) struct field f = {0};

		if (str_starts(line, "ID: "))
			d->id = line + strlen("ID: ");
		else if (str_starts(line, "print fmt: "))
			d->print = line + strlen("print fmt: ");
		else if (parse_field(line, &f))
			add_field(d, &f);
	}
}

static void describe_event(const struct tfs *tfs, struct item *item)
{
	size_t len = strcspn(item->name, ":");
	cleanup_free char *file =
		xasprintf("events/%.*s/%s/format", (int)len, item->name, item->name + len + 1);
	cleanup_free char *text = NULL;
	cleanup_free char *list = NULL;
	cleanup(description_fini) struct description d = {0};
	struct err err = {0};
	uint64_t id;

	/* A dynamic event may go while the list is made. */
	if (tfs_read(tfs, file, &text, &err) < 0) {
		item->detail = xasprintf("  %s\n", err.text);
		return;
	}
	parse_format(text, &d);
	item->detail = xasprintf("  ID %s\n%s  print fmt: %s\n", d.id ? d.id : "?",
				 strbuf_str(&d.text), d.print ? d.print : "");
	list = xasprintf("[%s]", strbuf_str(&d.fields));
	if (d.id && parse_u64(d.id, &id))
		json_add_raw(&item->json, "id", d.id);
	json_add_raw(&item->json, "fields", list);
	json_add_member(&item->json, "print_fmt", d.print);
}

static void split_event(struct item *item)
{
	size_t len = strcspn(item->name, ":");
	cleanup_free char *system = xstrndup(item->name, len);

	json_add_member(&item->json, "system", system);
	json_add_member(&item->json, "event", item->name + len + (item->name[len] == ':'));
}

int list_events(struct list *l, struct err *err)
{
	const struct strv *words = &l->args->common.words;
	cleanup(strv_fini) struct strv names = {0};
	int r = 0;

	for (size_t i = 1; i < words->nr && r == 0; i++)
		r = tfs_match_events(l->tfs, words->item[i], &names, err);
	if (words->nr < 2)
		r = tfs_events(l->tfs, &names, err);
	if (r < 0)
		return r;
	strv_sort(&names);
	strv_uniq(&names);
	for (size_t i = 0; i < names.nr; i++) {
		struct item *item = items_add(&l->items, xstrdup(names.item[i]));

		split_event(item);
		if (l->args->verbose)
			describe_event(l->tfs, item);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs every case of tests/golden/formats: an event format, one record, and the right text. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "util/io.h"
#include "util/mem.h"

struct test_case {
	struct strbuf format;
	struct strbuf record; /* hex digits */
	struct strbuf expected;
	struct strbuf kallsyms;
	struct strbuf notes;
	uint8_t *
		data; /* exactly as long as the record, so that a sanitizer sees any read past it */
	size_t size;
};

static void case_fini(struct test_case *tc)
{
	strbuf_fini(&tc->format);
	strbuf_fini(&tc->record);
	strbuf_fini(&tc->expected);
	strbuf_fini(&tc->kallsyms);
	strbuf_fini(&tc->notes);
	free(tc->data);
}

static bool read_part(const char *dir, const char *name, struct strbuf *out)
{
	cleanup_free char *path = xasprintf("%s/%s", dir, name);

	return io_read_file(path, out, NULL) == 0;
}

static void parse_hex(struct test_case *tc)
{
	const char *at = strbuf_str(&tc->record);
	unsigned int byte;

	tc->data = xmalloc(tc->record.len / 2 + 1);
	while (*at) {
		if (*at == '\n' || *at == ' ')
			at++;
		else if (sscanf(at, "%2x", &byte) == 1)
			tc->data[tc->size++] = (uint8_t)byte, at += 2;
		else
			break;
	}
	tc->data = xrealloc(tc->data, tc->size ? tc->size : 1);
}

/* The value of a "key: value" line of the notes. */
static char *note(const struct test_case *tc, const char *key)
{
	const char *at = strstr(strbuf_str(&tc->notes), key);

	if (!at)
		return xstrdup("");
	at += strlen(key);
	return xstrndup(at, strcspn(at, "\n"));
}

/* A newline inside of a text is printed as an escape, so that one record stays on one line. */
static char *as_one_line(const char *text)
{
	struct strbuf out = {0};

	for (; *text; text++) {
		if (*text == '\n' && text[1])
			strbuf_add(&out, "\\n");
		else if (*text != '\n')
			strbuf_add_mem(&out, text, 1);
	}
	return strbuf_take(&out);
}

static char *without_prefixes(const char *text)
{
	struct strbuf out = {0};

	for (; *text; text++) {
		if (text[0] == '0' && text[1] == 'x')
			text++;
		else
			strbuf_add_mem(&out, text, 1);
	}
	return strbuf_take(&out);
}

static bool has_all(const char *text, const char *words)
{
	struct strv list = {0};
	bool all = true;

	strv_split(&list, words, "|");
	for (size_t i = 0; i < list.nr; i++)
		all = all && strstr(text, list.item[i]);
	strv_fini(&list);
	return all;
}

/* Every kind must stay on one line of bounded length; some say more. */
static bool is_right(const struct test_case *tc, const char *kind, const char *text)
{
	cleanup_free char *expected = as_one_line(strbuf_str(&tc->expected));

	if (strlen(text) > 65536 || strchr(text, '\n') || strstr(text, "FAILED TO PARSE"))
		return false;
	if (!strcmp(kind, "value"))
		return !strcmp(text, expected);
	if (!strcmp(kind, "value-p")) {
		cleanup_free char *a = without_prefixes(text);
		cleanup_free char *b = without_prefixes(expected);

		return !strcmp(a, b);
	}
	if (str_starts(kind, "contains:"))
		return has_all(text, kind + strlen("contains:"));
	/* policy: ft prints CPU masks as lists, as trace-cmd does. */
	if (!strcmp(kind, "policy"))
		return !strcmp(text, "cpus=0-1,32,34 n=2");
	return *text != '\0';
}

static char *print_case(const struct test_case *tc, bool raw_fields)
{
	cleanup_free char *endian = note(tc, "endian: ");
	cleanup_free char *size = note(tc, "long: ");
	struct decode_format format = {"test", {strbuf_str(&tc->format), tc->format.len}};
	struct decode_input in = {
		.big_endian = !strcmp(endian, "big"),
		.long_size = *size == '4' ? 4 : 8,
		.format = &format,
		.nr_formats = 1,
		.kallsyms = {strbuf_str(&tc->kallsyms), tc->kallsyms.len},
	};
	struct decode *dec = decode_new(&in, NULL);
	struct decode_thread *thread = decode_thread_new(dec);
	struct raw_event raw = {.data = tc->data, .size = (uint32_t)tc->size};
	struct outbuf out = {0};
	const struct event *event = NULL;

	decode_find(dec, "*", "*", &event, 1);
	if (event && raw_fields)
		event_print_raw(thread, event, &raw, &out);
	else if (event)
		event_print(thread, event, &raw, &out);
	outbuf_add_char(&out, '\0');
	decode_thread_free(thread);
	decode_free(dec);
	return out.buf;
}

static bool run_case(const char *top, const char *name, bool verbose)
{
	cleanup_free char *dir = xasprintf("%s/%s", top, name);
	cleanup(case_fini) struct test_case tc = {0};
	cleanup_free char *kind = NULL;
	cleanup_free char *text = NULL;
	cleanup_free char *raw = NULL;
	bool right;

	if (!read_part(dir, "format", &tc.format) || !read_part(dir, "record.hex", &tc.record) ||
	    !read_part(dir, "notes", &tc.notes)) {
		printf("not ok %s: cannot be read\n", name);
		return false;
	}
	read_part(dir, "expected", &tc.expected);
	read_part(dir, "kallsyms", &tc.kallsyms);
	parse_hex(&tc);
	kind = note(&tc, "kind: ");
	text = print_case(&tc, false);
	raw = print_case(&tc, true);
	right = is_right(&tc, kind, text) && !strchr(raw, '\n');
	printf("%s %s (%s)\n", right ? "ok" : "not ok", name, kind);
	if (!right || verbose)
		printf("#  is: %s\n# not: %s# raw:%s\n", text, strbuf_str(&tc.expected), raw);
	return right;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **list = NULL;
	bool verbose = argc > 2;
	int failed = 0;
	int nr;

	if (argc < 2)
		return 2;
	nr = scandir(argv[1], &list, is_visible, alphasort);
	for (int i = 0; i < nr; i++) {
		failed += !run_case(argv[1], list[i]->d_name, verbose);
		free(list[i]);
	}
	free(list);
	printf("1..%d\n", nr);
	return nr <= 0 || failed;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A decoder with one made-up event, for the tests of this directory. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "decode/decode.h"
#include "util/mem.h"
#include "util/str.h"

#define LAB_COMMON                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct lab {
	const char *system;
	const char *name;
	const char *fields; /* "TYPE NAME:OFFSET:SIZE:SIGNED" lines, joined by ';' */
	const char *print;
	const char *kallsyms;
	const char *printk;
	const char *cmdlines;
	bool big_endian;
	unsigned int long_size; /* 0: 8 */
	struct strbuf text;
	struct decode_format format;
	struct decode *dec;
	struct decode_thread *thread;
};

static inline void lab_add_fields(struct lab *lab)
{
	struct strv list = {0};

	strv_split(&list, lab->fields, ";");
	for (size_t i = 0; i < list.nr; i++) {
		struct strv part = {0};

		strv_split(&part, list.item[i], ":");
		strbuf_addf(&lab->text, "\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n",
			    part.item[0], part.item[1], part.item[2], part.item[3]);
		strv_fini(&part);
	}
	strv_fini(&list);
}

static inline struct decode_text lab_text(const char *text)
{
	return (struct decode_text){text, text ? strlen(text) : 0};
}

static inline void lab_open(struct lab *lab)
{
	struct decode_input in = {.nr_formats = 1};

	strbuf_addf(&lab->text, "name: %s\nID: 100\nformat:\n" LAB_COMMON,
		    lab->name ? lab->name : "lab");
	lab_add_fields(lab);
	strbuf_addf(&lab->text, "\nprint fmt: %s\n", lab->print);
	lab->format.system = lab->system ? lab->system : "test";
	lab->format.text = lab_text(strbuf_str(&lab->text));
	in.format = &lab->format;
	in.big_endian = lab->big_endian;
	in.long_size = lab->long_size ? lab->long_size : 8;
	in.kallsyms = lab_text(lab->kallsyms);
	in.printk = lab_text(lab->printk);
	in.cmdlines = lab_text(lab->cmdlines);
	lab->dec = decode_new(&in, NULL);
	lab->thread = decode_thread_new(lab->dec);
}

static inline void lab_close(struct lab *lab)
{
	decode_thread_free(lab->thread);
	decode_free(lab->dec);
	strbuf_fini(&lab->text);
}

/* The text of a record whose bytes from offset 8 on are @data; caller frees. */
static inline char *lab_print(struct lab *lab, const void *data, size_t len, bool raw_fields)
{
	cleanup_free uint8_t *record = xzalloc(8 + len);
	struct raw_event raw = {.ts = 5000000000, .data = record, .size = (uint32_t)(8 + len)};
	const struct event *event = decode_event(lab->dec, 100);
	struct outbuf out = {0};

	record[lab->big_endian ? 1 : 0] = 100;
	if (len)
		memcpy(record + 8, data, len);
	if (event && raw_fields)
		event_print_raw(lab->thread, event, &raw, &out);
	else if (event)
		event_print(lab->thread, event, &raw, &out);
	outbuf_add_char(&out, '\0');
	return out.buf;
}

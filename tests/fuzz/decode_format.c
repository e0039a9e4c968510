/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes event formats and records: no input may crash, hang or read past the record.
 *
 * An input is: one byte of flags (1: big endian, 2: 32 bits, 4: with symbols; the three above
 * choose the system), two bytes of record
 * length (little endian), the record, and the format's text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "util/io.h"
#include "util/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAG_BIG = 1, FLAG_SHORT = 2, FLAG_SYMBOLS = 4 };

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 T lab_func_a\n"
			       "ffffffff81002000 t lab_func_b\t[module]\n";
static const char printk[] = "0xffffffff82000000 : \"n %d s %s c %c p %p %pS %*d %.*s\\n\"\n";

static void print_all(struct decode *dec, struct raw_event *raw)
{
	struct decode_thread *thread = decode_thread_new(dec);
	const struct event *event = NULL;
	struct decode_common common;
	struct outbuf out = {0};

	if (decode_find(dec, "*", "*", &event, 1) && event) {
		event_print(thread, event, raw, &out);
		event_print_raw(thread, event, raw, &out);
		for (size_t i = 0; i < event->nr_fields; i++) {
			size_t len;

			field_number(dec, &event->field[i], raw);
			field_bytes(dec, &event->field[i], raw, &len);
		}
	}
	decode_common(dec, raw, &common);
	outbuf_fini(&out);
	decode_thread_free(thread);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Those whose events have printers of their own, or libtraceevent's. */
	static const char *const systems[] = {"ftrace", "sched", "kmem", "timer",
					      "kvm",	"scsi",	 "tlb",	 "syscalls"};
	struct decode_format format = {0};
	struct decode_input in = {.format = &format, .nr_formats = 1};
	cleanup_free uint8_t *record = NULL;
	struct raw_event raw = {.ts = 1000};
	struct decode *dec;

	if (size < 3)
		return 0;
	raw.size = (uint32_t)(data[1] | data[2] << 8);
	if (raw.size > size - 3)
		raw.size = (uint32_t)(size - 3);
	/* A copy of its own, so that a sanitizer sees the first byte read too far. */
	record = xmalloc(raw.size ? raw.size : 1);
	memcpy(record, data + 3, raw.size);
	raw.data = record;
	format.system = systems[data[0] >> 3 & 7];
	in.big_endian = data[0] & FLAG_BIG;
	in.long_size = data[0] & FLAG_SHORT ? 4 : 8;
	if (data[0] & FLAG_SYMBOLS)
		in.kallsyms = (struct decode_text){kallsyms, sizeof(kallsyms) - 1};
	in.printk = (struct decode_text){printk, sizeof(printk) - 1};
	format.text = (struct decode_text){(const char *)data + 3 + raw.size, size - 3 - raw.size};
	dec = decode_new(&in, NULL);
	print_all(dec, &raw);
	decode_free(dec);
	return 0;
}

#ifndef FUZZING
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct strbuf input = {0};

		if (io_read_file(argv[i], &input, NULL) < 0)
			return 1;
		LLVMFuzzerTestOneInput((const uint8_t *)strbuf_str(&input), input.len);
		strbuf_fini(&input);
	}
	return 0;
}
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small recording that no kernel made: texts for the writer, and sub-buffers with a few records. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dat/write_out.h"
#include "dat/writer.h"
#include "util/mem.h"

#define SAMPLE_PAGE 4096
#define SAMPLE_EVENT_ID 901

#define COMMON_FIELDS                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sample_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
					 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
					 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
					 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char sample_header_event[] = "# compressed entry header\n"
					  "\ttype_len    :    5 bits\n"
					  "\ttime_delta  :   27 bits\n"
					  "\tarray       :   32 bits\n";

static const char sample_function[] =
	"name: function\nID: 1\nformat:\n" COMMON_FIELDS
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";

static const char sample_tick[] = "name: tick\nID: 901\nformat:\n" COMMON_FIELDS
				  "\tfield:u64 count;\toffset:8;\tsize:8;\tsigned:0;\n"
				  "\nprint fmt: \"count=%llu\", REC->count\n";

static const unsigned int sample_cpus[] = {0, 1, 2, 3};

/* For dat_meta_fini(). */
static inline void sample_meta(struct dat_meta *meta)
{
	*meta = (struct dat_meta){
		.long_size = 8,
		.page_size = SAMPLE_PAGE,
		.cpu_count = 4,
		.trace_id = 0x1122334455667788,
		.header_page = xstrdup(sample_header_page),
		.header_event = xstrdup(sample_header_event),
		.kallsyms = xstrdup("ffffffff81000000 T lab_start\nffffffff81001000 T lab_end\n"),
		.trace_clock = xstrdup("local global [mono]\n"),
		.uname = xstrdup("Linux lab 6.1.0 x86_64"),
		.version = xstrdup("ft test"),
	};
	strv_add(&meta->ftrace_formats, sample_function);
	strv_add(&dat_meta_add_system(meta, "lab")->formats, sample_tick);
}

/* One sub-buffer of @nr records, 1000 ns apart from @ts on, that count from @count on. */
static inline void sample_page(uint8_t page[SAMPLE_PAGE], bool big_endian, uint64_t ts,
			       unsigned int nr, uint64_t count)
{
	struct dat_out out;

	dat_out_init(&out, -1, 0, big_endian);
	dat_out_u64(&out, ts);
	dat_out_u64(&out, nr * 20);
	for (unsigned int i = 0; i < nr; i++) {
		uint32_t delta = i ? 1000 : 0;

		/* 4 words of payload. */
		dat_out_u32(&out, big_endian ? 4u << 27 | delta : delta << 5 | 4);
		dat_out_u16(&out, SAMPLE_EVENT_ID);
		dat_out_u16(&out, 0);
		dat_out_u32(&out, 77);
		dat_out_u64(&out, count + i);
	}
	dat_out_zeros(&out, SAMPLE_PAGE - out.len);
	memcpy(page, out.buf, SAMPLE_PAGE);
	dat_out_fini(&out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small recording for filters: formats of every kind of field, symbols, and records made by hand. */
#pragma once

#include <string.h>

#include "decode/decode.h"
#include "util/mem.h"

#define SAMPLE_COMMON                                                                  \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define SAMPLE_FIELD(decl, offset, size, is_signed) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

enum { SWITCH = 10, WAKEUP = 11, KFREE = 12, SYS_ENTER = 13, MIXED = 14, PRINT = 15, RCU = 16 };

static const struct {
	const char *system;
	const char *text;
} sample_formats[] = {
	{"sched",
	 "name: sched_switch\nID: 10\n" SAMPLE_COMMON SAMPLE_FIELD("char prev_comm[16]", 8, 16, 0)
		 SAMPLE_FIELD("pid_t prev_pid", 24, 4, 1) SAMPLE_FIELD("int prev_prio", 28, 4, 1)
			 SAMPLE_FIELD("long prev_state", 32, 8, 1)
				 SAMPLE_FIELD("char next_comm[16]", 40, 16, 0)
					 SAMPLE_FIELD("pid_t next_pid", 56, 4, 1) SAMPLE_FIELD(
						 "int next_prio", 60, 4, 1) "\nprint fmt: \"x\"\n"},
	{"sched", "name: sched_wakeup\nID: 11\n" SAMPLE_COMMON SAMPLE_FIELD(
			  "char comm[16]", 8, 16, 0) SAMPLE_FIELD("pid_t pid", 24, 4, 1)
			  SAMPLE_FIELD("int prio", 28, 4, 1) "\nprint fmt: \"x\"\n"},
	{"kmem",
	 "name: kfree\nID: 12\n" SAMPLE_COMMON SAMPLE_FIELD("unsigned long call_site", 8, 8, 0)
		 SAMPLE_FIELD("const void * ptr", 16, 8, 0) "\nprint fmt: \"x\"\n"},
	{"raw_syscalls",
	 "name: sys_enter\nID: 13\n" SAMPLE_COMMON SAMPLE_FIELD("long id", 8, 8, 1)
		 SAMPLE_FIELD("unsigned long args[6]", 16, 48, 0) "\nprint fmt: \"x\"\n"},
	{"lab", "name: mixed\nID: 14\n" SAMPLE_COMMON SAMPLE_FIELD("u8 small", 8, 1, 0)
			SAMPLE_FIELD("s8 tiny", 9, 1, 1) SAMPLE_FIELD("u16 port", 10, 2, 0)
				SAMPLE_FIELD("__data_loc char[] msg", 12, 4, 0) SAMPLE_FIELD(
					"u64 big", 16, 8, 0) SAMPLE_FIELD("char letter", 24, 1, 1)
					SAMPLE_FIELD("__data_loc u32[] list", 28, 4, 0)
						SAMPLE_FIELD("__data_loc char[][2] names", 52, 8,
							     1) "\nprint fmt: \"x\"\n"},
	{"ftrace", "name: print\nID: 15\n" SAMPLE_COMMON SAMPLE_FIELD("unsigned long ip", 8, 8, 0)
			   SAMPLE_FIELD("char buf[]", 16, 0, 0) "\nprint fmt: \"x\"\n"},
	{"rcu", "name: rcu_utilization\nID: 16\n" SAMPLE_COMMON SAMPLE_FIELD(
			"const char * s", 8, 8, 0) "\nprint fmt: \"x\"\n"},
};

#define NR_SAMPLE_FORMATS (sizeof(sample_formats) / sizeof(sample_formats[0]))

static const char sample_symbols[] = "ffffffff81000000 T _stext\n"
				     "ffffffff81001000 T vfs_read\n"
				     "ffffffff81002000 T vfs_write\n"
				     "ffffffff81003000 t schedule\n"
				     "ffffffff81004000 T last\n";
static const char sample_printk[] = "0xffffffff82000000 : \"Start grace period\"\n";

struct sample {
	struct decode_format format[NR_SAMPLE_FORMATS];
	struct decode *dec;
};

static inline void sample_init(struct sample *sample)
{
	struct decode_input in = {
		.long_size = 8, .format = sample->format, .nr_formats = NR_SAMPLE_FORMATS};

	in.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	in.kallsyms = (struct decode_text){sample_symbols, sizeof(sample_symbols) - 1};
	in.printk = (struct decode_text){sample_printk, sizeof(sample_printk) - 1};
	for (size_t i = 0; i < NR_SAMPLE_FORMATS; i++)
		sample->format[i] = (struct decode_format){
			sample_formats[i].system,
			{sample_formats[i].text, strlen(sample_formats[i].text)}};
	sample->dec = decode_new(&in, NULL);
}

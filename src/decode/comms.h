/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks from saved_cmdlines, and trace_printk() formats from printk_formats. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "decode/decode.h"

struct comm {
	int pid;
	uint32_t name; /* offset in ->text */
};

struct comms {
	char *text;
	struct comm *comm; /* by pid */
	size_t nr;
};

void comms_parse(struct comms *comms, struct decode_text cmdlines);
void comms_fini(struct comms *comms);
const char *comms_find(const struct comms *comms, int pid);

struct printk {
	uint64_t addr;
	uint32_t text; /* offset in ->text */
};

struct printks {
	char *text;
	struct printk *printk; /* by address */
	size_t nr;
};

void printks_parse(struct printks *printks, struct decode_text formats);
void printks_fini(struct printks *printks);
const char *printks_find(const struct printks *printks, uint64_t addr);

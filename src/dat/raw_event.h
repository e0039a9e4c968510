/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One record as it lies in a sub-buffer: bytes with their time, not yet decoded. */
#pragma once

#include <stdint.h>

struct raw_event {
	uint64_t ts;	     /* in the units of the file's clock, offsets applied */
	const uint8_t *data; /* the record, common_type first; borrowed from the reader */
	uint32_t size;	     /* bytes of data that may be read */
	uint32_t cpu;
	int64_t missed; /* events lost on this CPU right before this one; -1 an unknown number */
};

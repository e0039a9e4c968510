/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of an event's format file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/arena.h"
#include "decode/decode.h"

struct format {
	const char *name;
	int id;
	struct decode_field *field; /* common ones first */
	size_t nr_fields;
	struct decode_text print; /* what follows "print fmt: ", NULL when missing */
	uint32_t min_size;	  /* where the last field ends */
};

/* Fills @out from @text; names and types live in @arena, ->print points into @text. False when the
 * text has no name or a field line that cannot be read. */
bool format_parse(struct decode_text text, unsigned int long_size, struct arena *arena,
		  struct format *out);
/* The "ID:" line alone, without reading the rest; -1 when there is none. */
int format_id(struct decode_text text);
/* The name alone; len 0 when there is none. */
struct decode_text format_name(struct decode_text text);

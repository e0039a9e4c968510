/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do the sections of a version 7 file follow each other from the header to the end of the file? */
#include <inttypes.h>

#include "dat/sections.h"
#include "util/io.h"

#define SECTION_HEADER 16

void dat_check_sections(struct dat_reader *r)
{
	uint64_t at = r->body;

	while (r->version == 7 && at < r->size) {
		uint8_t raw[SECTION_HEADER];
		uint64_t size;
		uint16_t id;

		if (r->size - at < sizeof(raw) ||
		    io_pread_all(r->fd, raw, sizeof(raw), at) != (ssize_t)sizeof(raw)) {
			dat_finding(r, "offset %" PRIu64 ": half a section header ends the file",
				    at);
			return;
		}
		id = get_u16(raw, r->big_endian);
		size = get_u64(raw + 8, r->big_endian);
		if (id >= DAT_OPTION_NR) {
			dat_finding(r, "offset %" PRIu64 ": no section is of kind %u", at, id);
			return;
		}
		at += sizeof(raw);
		/* That of a buffer which is being recorded. */
		if (size > r->size - at && r->is_unfinished && id == DAT_BUFFER)
			return;
		if (size > r->size - at) {
			dat_finding(r,
				    "offset %" PRIu64 ": a section of kind %u needs %" PRIu64
				    " bytes, %" PRIu64 " are left",
				    at - sizeof(raw), id, size, r->size - at);
			return;
		}
		at += size;
	}
}

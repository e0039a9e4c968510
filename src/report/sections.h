/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections: what lies between the markers that begin and end them. */
#pragma once

#include "report/marker_text.h"
#include "report/stats.h"
#include "util/keymap.h"

/* All instances of one name in one thread; of one process when they are async. */
struct section {
	char *name; /* NULL: ends without a begin, whose name nobody knows */
	unsigned int source;
	int pid;	       /* as the markers say */
	int tid;	       /* of the thread that wrote them; -1 when async */
	const char *comm;      /* of the thread that wrote its first marker */
	struct pairs closed;   /* extra: the time in it that no section inside of it took */
	struct pairs unclosed; /* end: UINT64_MAX */
	/* Begun while one of the same name was open in the thread: from the begin of that one to its own. */
	struct pairs recursive;
	uint64_t nr_unopened;
};

/* Pairs B and E by the thread that wrote them, the last begun first; S and F by process, name and cookie, the last begun
 * first as well. All zero is empty. */
struct section_pairing {
	struct keymap sections; /* of struct section */
	struct keymap threads;	/* of stacks of open sections */
	struct keymap asyncs;	/* the same, by process, name and cookie */
	struct strbuf key;
};

void section_pairing_marker(struct section_pairing *p, const struct sink_event *event,
			    const struct marker *marker);
/* Behind the last marker: what is open is unclosed. */
void section_pairing_finish(struct section_pairing *p);
void section_pairing_fini(struct section_pairing *p);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls from their enter and exit events. */
#pragma once

#include "out/sink.h"
#include "report/stats.h"
#include "util/keymap.h"

/* One call of one thread, all times that it was made. */
struct call {
	char *name;	/* NULL for a number whose name is not known yet */
	int64_t number; /* -1 for one that is known by its event's name */
	unsigned int source;
	int tid;
	const char *comm;
	struct pairs pairs;	/* extra: what it returned */
	uint64_t nr_unfinished; /* without an exit */
	uint64_t nr_unopened;	/* exits without an enter */
};

struct call_event;

/* All zero but for ->source is empty. */
struct call_pairing {
	const struct sink_source *source;
	const char *const *machine; /* by source: what uname -m said; "" when it is not known */
	struct keymap calls;	    /* of struct call */
	struct keymap threads;	    /* of what is open */
	struct keymap events;	    /* of struct call_event */
	struct keymap learnt;	    /* names by source and number, from events that have both */
};

/* Does nothing with other events. */
void call_pairing_event(struct call_pairing *p, const struct sink_event *event);
/* Behind the last event: names the numbers. A call that was recorded both ways stays once. */
void call_pairing_finish(struct call_pairing *p);
void call_pairing_fini(struct call_pairing *p);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints by libtraceevent what only its plugins can. */
#include "decode/internal.h"

bool fallback_knows(const struct event *event)
{
	(void)event;
	return false;
}

bool fallback_prepare(struct decode *dec, struct event_full *full)
{
	(void)dec;
	(void)full;
	return false;
}

void fallback_print(struct eval *ev, const struct plan *plan, const struct raw_event *raw,
		    struct outbuf *out)
{
	plan_run(ev, plan, raw, out);
}

void fallback_free(struct fallback *fallback)
{
	(void)fallback;
}

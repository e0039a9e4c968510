/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed events of user space: user_events_data, Linux 6.4 and newer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracefs/tracefs.h"

struct user_event {
	int fd;		  /* the event lives as long as this, unless it is kept */
	uint32_t enabled; /* bit 0, which the kernel sets while somebody records it; do not move */
	uint32_t index;
};

/* Opens user_events_data; a clear no where the kernel has none. */
int user_event_open(const struct tfs *tfs, struct user_event *event, struct err *err);
/* Registers "name type field; type field"; finds it when it is there with the same fields. @keep lets
 * it stay when the descriptor is closed. @event must stay where it is until user_event_close(). */
int user_event_register(struct user_event *event, const char *text, bool keep, struct err *err);
/* Whether somebody records it. */
bool user_event_is_on(const struct user_event *event);
int user_event_write(const struct user_event *event, const void *data, size_t len, struct err *err);
int user_event_remove(const struct user_event *event, const char *name, struct err *err);
void user_event_close(struct user_event *event);

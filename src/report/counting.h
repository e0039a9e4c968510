/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report that only counts. */
#pragma once

#include "report/walk.h"

extern const struct sink_ops counting_sink;

/* Reads everything; @config must have the counting sink and outlive @w. */
void counting_walk(struct walk *w, const struct report_config *config, struct input *in);

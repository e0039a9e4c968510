/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracers of functions that nothing holds back: each call in the whole system is an event. */
#pragma once

#include <stdbool.h>

#include "session/steps.h"
#include "tracefs/tracefs.h"

/* True when @tracer records functions, and no list says which functions or processes; @steps, which may
 * be NULL, are still to be done. */
bool whole_is_traced(const struct tfs *tfs, const char *tracer, const struct steps *steps);
/* The same of the tracer in use; *tracer is its name, the caller frees. */
bool whole_is_traced_now(const struct tfs *tfs, char **tracer);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of libtraceevent that the fallback calls; the library is loaded when an event needs it. */
#pragma once

#include <event-parse.h>
#include <trace-seq.h>

#include "util/library.h"

#define TRACEEVENT_FUNCTIONS(F)      \
	F(tep_alloc)                 \
	F(tep_free)                  \
	F(tep_set_loglevel)          \
	F(tep_set_file_bigendian)    \
	F(tep_set_long_size)         \
	F(tep_set_function_resolver) \
	F(tep_parse_event)           \
	F(tep_find_event)            \
	F(tep_print_event)           \
	F(trace_seq_init)            \
	F(trace_seq_terminate)       \
	F(trace_seq_destroy)

/* clang-format off */
struct traceevent {
	TRACEEVENT_FUNCTIONS(LIBRARY_MEMBER)
};
/* clang-format on */

static inline struct traceevent traceevent_load(void)
{
#define LOADED(function) .function = LIBRARY_FUNCTION("libtraceevent.so.1", function),
	return (struct traceevent){TRACEEVENT_FUNCTIONS(LOADED)};
#undef LOADED
}

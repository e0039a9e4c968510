/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of trace-cmd's library, and of libtraceevent behind it; loaded in the child that needs them. */
#pragma once

#include <event-parse.h>
#include <trace-cmd.h>

#include "util/library.h"

#define TRACECMD_FUNCTIONS(F)              \
	F(tracecmd_open_head)              \
	F(tracecmd_init_data)              \
	F(tracecmd_get_tep)                \
	F(tracecmd_get_private)            \
	F(tracecmd_set_private)            \
	F(tracecmd_read_data)              \
	F(tracecmd_free_record)            \
	F(tracecmd_buffer_instances)       \
	F(tracecmd_buffer_instance_name)   \
	F(tracecmd_buffer_instance_handle) \
	F(tracecmd_iterate_events_multi)   \
	F(tep_get_cpus)                    \
	F(tep_data_flags)                  \
	F(tep_find_event_by_record)        \
	F(tep_print_event)                 \
	F(trace_seq_init)                  \
	F(trace_seq_reset)                 \
	F(trace_seq_printf)

/* clang-format off */
struct tracecmd {
	TRACECMD_FUNCTIONS(LIBRARY_MEMBER)
};
/* clang-format on */

#define TRACECMD_SONAME "libtracecmd.so.1"

static inline struct tracecmd tracecmd_load(void)
{
#define LOADED(function) .function = LIBRARY_FUNCTION(TRACECMD_SONAME, function),
	return (struct tracecmd){TRACECMD_FUNCTIONS(LOADED)};
#undef LOADED
}

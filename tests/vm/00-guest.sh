#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest itself, and the tools that the other scripts here rely on.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"

case $FT_KERNEL in
full) want=6.12 ;;
*) want=$FT_KERNEL ;;
esac
t_like "$(uname -r)" "^$want\." "the kernel is $FT_KERNEL"
t_like "$(cat /sys/kernel/tracing/available_tracers)" function_graph "it has the function_graph tracer"
t_ok "the output folder can be written" touch "$FT_OUT/touched"
rm -f "$FT_OUT/touched"

state_save "$T_TMP/a"
state_save "$T_TMP/b"
state_same "$T_TMP/a" "$T_TMP/b" "the snapshot does not change what it looks at"
t_ok "it covers thousands of files" test "$(wc -l <"$T_TMP/a")" -gt 2000

dirty_state
state_save "$T_TMP/b"
changes=$(diff "$T_TMP/a" "$T_TMP/b" | grep '^>')
for file in current_tracer set_ftrace_filter set_graph_function kprobe_events buffer_size_kb tracing_on \
	trace_clock set_event_pid events/sched/sched_switch/filter events/sched/sched_wakeup/trigger \
	options/overwrite instances/somebodys/events/sched/sched_waking/enable; do
	t_like "$changes" "> $file: " "dirty_state changes $file"
done

t_ok "clean_state can undo it" clean_state
state_save "$T_TMP/b"
state_same "$T_TMP/a" "$T_TMP/b" "clean_state leaves nothing"
t_done

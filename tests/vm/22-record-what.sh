#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters, triggers, stack traces, depth, several buffers and running processes; and the state as it was afterwards.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# reads FILE: ft and trace-cmd find the same number of events in it; leaves the text in $text.
reads() {
	t_ok "... ft finds it sound" "$FT" report --check "$1"
	text=$(trace-cmd report "$1" 2>/dev/null)
	t_is "$("$FT" report "$1" 2>/dev/null | grep -c '\[[0-9]*\] ')" "$(grep -c '\[[0-9]*\] ' <<<"$text")" \
		"... ft and trace-cmd read as many events"
}

all_cases() {
	t_status 0 "filters and triggers ($1)" "$FT" record -q -o rules.dat -a -F 'sched_switch: next_pid == 0' \
		--trigger 'sched:sched_switch: stacktrace if next_pid == 0' -- sh -c 'sleep 0.4; sleep 0.4; sleep 0.4'
	reads rules.dat
	t_like "$text" "sched_switch:" "... the event is in it"
	t_is "$(grep sched_switch: <<<"$text" | grep -vc '==> swapper')" 0 "... when the filter holds"
	t_like "$text" "sched_switch:.*kernel_stack:" "... with stack traces"
	t_status 0 "a count ($1)" "$FT" record -q -o count.dat -e sched_process_exec --trigger 'sched_process_exec: stacktrace:2' -- \
		sh -c '/bin/true; /bin/true; /bin/true; /bin/true'
	reads count.dat
	t_is "$(grep -c sched_process_exec: <<<"$text") $(grep -c kernel_stack: <<<"$text")" "5 2" "... runs only while the trace does"

	t_status 0 "stack traces of a function ($1)" "$FT" record -q -T -l vfs_read -o stack.dat cat /etc/passwd
	reads stack.dat
	t_like "$text" "vfs_read.*kernel_stack" "... follow it"

	t_status 0 "levels of the graph ($1)" "$FT" record -q --max-graph-depth 1 -o depth.dat cat /etc/passwd
	reads depth.dat
	t_like "$text" "funcgraph_entry:" "... there are calls"
	t_is "$(grep -c 'funcgraph_entry:.*|    ' <<<"$text")" 0 "... none below another"

	t_status 0 "several buffers ($1)" "$FT" record -q -o many.dat -e sched_process_exec -b 1M -B one -l 'vfs_*' \
		-B two -e sched_process_exit -T -b 256k -- cat /etc/passwd
	reads many.dat
	t_like "$text" "one: +cat-[0-9]+ .*vfs_read" "... functions in the first"
	t_like "$text" "two: +cat-[0-9]+ [^=]*sched_process_exit.*kernel_stack" "... events in the second"

	sleep 1 &
	t_status 0 "a running process ($1)" "$FT" record -q -e sched_process_exit -P $! -o pid.dat
	reads pid.dat

	t_status 143 "up to an event ($1)" "$FT" record -q -a -e sched_process_exec -o until.dat \
		--until-event 'sched_process_exec: filename ~ "*/true"' -- sh -c '/bin/true; sleep 20'
	reads until.dat
	t_like "$(tail -n 1 <<<"$text")" "filename=[^ ]*/true" "... which is the last one"
}

echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
state_save before
all_cases "in a clean kernel"
state_save after
state_same before after "the state is as it was"
dirty_state
mkdir $tracing/instances/one
echo 1 >$tracing/instances/one/events/sched/sched_waking/enable
state_save before
all_cases "in a kernel that others use"
state_save after
state_same before after "the state of others is as it was"
rmdir $tracing/instances/one
clean_state
t_done

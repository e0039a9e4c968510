#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft filter on this machine's own kernel, in an instance of its own.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || t_skip_all "tracefs is not mounted"
[ -d $tracing/instances ] || t_skip_all "this kernel has no instances"
[ -z "$(ls /run/ft/changes 2>/dev/null)" ] || t_skip_all "there are changes that somebody may want to take back"
unset FT_TRACEFS
cd "$T_TMP" || exit 1
name=ft-test-filter-$$
dir=$tracing/instances/$name
t_tidy() {
	rmdir $dir 2>/dev/null
}
mkdir "$dir" || t_skip_all "no instance can be made"

# What ft filter changes below.
state() {
	(cd "$dir" && grep -s . tracing_cpumask set_event_pid set_event_notrace_pid options/event-fork \
		events/sched/*/{enable,filter,trigger} | LC_ALL=C sort)
}
state >before
# refused STATUS PATTERN ARG...
refused() {
	local want=$1 pattern=$2

	shift 2
	t_status "$want" "refused: ft filter $*" "$FT" filter --instance "$name" "$@"
	t_like "$err" "$pattern" "... and says why"
	t_is "$out" "" "... and nothing else"
}

# Each kind of mistake in a filter, by ft or by the kernel.
refused 2 "the filter of sched_switch is empty" sched_switch ''
refused 2 "is neither a filter nor a trigger" sched_switch prev_pid
refused 1 "a field is missing here" sched_switch '== 1'
refused 1 "a field is missing here" sched_switch '()'
refused 1 "a field is missing at the end" sched_switch 'prev_pid == 1 &&'
refused 1 "a field is missing here" sched_switch 'prev_pid == 1 || || prev_prio == 1'
refused 1 "a value is missing at the end" sched_switch 'prev_pid =='
refused 1 "equal is ==" sched_switch 'prev_pid = 1'
refused 1 "&& or .. is missing here" sched_switch 'prev_pid == 1 prev_prio == 2'
refused 1 "this parenthesis is not closed" sched_switch '(prev_pid == 1'
refused 1 "this parenthesis was not opened" sched_switch 'prev_pid == 1)'
refused 1 "this text has no end: \" is missing" sched_switch 'prev_comm == "abc'
refused 1 "has no field prev_pdi .did you mean prev_pid" sched_switch 'prev_pdi == 1'
refused 1 "Expecting numeric field.*\^" sched_switch 'prev_pid == abc'
refused 1 "Expecting string field.*\^" sched_switch 'prev_comm == 1'
refused 1 "Illegal operation for field type.*\^" sched_switch 'prev_comm > "a"'
refused 1 "numeric field" sched_switch 'prev_pid == 99999999999999999999'
refused 1 "Operand too long.*\^" sched_switch "prev_comm == \"$(printf '%0300d' 0)\""
refused 1 "Invalid cpulist.*\^" sched_switch 'cpu & CPUS{0-x}'
refused 1 "Missing '}'.*\^" sched_switch 'cpu & CPUS{0'
refused 1 "Function not found.*\^" kmem:kmalloc 'call_site.function == nosuchfunction'
refused 1 "Invalid operator.*\^" kmem:kmalloc 'call_site.function < vfs_read'
refused 1 "at most 8192 bytes" sched_switch "$(printf 'prev_pid == 1 || %.0s' $(seq 600)) prev_pid == 2"
# The first of two is right.
refused 1 "Expecting numeric field" sched_waking 'pid == 1' sched_switch 'prev_pid == abc'
# What was not done is not told.
refused 1 "Expecting numeric field" 'sched:sched_wak*' 'pid == abc'
t_unlike "$err" "sched_wak.: [0-9]+ events" "... as if it were in force"
# Values out of range, and names that there are not.
refused 1 "there is no CPU 4000" --cpu 4000
refused 1 "process 4194999" -P 4194999
refused 1 "is not the number of a process" -P 0
refused 1 "is not on set_event_pid" -P '!1'
refused 1 "no event or event system sched_swich" sched_swich 'prev_pid == 1'
refused 1 "no trigger 'stacktrace'" sched_switch '!stacktrace'
refused 2 "is neither a filter nor a trigger.*did you mean traceoff" sched_switch traceof
refused 1 "no change of ft's in instance" --undo
# What this kernel was built without, or forbids.
[ -e $tracing/kprobe_events ] || {
	t_status 1 "refused: a kprobe" "$FT" filter --kprobe vfs_read
	t_like "$err" "kprobe|CONFIG_" "... and says why"
}
head -c 1 $tracing/available_filter_functions >/dev/null 2>&1 || {
	t_status 1 "refused: a function" "$FT" filter +vfs_read
	t_like "$err" "lockdown|available_filter_functions" "... and says why"
}
[ -e $tracing/events/sched/sched_switch/hist ] || refused 1 "hist" sched_switch hist:keys=prev_pid
state >after
t_is "$(cat after)" "$(cat before)" "none of these changes anything"
t_is "$(ls /run/ft/changes)" "" "... or leaves an entry"

# What is right is in force, and taken back.
t_ok "filters" "$FT" filter --instance "$name" sched_switch 'prev_prio < 100 && next_comm ~ "ssh*"' 'sched:sched_wak*' 'pid != 1'
t_is "$(cat "$dir"/events/sched/sched_{switch,waking}/filter)" $'prev_prio < 100 && next_comm ~ "ssh*"\npid != 1' "... are the kernel's"
t_ok "triggers, processes and CPUs" "$FT" filter --instance "$name" sched_switch traceoff:1000000 -P $$ --children --cpu 0
t_like "$(cat "$dir/events/sched/sched_switch/trigger")" "traceoff:count=[0-9]" "... are the kernel's, too"
t_ok "what is in force" "$FT" filter --instance "$name"
t_like "$out" "sched_switch +prev_prio < 100" "... is shown"
t_ok "... as JSON" "$FT" filter --instance "$name" --json
cp "$T_TMP/.out" json
t_ok "... that can be read" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' json
t_ok "what the undo would write" "$FT" filter --undo --dry-run
t_like "$out" "echo '!traceoff.*>> $dir/events/sched/sched_switch/trigger" "... is said"
t_ok "undo" "$FT" filter --undo
t_ok "undo" "$FT" filter --undo --instance "$name"
state >after
t_is "$(cat after)" "$(cat before)" "... and all is as it was"

# An event that a trigger has turned on or off stays so in the kernel when the trigger goes.
echo 1 >"$dir/events/sched/sched_wakeup/enable"
state >before
t_ok "triggers that switch events" "$FT" filter --instance "$name" sched_switch enable_event:sched:sched_waking \
	sched_switch disable_event:sched:sched_wakeup:9 \
	sched_process_exit 'enable_event:sched:sched_process_wait if pid == 1'
sleep 0.1
t_is "$(cat "$dir"/events/sched/sched_{waking,wakeup}/enable)" $'1*\n0*' "... act"
t_ok "undo" "$FT" filter --undo --instance "$name"
state >after
t_is "$(cat after)" "$(cat before)" "... and the events are as they were"
t_done

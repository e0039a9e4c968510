#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft filter on a kernel in use: each change does what it says, each undo leaves everything as it was.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
cd "$T_TMP" || exit 1

# change DESC ARG...: one change, counted, so that it can be taken back.
changes=0
change() {
	local desc=$1

	shift
	t_ok "$desc" "$FT" filter "$@" && changes=$((changes + 1))
}

# refused STATUS PATTERN ARG...: nothing is changed, and stderr says why.
refused() {
	local want=$1 pattern=$2

	shift 2
	t_status "$want" "refused: ft filter $*" "$FT" filter "$@"
	t_like "$err" "$pattern" "... and says why"
}

dirty_state
# Somebody's list of one of two functions of the same name, which only its number tells from the other.
twice=$(awk '$1 == "__pfx" {next} {n[$1]++; if (n[$1] == 2) {print $1; exit}}' $tracing/available_filter_functions)
line=$(awk -v name="$twice" '$1 == name {print NR}' $tracing/available_filter_functions | head -n 1)
echo "$line" >>$tracing/set_ftrace_filter
t_is "$(grep -c "^$twice" $tracing/set_ftrace_filter)" 1 "one of several functions $twice is on the list"
state_save before

change "functions" +vfs_statfs '+vfs_f*' '-*lock*'
t_like "$err" "vfs_f\*: [0-9]+ functions" "... a glob says how many"
t_like "$(cat $tracing/set_ftrace_filter)" "vfs_statfs" "... are on the list"
t_like "$(cat $tracing/set_ftrace_filter)" "vfs_read" "... beside those of others"
t_like "$(cat $tracing/set_ftrace_notrace)" "_raw_spin_lock" "... and those kept out on the other"
change "a function off the list" '!vfs_statfs'
t_unlike "$(cat $tracing/set_ftrace_filter)" "vfs_statfs" "... is gone"
change "a command" '+vfs_rmdir:traceoff:3'
change "the command of somebody else's taken away" '!vfs_mknod:traceoff'
t_unlike "$(cat $tracing/set_ftrace_filter)" "vfs_mknod" "... is gone"
change "graph roots" -g icmp_rcv --nograph 'vfs_s*'
change "processes" -P $$ --children --notrace-pid 2
t_like "$(cat $tracing/set_event_pid)" "$$" "... are on the list"
change "a process off the list" -P "!$$"
change "CPUs" --cpu all
change "a filter" sched_switch 'prev_prio < 100 && next_comm ~ "ssh*"'
t_is "$(cat $tracing/events/sched/sched_switch/filter)" 'prev_prio < 100 && next_comm ~ "ssh*"' "... is the kernel's"
change "filters of several events" 'sched:sched_wak*' 'common_pid != 1'
change "triggers" sched_switch 'stacktrace if prev_prio < 100' sched_switch 'hist:keys=next_pid' sched_switch traceoff:2
t_like "$(cat $tracing/events/sched/sched_switch/trigger)" "stacktrace:unlimited if prev_prio < 100" "... are the kernel's"
change "a trigger that takes snapshots" sched_process_fork snapshot
change "a trigger taken away" sched_switch '!hist:keys=next_pid'
change "somebody's trigger taken away" sched_wakeup '!stacktrace'
# Without the kernel's types, arguments go by number.
has_types() {
	[ -e /sys/kernel/btf/vmlinux ]
}
if has_types; then
	change "a kprobe" --kprobe 'vfs_read count buf:x64'
else
	change "a kprobe" --kprobe 'vfs_read count=$arg3:u64 buf=$arg2:x64'
fi
change "a kretprobe" --kretprobe 'vfs_read ret'
change "a uprobe" --uprobe 'line=/bin/bash:readline'
change "an eprobe" --eprobe 'forks=sched:sched_process_fork child_pid'
change "a synthetic event" --synth 'latency u64 delta; pid_t pid'
t_like "$(cat $tracing/dynamic_events)" 'p:ft/vfs_read vfs_read count=\$arg3:u64 buf=\$arg2:x64' "its arguments"
change "a filter on an event of ft's" ft:vfs_read 'count > 4096'
change "... which goes with the event" --remove vfs_read
change "all taken away" --clear all
t_is "$(cat $tracing/events/sched/sched_switch/filter)" none "... the filters, too"
t_like "$(cat $tracing/dynamic_events)" "somebody/probe" "... but for what others have made"

state_save during
refused 2 "neither a filter nor a trigger for sched_switch .*did you mean stacktrace" sched_switch stacktrac
refused 1 "has no field prev_pri .did you mean prev_prio" sched_switch 'prev_pri < 1'
refused 1 "a value is missing at the end" sched_switch 'prev_pid =='
refused 1 "this parenthesis is not closed" sched_switch '(prev_pid == 1'
refused 1 "the kernel does not accept" sched_switch 'prev_pid ~ "x*"'
# What only the kernel finds: its words, and its pointer.
at=$'\n +Command: [^\n]*\n +\\^'
refused 1 "error: Expecting numeric field$at" sched_switch 'prev_pid == 5x'
refused 1 "error: Expecting numeric field$at" sched_switch 'prev_pid == 1 && prev_state == D'
refused 1 "error: Expecting numeric field$at" sched_switch 'prev_pid == 99999999999999999999999'
refused 1 "error: Expecting string field$at" sched_switch 'prev_comm == 5'
refused 1 "error: Illegal operation for field type$at" sched_switch 'prev_comm < "x"'
refused 1 "error: Operand too long$at" sched_switch "prev_comm == \"$(printf '%0300d' 0)\""
# 6.1 gives no reason for a trigger.
refused 1 "the kernel does not accept 'stacktrace if" sched_switch 'stacktrace if prev_pid ~ "x"'
# takes FILTER: does this kernel know it?
takes() {
	local known=1

	(echo "$1" >$tracing/instances/somebodys/events/kmem/kmalloc/filter) 2>/dev/null && known=0
	echo 0 >$tracing/instances/somebodys/events/kmem/kmalloc/filter
	return $known
}
if takes 'cpu & CPUS{0}'; then
	refused 1 "error: Invalid cpulist$at" sched_switch 'cpu & CPUS{0-x}'
	refused 1 "error: Invalid cpulist$at" sched_switch 'cpu & CPUS{}'
	refused 1 "error: Missing '}'$at" sched_switch 'cpu & CPUS{0'
fi
if takes 'call_site.function == vfs_read'; then
	refused 1 "error: Function not found$at" kmem:kmalloc 'call_site.function == nosuchfunction'
	refused 1 "error: Invalid operator$at" kmem:kmalloc 'call_site.function < vfs_read'
fi
refused 1 "no event or event system sched_swich" sched_swich 'prev_pid == 1'
refused 1 "no function vfs_raed can be traced .did you mean vfs_read" +vfs_raed
refused 1 "no function matches 'nosuch\*'" '+vfs_read' '-nosuch*'
refused 1 "no module nosuch has any" ':mod:nosuch'
refused 1 "is not on set_ftrace_filter" '!vfs_read'
refused 1 "there is no process 4194999" -P 4194999
refused 1 "there is no CPU 4000" --cpu 4000
refused 1 "has no trigger 'stacktrace'" sched_switch '!stacktrace'
if has_types; then
	refused 1 "no argument cuont .did you mean count" --kprobe 'vfs_read cuont'
else
	refused 1 "no type information .*give arguments as .arg1" --kprobe 'vfs_read count'
fi
refused 1 "vfs_raed" --kprobe vfs_raed
refused 1 "has no function readlne" --uprobe /bin/bash:readlne
refused 1 "is no program or library" --uprobe /etc/passwd:x
refused 1 "is not ft's" --remove somebody:probe
refused 1 "no field child_pdi" --eprobe 'sched:sched_process_fork child_pdi'
refused 1 "no instance 'nosuch'" --instance nosuch +vfs_read
# A list of which the last is wrong: the first must not stay.
refused 1 "" sched_switch 'prev_pid == 1' sched_waking 'pid ~ "x"'
state_save after
state_same during after "none of these changes anything"

# What --dry-run prints does the same.
t_ok "dry run" "$FT" filter --dry-run +vfs_read sched_switch 'prev_pid == 1' --kprobe vfs_write
printf '%s\n' "$out" >dry.sh
state_save after
state_same during after "... changes nothing"
t_ok "... and is a script" sh -e dry.sh
t_is "$(cat $tracing/set_ftrace_filter $tracing/events/sched/sched_switch/filter)" $'vfs_read\nprev_pid == 1' "... that does it"
echo >$tracing/set_ftrace_filter
echo 0 >$tracing/events/sched/sched_switch/filter
echo -:ft/vfs_write >>$tracing/dynamic_events

# An instance.
"$FT" filter --instance somebodys sched_switch 'prev_pid == 5' 2>/dev/null
t_is "$(cat $tracing/instances/somebodys/events/sched/sched_switch/filter $tracing/events/sched/sched_switch/filter)" \
	$'prev_pid == 5\nnone' "a filter of an instance alone"
changes=$((changes + 1))

# A tracer of functions that nothing holds back is asked about, or warned of.
t_status 1 "a tracer without a filter" "$FT" set --instance somebodys tracer=function
t_like "$err" "each function call of the whole system.*add -a" "... has to be meant"
change "a function" --instance somebodys +vfs_read
t_is "$err" "" "... is nothing to warn of"
t_ok "the tracer with it" "$FT" set --instance somebodys tracer=function && changes=$((changes + 1))
t_is "$err" "" "... is none either"
change "its last filter taken away" --instance somebodys '!vfs_read'
t_like "$err" "tracer function has no filter now" "... is warned of"
change "another function kept out" --instance somebodys -vfs_write
t_is "$err" "" "... is not, again"
t_ok "the tracer again, with -a" "$FT" set --instance somebodys tracer=nop && changes=$((changes + 1))
t_ok "... of the whole system" "$FT" set -a --instance somebodys tracer=function && changes=$((changes + 1))
t_like "$err" "tracer function has no filter: each function call" "... is warned of"
# All else would be slow.
t_ok "the tracer taken away" "$FT" set --instance somebodys tracer=nop && changes=$((changes + 1))

# Tens of thousands of names, and back.
sed 's/[ \t].*//; /^__ftrace_invalid/d' $tracing/available_filter_functions | sort -u | head -n 60000 >names
start=$(date +%s%N)
change "$(wc -l <names) functions from a file" +@names
t_note "in $((($(date +%s%N) - start) / 1000000)) ms"
t_is "$(sed 's/[ \t].*//; /:/d' $tracing/set_ftrace_filter | sort -u | cmp - names && echo same)" same "... are all on the list"

for ((i = 0; i < changes; i++)); do
	"$FT" filter --undo || {
		t_fail "undo number $i"
		break
	}
done
state_save after
state_same before after "all taken back"
t_status 1 "no more to take back" "$FT" filter --undo
clean_state
t_done

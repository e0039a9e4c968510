#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is in a recording, and what is not.
# kernels: 6.1 6.12
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1

t_status 0 "the whole system, all functions" "$FT" record -a -p function -e sched_switch -b 8M -d 0.5 -o all.dat
trace-cmd report all.dat 2>/dev/null >all.txt
t_ok "... is not empty" test "$(wc -l <all.txt)" -gt 1000
# The kernel records a switch when one of the two may be traced.
t_is "$(awk '$1 ~ /^ft(-guardian)?-[0-9]+$/ && !/sched_switch:/' all.txt | head -n 3)" "" "... and has no line of ft itself"

# Neither what it prints nor how it does that.
t_status 0 "the same, printed at once" "$FT" record -q --live -a -p function -l 'vfs_*' -e sched_switch sh -c 'cat /etc/hostname; sleep 0.5; cat /etc/hostname'
printf '%s\n' "$out" >live.txt
t_like "$out" " cat-[0-9]+ +[^ ]+ +[0-9.]+: function: +vfs_" "... has functions"
t_is "$(awk '$1 ~ /^ft(-guardian|-printer)?-[0-9]+$/ && !/sched_switch:/' live.txt | head -n 3)" "" "... and has no line of ft itself"

t_status 3 "the status is the command's" "$FT" record -e sched_switch -- sh -c 'exit 3'
t_status 143 "or tells its signal" "$FT" record -e sched_switch -- sh -c 'kill -TERM $$'

t_status 0 "only the command and its children" "$FT" record -e sys_enter_openat -o pid.dat -- sh -c 'cat /etc/hostname; true'
trace-cmd report pid.dat 2>/dev/null >pid.txt
t_like "$(cat pid.txt)" "cat-[0-9]+ .*sys_enter_openat" "... the child is in it"
t_is "$(awk 'NR > 1 { sub(/-[0-9]+$/, "", $1); print $1 }' pid.txt | sort -u | grep -vE '^(sh|cat)$')" "" "... and nobody else"

t_like "$(trace-cmd dump -v --summary -i pid.dat 2>&1)" "mono" "trace-cmd dump names the clock"
t_ok "trace-cmd converts it to version 6" trace-cmd convert --file-version 6 -i pid.dat -o pid6.dat
t_is "$(trace-cmd report pid6.dat 2>/dev/null)" "$(cat pid.txt)" "... with the same events"

# A marker of the program is in its recording, wherever that is made.
t_status 0 "markers of the command" "$FT" record -e sched_switch -o mark.dat -- \
	sh -c 'echo hello from the shell > /sys/kernel/tracing/trace_marker'
t_like "$(trace-cmd report mark.dat 2>/dev/null)" "hello from the shell" "... are in the trace"

mkdir /sys/kernel/tracing/instances/theirs
echo 1 >/sys/kernel/tracing/instances/theirs/events/sched/sched_waking/enable
state_save before
t_status 0 "beside somebody's instance" "$FT" record -e sched_waking -a -d 0.2 -o beside.dat
state_save after
state_same before after "... which is untouched"
t_like "$(cat /sys/kernel/tracing/instances/theirs/trace)" sched_waking "... and goes on"
echo 0 >/sys/kernel/tracing/instances/theirs/events/sched/sched_waking/enable
rmdir /sys/kernel/tracing/instances/theirs

mkfifo told
"$FT" record --ready-fd 9 -a -p function_graph -g vfs_read -d 60 -o first.dat 9>told 2>first.err &
pid=$!
read -r word <told
t_is "$word" ready "a recording at the top level"
t_status 1 "a second recording at the top level" "$FT" record -a -p function_graph -d 1 -o second.dat
t_like "$err" "pid $pid" "... is told who holds it"
kill -INT $pid
wait $pid
t_is "$?" 0 "... and the first one ends well" || t_note "$(cat first.err)"

rm -f dry.dat
state_save before
t_status 0 "a dry run" "$FT" record --dry-run -p function -l vfs_read -e sched_switch -o dry.dat -- true
state_save after
state_same before after "... changes nothing"
t_like "$out" "echo function > /sys/kernel/tracing/current_tracer" "... prints shell lines"
t_ok "... that a shell can run" sh -c "$out"
t_is "$(cat /sys/kernel/tracing/current_tracer)" function "... with the same effect"
clean_state

# Its processes have ended and left an empty list, which the kernel still heeds.
tracing=/sys/kernel/tracing
echo 1 >$tracing/options/event-fork
sh -c "echo \$\$ >$tracing/set_event_pid"
t_is "$(cat $tracing/set_event_pid)" "" "a list of processes that have all ended"
t_status 0 "... does not hinder a recording" "$FT" record -a -e sched_switch -d 0.5 -o ended.dat
t_like "$("$FT" report ended.dat)" sched_switch: "... which is not empty"
clean_state

# A filter that the kernel has refused stays to be seen above its error, and could not be written back.
filter=/sys/kernel/tracing/events/sched/sched_switch/filter
{ echo '(pid' >$filter; } 2>/dev/null
t_like "$(cat $filter)" "parse_error" "a refused filter is shown"
state_save before
t_status 0 "... does not hinder a recording" "$FT" record -a -e sched_switch -d 0.2 -o refused.dat
state_save after
state_same before after "... which leaves it"
t_is "$(ls /run/ft/*.journal 2>/dev/null)" "" "... and nothing to be put back"
echo 0 >$filter
t_done

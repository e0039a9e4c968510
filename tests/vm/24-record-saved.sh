#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record --from-kernel: what is in the buffers already, where they can be mapped, where they cannot, and snapshots.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# kernel_lines FILE: the events in a text of the kernel: CPU, time and name.
kernel_lines() {
	sed -nE 's/^.*-[0-9]+ +\[([0-9]+)\] (.*[ .])?([0-9]+\.[0-9]{6}): ([a-zA-Z0-9_]+):.*/\1 \3 \4/p' "$1" |
		sed 's/tracing_mark_write/print/'
}
# has_lines FILE WANT DESC: ft and trace-cmd find these events in it.
has_lines() {
	"$FT" report "$1" 2>/dev/null >ft.txt
	trace-cmd report "$1" 2>/dev/null >trace-cmd.txt
	kernel_lines ft.txt >ft.lines
	kernel_lines trace-cmd.txt >trace-cmd.lines
	if [ -s "$2" ] && cmp -s "$2" ft.lines && cmp -s "$2" trace-cmd.lines; then
		t_pass "$3: $(wc -l <"$2") events"
	else
		t_fail "$3"
		t_note "$(diff "$2" ft.lines | head -10)" "$(diff "$2" trace-cmd.lines | head -10)"
	fi
	"$FT" report --check "$1" >check.txt
	t_is "$(grep -vE ': sound, |counted [0-9]+ events as overwritten| events were lost' check.txt)" "" "... sound"
}

echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/tracing_on
echo >$tracing/trace
state_save before
t_status 1 "an empty buffer" "$FT" record --from-kernel
t_like "$err" "the buffer of the kernel is empty: nothing was written" "... is said"
t_is "$(ls)" before "... and no file made"

echo 1 >$tracing/tracing_on
echo 1 >$tracing/events/sched/enable
echo 1 >$tracing/events/raw_syscalls/enable
/bin/true
echo 'of my own' >$tracing/trace_marker
echo 0 >$tracing/events/enable
# What was recorded stays when the events are off.
echo 0 >$tracing/tracing_on
cat $tracing/trace >text
kernel_lines text >want
t_ok "the top level" "$FT" record --from-kernel
said=$err
t_like "$said" "events in trace.dat .*none lost" "... says how many"
has_lines trace.dat want "... as in the kernel's text"
t_like "$(cat ft.txt)" "-[0-9]+ +\[00[01]\] .* sys_exit:.*of my own" "... with fields and markers"
t_is "$(grep -c '<\.\.\.>' ft.txt)" "$(grep -c '<\.\.\.>' text)" "... and the names of tasks"
if [[ $said = *"no more"* ]]; then
	t_status 1 "this kernel gives them away once" "$FT" record --from-kernel -o twice.dat
	t_is "$(ls twice.dat 2>/dev/null)" "" "... and no second file is made"
else
	t_ok "the same once more" "$FT" record --from-kernel -o twice.dat --compress
	has_lines twice.dat want "... still in the kernel"
fi
echo >$tracing/trace
state_save after
state_same before after "the state is as it was"
echo 1 >$tracing/tracing_on

mkdir $tracing/instances/small
echo 8 >$tracing/instances/small/buffer_size_kb
echo 1 >$tracing/instances/small/events/raw_syscalls/enable
for _ in $(seq 20); do /bin/true; done
echo 0 >$tracing/instances/small/tracing_on
kernel_lines $tracing/instances/small/trace >want
t_ok "an instance that was overwritten" "$FT" record --from-kernel -B small -o -
cp "$T_TMP/.out" stream.dat
t_like "$err" "older ones overwritten" "... says so"
has_lines stream.dat want "... as a stream"
echo 1 >$tracing/instances/small/tracing_on
t_status 0 "while others write" "$FT" record --from-kernel -B small -o busy.dat
t_is "$("$FT" report --check busy.dat | grep -vE ' events were lost|: sound, [0-9]+ events; [0-9]+ older ones were overwritten, as in a ring; ')" "" "... sound"
echo 0 >$tracing/instances/small/events/enable

# Only the top level tells what the strings are that events point to.
t_ok "events that point to strings" "$FT" record -a -q -B small -e rcu:rcu_utilization -o strings.dat sleep 0.5
t_like "$("$FT" report strings.dat)" "rcu_utilization: +(Start|End) " "... have them"
t_like "$(trace-cmd report strings.dat 2>/dev/null)" "rcu_utilization: +(Start|End) " "... for trace-cmd, too"

if [ -e $tracing/instances/small/snapshot ]; then
	t_status 1 "no snapshot" "$FT" record --from-kernel --snapshot -B small -o none.dat
	t_like "$err" "no snapshot has been taken" "... is said"
	echo >$tracing/instances/small/trace
	echo 1 >$tracing/instances/small/events/sched/enable
	/bin/true
	echo 1 >$tracing/instances/small/snapshot
	echo 0 >$tracing/instances/small/events/enable
	kernel_lines $tracing/instances/small/snapshot >want
	t_ok "a snapshot" "$FT" record --from-kernel --snapshot -B small -o snapshot.dat
	has_lines snapshot.dat want "... as in the kernel's text"
else
	t_status 1 "a kernel without snapshots" "$FT" record --from-kernel --snapshot -B small
	t_like "$err" "CONFIG_TRACER_SNAPSHOT" "... is said"
fi
rmdir $tracing/instances/small
t_done

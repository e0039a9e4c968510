#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Latency tracers: the text of the longest latency, in a file that ft and trace-cmd read, from either of them.
# kernels: full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# same FILE DESC: ft, ft --compat and trace-cmd print the same.
same() {
	trace-cmd report "$1" >want 2>/dev/null
	"$FT" report "$1" >have
	"$FT" report --compat "$1" >compat
	if [ -s want ] && cmp -s want have && cmp -s want compat; then
		t_pass "$2: $(wc -l <want) lines"
	else
		t_fail "$2"
		t_note "$(diff want have | head -5)" "$(diff want compat | head -5)"
	fi
	t_ok "... sound" "$FT" report --check "$1"
}

# Wakes up again and again: one wakeup alone is now and then not measured, as its CPU was about to switch.
sleepers=(chrt -f 5 sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.05; done')

echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
echo 77 >$tracing/tracing_max_latency
state_save before
for tracer in irqsoff preemptoff preemptirqsoff wakeup wakeup_rt; do
	t_ok "$tracer" "$FT" record -p $tracer -o $tracer.dat -e sched "${sleepers[@]}"
	t_like "$err" "the longest latency is [0-9]+ us, its trace is in $tracer.dat" "... is told"
	same $tracer.dat "... ft and trace-cmd read ft's file"
	t_like "$(head -4 have)" "^cpus=2.# tracer: $tracer" "... which is that tracer's text"
	trace-cmd record -p $tracer -o other.dat -e sched "${sleepers[@]}" >/dev/null 2>&1
	same other.dat "... and trace-cmd's"
	echo 77 >$tracing/tracing_max_latency
	echo nop >$tracing/current_tracer
done
state_save after
state_same before after "the state is as it was, tracing_max_latency too"

# Killed while it records: the guardian asks the kernel for the text before it puts the tracer back.
for version in 6 7; do
	start_recording --file-version $version -p irqsoff -o killed.dat -d 60
	sleep 0.5
	kill -9 $pid
	wait $pid 2>/dev/null
	for _ in $(seq 100); do
		[ ! -e /run/ft/$pid.journal ] && break
		sleep 0.1
	done
	same killed.dat "killed, version $version: ft and trace-cmd read the file"
	t_like "$(head -4 have)" "^cpus=2.# tracer: irqsoff" "... the text is in it"
done
state_save after
state_same before after "the state is as it was, tracing_max_latency too"

t_ok "compressed" "$FT" record -p irqsoff --compress -o zstd.dat -d 0.3
same zstd.dat "... ft and trace-cmd read it"
t_ok "in a report of one CPU" "$FT" report --cpu 0 zstd.dat
t_is "$out" "$(cat have)" "... the text stays whole"
t_like "$err" "zstd.dat holds the text of a latency tracer, which is printed as it is" "... and that is said"
t_status 1 "as a profile" "$FT" report --profile zstd.dat
t_like "$err" "text of a latency tracer" "... it says why there is none"
t_status 1 "into a pipe" "$FT" record -p irqsoff -o - -d 0.3
t_like "$err" "needs a file" "... cannot be"
dirty_state
state_save before
t_ok "where others trace" "$FT" record -p wakeup_rt -o dirty.dat "${sleepers[@]}"
same dirty.dat "... ft and trace-cmd read it"
state_save after
state_same before after "the state of others is as it was"
clean_state
t_done

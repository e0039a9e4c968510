#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record --ring: the newest events stay, those overwritten are counted, and signals and events write them out.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
unset FT_TRACEFS
cd "$T_TMP" || exit 1
cpus=$(ls -d $tracing/per_cpu/cpu* | wc -l)
least=$((32 * cpus))k

# mark FROM TO: so many markers on one CPU.
mark() {
	taskset -c 0 bash -c "for ((i = $1; i <= $2; i++)); do echo ft-ring-$$-\$i-; done >$tracing/trace_marker"
}
# The numbers of the markers in a file, one a line.
numbers() {
	"$FT" report "$1" 2>/dev/null | sed -n "s/.*ft-ring-$$-\([0-9]*\)-.*/\1/p"
}
has_number() {
	[ "$(numbers ring.dat | tail -n 1)" = "$1" ]
}
# runs: how many rows of numbers without a gap there are.
runs() {
	awk 'NR == 1 || $1 != last + 1 { n++ } { last = $1 } END { print n + 0 }'
}
counts() {
	sed -n 's/^ft record: \([0-9,]*\) events in .*, none lost; \([0-9,]*\) older ones overwritten$/\1 \2/p' err | tr -d ,
}

start_recording -a -p nop --ring $least -o ring.dat
mark 1 5000
t_is "$(numbers ring.dat | wc -l)" 0 "a ring is not written out by itself"
kill -USR2 $pid
wait_for has_number 5000 && t_pass "SIGUSR2 writes out what it holds" || t_fail "SIGUSR2 writes out what it holds"
t_is "$(numbers ring.dat | runs)" 1 "... without a gap"
mark 5001 5010
kill -USR1 $pid
wait_for has_number 5010 && t_pass "... and so does SIGUSR1" || t_fail "... and so does SIGUSR1"
mark 5011 12000
kill -INT $pid
wait $pid
t_is "$?" 0 "it goes on until it is told to end"
numbers ring.dat >numbers
t_is "$(tail -n 1 numbers)" 12000 "... with the newest event in the file"
t_is "$(runs <numbers)" 2 "... in the order of time, with a gap where events were overwritten"
t_ok "... and not all of them" test "$(wc -l <numbers)" -lt 8000
read -r events overwritten < <(counts)
t_is "$events" "$("$FT" report ring.dat | grep -c 'ft-ring-')" "the summary counts what is in the file"
t_is "$((events + overwritten))" 12000 "... and exactly how many were overwritten"
t_ok "ft report reads it" "$FT" report ring.dat
t_ok "... and calls it sound" "$FT" report --check ring.dat
t_like "$out" "sound, $events events; [1-9][0-9]* older ones were overwritten, as in a ring" "... though events were overwritten"
if command -v trace-cmd >/dev/null; then
	t_is "$(trace-cmd report ring.dat 2>/dev/null | grep -c ft-ring-)" "$events" "trace-cmd reads as many"
fi
t_ok "overwritten events are no losses" "$FT" record -q --fail-on-lost -p nop --ring $least -o quiet.dat -a -- \
	bash -c "for ((i = 0; i < 5000; i++)); do echo ft-ring; done >$tracing/trace_marker"

# Compressed, and stopped by an event.
start_recording -a -e sched_process_exec --ring 4M --compress --until-event 'sched_process_exec: filename ~ "*/true"' -o ring.dat
mark 1 100
/bin/true
wait $pid
t_is "$?" 0 "an event ends it"
t_is "$(numbers ring.dat | wc -l)" 100 "... and what led to it is in the file"
t_like "$("$FT" report ring.dat | tail -n 1)" "filename=[^ ]*/true " "... with the event as the last"

# Into a pipe: nothing comes until it is asked for.
mkfifo pipe
"$FT" report pipe >out.txt 2>/dev/null &
reader=$!
start_recording -a -p nop --ring 4M -o pipe
mark 1 10
sleep 0.6
t_is "$(grep -c ft-ring- out.txt)" 0 "a ring into a pipe is not written out by itself"
kill -USR2 $pid
in_pipe() {
	[ "$(grep -c ft-ring- out.txt)" = 10 ]
}
wait_for in_pipe && t_pass "... but when SIGUSR2 asks for it" || t_fail "... but when SIGUSR2 asks for it"
kill -INT $pid
wait $pid
wait $reader

t_status 1 "a ring that is too small" "$FT" record -a -p nop --ring 8k
t_like "$err" "--ring needs 32 KiB for each of the $cpus CPUs" "... is told"
t_status 2 "-b beside it" "$FT" record -a -p nop --ring 8M -b 1M
t_like "$err" "leave -b out, or --ring" "... is refused"
t_status 2 "-b of an instance beside it" "$FT" record -a --ring 8M -B ft-test-$$ -p nop -b 1M
t_status 2 "--max-size beside it" "$FT" record -a -p nop --ring 8M --max-size 1M
t_like "$err" "leave --max-size out, or --ring" "... is refused"
t_status 1 "more than there is" "$FT" record -a -p nop --ring 9000g
t_like "$err" "more than the memory available" "... is told"
t_ok "the steps" "$FT" record --dry-run -a -p nop --ring 8M
t_like "$out" "echo 1 > .*/options/overwrite" "... let the newest replace the oldest"
t_is "$(pgrep -x ft-guardian -P $$)" "" "no process is left"
t_done

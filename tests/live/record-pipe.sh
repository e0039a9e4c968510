#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record into pipes, FIFOs and devices, and ft report out of them, on this machine's own kernel.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1

events_of() {
	sed 's/^.*\] *//' "$1" | sort
}

# A saved stream: the same events for ft, for trace-cmd, and out of a pipe.
"$FT" record -a -e sched -e raw_syscalls -o - sh -c 'echo from the command; sleep 1.5' >saved.dat 2>err
t_is "$?" 0 "ft record -o - into a file"
t_like "$(cat err)" "from the command" "... what the command prints goes to the standard error"
t_like "$(cat err)" "ft record: [0-9,]+ events in the standard output" "... and the summary, too"
count=$(sed -n 's/^ft record: \([0-9,]*\) events.*/\1/p' err | tr -d ,)
t_ok "ft report reads it" "$FT" report saved.dat
cp "$T_TMP/.out" file.txt
t_is "$err" "" "... without a word"
t_is "$(sed 1d file.txt | wc -l)" "$count" "... all events of it"
t_is "$(grep -oE '\[[0-9]{3}\] +[0-9]+\.[0-9]+' file.txt | awk '$2 < last { n++ } { last = $2 } END { print n + 0 }')" 0 \
	"... in the order of time"
t_ok "ft report out of a pipe" sh -c 'cat saved.dat | "$0" report -' "$FT"
cp "$T_TMP/.out" pipe.txt
t_is "$(sed 1d pipe.txt | wc -l)" "$count" "... has all of them, too"
t_ok "... the same ones" cmp <(events_of file.txt) <(events_of pipe.txt)
if command -v trace-cmd >/dev/null; then
	t_is "$(trace-cmd report saved.dat 2>/dev/null | sed 1d | wc -l)" "$count" "trace-cmd reads all of them"
fi
size=$(stat -c %s saved.dat)
head -c $((size - 5000)) saved.dat >cut.dat
t_status 1 "a stream that is cut off" "$FT" report cut.dat
t_ok "... is read up to there" test "$(wc -l <"$T_TMP/.out")" -gt $((count / 2))
t_status 1 "the same out of a pipe" sh -c 'cat cut.dat | "$0" report -' "$FT"
t_like "$err" "the standard input is cut off after [0-9]+ bytes" "... is told"

# Several buffers: each has its parts. Not every machine has a process that calls the kernel just then.
calls=(sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; sleep 0.1; done')
"$FT" record -a -e sched -o - -B one -e sched_switch -B two -e raw_syscalls -- "${calls[@]}" >many.dat 2>err
t_is "$?" 0 "several buffers into one stream"
count=$(sed -n 's/^ft record: \([0-9,]*\) events.*/\1/p' err | tr -d ,)
t_ok "ft report reads it" "$FT" report many.dat
cp "$T_TMP/.out" file.txt
t_is "$(grep -c '\[0' file.txt)" "$count" "... all events of it"
t_is "$(sed 1d file.txt | awk '{ print /^ *(one|two): / ? $1 : "top" }' | sort -u | tr '\n' ' ')" "one: top two: " \
	"... with the names of the buffers"
t_ok "... and trace-cmd does" "$FT" report --check many.dat
t_ok "out of a pipe" sh -c 'cat many.dat | "$0" report -' "$FT"
cp "$T_TMP/.out" pipe.txt
t_ok "... the same ones" cmp <(events_of file.txt) <(events_of pipe.txt)
t_ok "only one CPU of it" sh -c 'cat many.dat | timeout 60 "$0" report --cpu 0 -' "$FT"
t_is "$(grep -c '\[000\]' "$T_TMP/.out")" "$(grep -c '\[000\]' file.txt)" "... has all that this CPU has"
t_ok "printed at once" "$FT" record -q --live -a -o live.dat -B one -e sched_switch -B two -e raw_syscalls -- "${calls[@]}"
t_like "$out" "one: .*sched_switch:" "... from the first buffer"
t_like "$out" "two: .*sys_enter:" "... and from the second"
t_is "$(grep -c '\[0' <<<"$out")" "$("$FT" report live.dat | grep -c '\[0')" "... as much as the file has"

# A name with a plus is not a part of the name before it, unless a number follows.
"$FT" record -a -o - -B one -e sched_switch -B one+more -e raw_syscalls -- "${calls[@]}" >plus.dat 2>err
t_ok "an instance named one+more beside one" sh -c '"$0" report plus.dat >plus.txt' "$FT"
t_like "$(cat plus.txt)" "one\+more: .*sys_enter:" "... is a buffer"
t_ok "... out of a pipe, too" sh -c 'cat plus.dat | "$0" report - >pipe.txt' "$FT"
t_ok "... with the same events" cmp <(events_of plus.txt) <(events_of pipe.txt)
ls "$tracing/instances" >instances
t_status 125 "one+2 beside one" "$FT" record -a -o - -B one -e sched_switch -B one+2 -e raw_syscalls true
t_like "$err" "one\+2 is a part of one: name that instance otherwise, or record into a file" "... is refused"
t_is "$(ls "$tracing/instances")" "$(cat instances)" "... and no instance stays"

# While it comes.
mkfifo pipe
"$FT" record -q -a -e sched -o pipe -d 20 &
recorder=$!
"$FT" report pipe >live.txt 2>live.err &
reader=$!
for n in $(seq 200); do
	[ "$(wc -l <live.txt)" -gt 20 ] && break
	sleep 0.1
done
kill -0 $recorder 2>/dev/null && [ "$(wc -l <live.txt)" -gt 20 ] &&
	t_pass "events are printed while they are recorded" || t_fail "events are printed while they are recorded"
kill -INT $recorder
wait $recorder
t_is "$?" 0 "... the recording ends"
wait $reader
t_is "$?" 0 "... and so does the report"
t_is "$(cat live.err)" "" "... without a word"

# Other files through a pipe, and other outputs.
"$FT" record -q -a -e sched -o plain.dat sleep 0.3
t_ok "an ordinary file through a pipe" sh -c 'cat plain.dat | "$0" report -' "$FT"
t_is "$out" "$("$FT" report plain.dat)" "... reads like the file"
t_status 1 "nothing" sh -c '"$0" report - </dev/null' "$FT"
t_like "$err" "the standard input is cut off after 0 bytes" "... is told"
t_ok "ft record -o /dev/null" "$FT" record -a -e sched -o /dev/null sleep 0.3
t_like "$err" "[1-9][0-9,]* events in /dev/null" "... counts all the same"
t_status 125 "a reader that goes away" bash -c 'set -o pipefail
	"$0" record -q -a -e sched -o - sleep 20 | head -c 1000 >/dev/null; exit ${PIPESTATUS[0]}' "$FT"
t_like "$err" "cannot write the standard output: Broken pipe" "... ends the recording at once"
t_status 125 "compressed" "$FT" record --compress -e sched -o - true
t_like "$err" "lead -o - through zstd" "... is refused with the way to do it"
if command -v script >/dev/null; then
	t_status 125 "to a terminal" script -qec "'$FT' record -e sched -o - true" /dev/null
	t_like "$out" "standard output is a terminal" "... is refused"
fi
t_is "$(ls -d $tracing/instances/ft-* /var/tmp/ft-spool* 2>/dev/null | grep -c "spool")" 0 "no spool file is left"
t_done

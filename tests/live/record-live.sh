#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record --live on this machine's own kernel: events are printed as they come.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1

# count_of FILE: the events that the summary in it tells.
count_of() {
	sed -n 's/^ft record: \([0-9,]*\) events.*/\1/p' "$1" | tr -d ,
}

# Without a file.
t_status 7 "ft record --live ends as the command does" "$FT" record --live -e sched_process_exec \
	sh -c 'echo from the command; /bin/true; exit 7'
t_like "$out" "from the command" "... what the command prints stays where it was"
t_like "$out" $'\n +true-[0-9]+ +\[[0-9]+\] .* sched_process_exec: +filename=/bin/true pid=' "... the events are on the standard output"
t_like "$err" "^ft record: [0-9]+ events, none lost$" "... the summary is on the standard error"
t_is "$(printf '%s\n' "$out" | grep -c sched_process_exec)" "$(count_of "$T_TMP/.err")" "... and counts what is printed"
t_is "$(ls)" "" "... and there is no file"

# With one: the same events.
# shellcheck disable=SC2016 # expanded by the command
t_ok "with a file" "$FT" record --live -a -e sched -e raw_syscalls -o both.dat sh -c '
	{ ls /proc/$PPID/task; tr " " "\n" </proc/$PPID/task/$PPID/children | grep -vx $$; } >ids
	sleep 1'
cp "$T_TMP/.out" live.txt
cp "$T_TMP/.err" err
t_is "$(sed 1d live.txt | wc -l)" "$(count_of err)" "... all events are printed"
t_ok "... which the file has" "$FT" report both.dat
# The names of tasks may be found later.
nameless='s/^.*-[0-9]* *\(\[[0-9]*\] *[0-9]*\.[0-9]*: \)/\1/'
t_is "$(diff <(sed "$nameless" live.txt) <(sed "$nameless" "$T_TMP/.out") | head)" "" "... in the same order"
t_ok "... which is sound" "$FT" report --check both.dat
t_ok "... ft has $(grep -c . ids) tasks" test "$(grep -c . ids)" -ge 5
t_is "$(grep -E "^[^:]*-($(grep . ids | paste -sd '|')) .*: sys_(enter|exit)" live.txt | head -n 3)" "" "... nothing that they do is in it"
t_ok "the styles of ft report" "$FT" record -q --live --nanoseconds --latency --raw --ts-diff -e sched_process_exec /bin/true
t_like "$out" $'\n +[^ ]+ +[0-9]+[^ ]+ +[0-9]+\.[0-9]{9}: .* sched_process_exec: +.*old_pid=' "... are there"

# At once: an event is printed though nothing comes behind it.
"$FT" record -q --live -a -e sched_process_exec -F 'sched_process_exec: filename ~ "*/true"' >at-once.txt 2>err &
pid=$!
wait_for grep -q cpus= at-once.txt
/bin/true
wait_for grep -q sched_process_exec at-once.txt
kill -0 $pid && t_ok "an event is printed while the recording waits" grep -q sched_process_exec at-once.txt
kill -INT $pid
wait $pid
t_is "$?" 0 "... which a signal ends"
t_is "$(cat err)" "" "... quietly"

# The same holds of a stream; what tells it harms no other reader.
t_ok "a stream with pauses" sh -c '"$0" record -e sched_process_exec -o - sh -c "/bin/true; sleep 0.8; /bin/true; sleep 0.8; /bin/true" >pauses.dat' "$FT"
t_like "$err" "ft record: [1-9][0-9]* events" "... has events"
cp "$T_TMP/.err" err
t_ok "ft report reads it" "$FT" report pauses.dat
t_is "$err$(printf '%s\n' "$out" | grep -c exec)" "$(count_of err)" "... all of it"
t_ok "... it is sound" "$FT" report --check pauses.dat
if command -v trace-cmd >/dev/null; then
	t_ok "trace-cmd reads it" trace-cmd report pauses.dat
	t_is "$err$(printf '%s\n' "$out" | grep -c exec)" "$(count_of err)" "... all of it, too"
fi

# One terminal for the command and the events.
"$FT" record -q --live -e sched -e raw_syscalls sh -c 'for n in $(seq 3000); do echo "line $n of the command"; done' | cat >mixed.txt
t_is "$(grep -cE '^line [0-9]+ of the command$' mixed.txt)" 3000 "lines of the command stay whole"
t_is "$(grep -vcE '^(line [0-9]+ of the command|cpus=[0-9]+|.* [0-9]+\.[0-9]{6}: [a-z_]+: .*)$' mixed.txt)" 0 "... and so do those of the events"

# A reader that leaves.
t_ok "a reader that has seen enough" bash -c '"$0" record --live -a -e sched -e raw_syscalls -o enough.dat -d 600 | head -n 3 >three; exit ${PIPESTATUS[0]}' "$FT"
t_like "$err" "^ft record: [0-9,]+ events in enough.dat \([^)]*\), none lost$" "... ends the recording without complaint"
t_is "$(wc -l <three)" 3 "... and has got its lines"
t_ok "... the file is whole" "$FT" report --check enough.dat
t_status 143 "... and a command is told to end" bash -c '"$0" record -q --live -a -e sched sleep 600 | head -n 3 >three; exit ${PIPESTATUS[0]}' "$FT"
t_is "$err" "" "... without a word"
mkfifo stuck
exec 8<>stuck
"$FT" record --live -a -e sched -e raw_syscalls -o stuck.dat >stuck 2>err &
pid=$!
find /usr/share /usr/lib >/dev/null 2>&1
sleep 0.5
kill -INT $pid
sleep 0.5
kill -INT $pid 2>/dev/null
wait $pid
t_is "$?" 0 "a reader that reads no more does not keep ft from ending"
exec 8<&-
t_like "$(cat err)" "^ft record: [0-9,]+ events in stuck.dat" "... at the second signal"
t_ok "... the file is whole" "$FT" report --check stuck.dat
t_status 125 "a full disk" sh -c '"$0" record --live -a -e sched sleep 0.5 >/dev/full' "$FT"
t_like "$err" "cannot write the report: No space left on device" "... is told"
t_like "$err" "ft record: --live could not print all events" "... and is a failure"
t_is "$(ls -d $tracing/instances/ft-* /var/tmp/ft-spool* 2>/dev/null | grep -c spool)" 0 "no spool file is left"
t_done

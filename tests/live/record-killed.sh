#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record killed by SIGKILL at any moment: nothing stays on, and the file is closed.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1
trials=${FT_TRIALS:-20}

is_settled() {
	[ ! -e "/run/ft/$1.journal" ] && [ ! -e "$tracing/instances/ft-$1" ]
}
guardian_of() {
	local pid

	for pid in $(cat "/proc/$1/task/$1/children"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = ft-guardian ] && echo "$pid"
	done
}
# is_sound FILE: ft and trace-cmd read it without a complaint, or there is none.
is_sound() {
	local text

	[ -e "$1" ] || return 0
	text=$("$FT" report "$1" 2>&1 >/dev/null | grep -v '0 events were recorded')
	[ -z "$text" ] || t_note "$text"
	[ -z "$text" ] && { ! command -v trace-cmd >/dev/null || trace-cmd report "$1" >/dev/null 2>&1; }
}

# start FILE WORD...: a recording of everybody in the background that is known to run; leaves its $pid.
start() {
	local word file=$1

	shift
	rm -f told
	mkfifo told
	"$FT" record -q --ready-fd 9 -a -e sched -o "$file" -d 60 "$@" 9>told &
	pid=$!
	read -r word <told && [ "$word" = ready ]
}
# At random moments of the start, the recording, and the closing of the file.
after() {
	sleep "$(printf '0.%03d' $((RANDOM % $1)))"
}
unsettled=''
unsound=''
with_events=0
RANDOM=7
for n in $(seq "$trials"); do
	rm -f killed.dat*
	case $((n % 3)) in
	0)
		"$FT" record -q -a -e sched -e raw_syscalls -o killed.dat -d 60 &
		pid=$!
		;;
	1) start killed.dat -e raw_syscalls ;;
	2)
		start killed.dat -e raw_syscalls
		sleep 0.3
		kill -INT $pid
		;;
	esac
	after 300
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	wait_for is_settled $pid || unsettled+=" $n"
	is_sound killed.dat || unsound+=" $n"
	[ -e killed.dat ] && [ "$("$FT" report killed.dat 2>/dev/null | wc -l)" -gt 1 ] && with_events=$((with_events + 1))
done
t_is "$unsettled" "" "after SIGKILL at $trials moments the guardian takes everything back"
t_is "$unsound" "" "... and every file is whole"
t_ok "... $with_events with events" test "$with_events" -gt 0

start last.dat
t_is $? 0 "a recording runs"
sleep 1.5
kill -USR1 $pid
sleep 0.2
before=$("$FT" report last.dat 2>/dev/null | wc -l)
kill -KILL $pid
wait $pid 2>/dev/null
wait_for is_settled $pid
t_ok "what had reached the file before SIGKILL ($before lines)" test "$("$FT" report last.dat 2>/dev/null | wc -l)" -ge "$before"
t_ok "... is in it" test "$before" -gt 10
t_ok "... and it is whole" is_sound last.dat
t_ok "... and closed up" test "$(stat -c %s last.dat)" -lt 1000000000
t_ok "... the names of tasks" "$FT" report last.dat
t_unlike "$(sed 1d "$T_TMP/.out" | head -n 200 | awk '{ print $1 }' | sort -u | head -n 3 | tr '\n' ' ')" \
	"^(<\.\.\.>-[0-9]+ )+$" "... are in it"

# The guardian, too: the next ft finds the journal.
start orphan.dat
sleep 0.5
kill -KILL "$(guardian_of $pid)"
kill -KILL $pid
wait $pid 2>/dev/null
t_ok "without a guardian the instance stays" test -e "$tracing/instances/ft-$pid"
t_status 0 "the next ft record" "$FT" record -e sched_process_exec -o next.dat true
t_like "$err" "put back what recording $pid had left changed" "... says that it takes back what was left"
t_ok "... the instance is gone" is_settled $pid
t_ok "... and the file is whole" is_sound orphan.dat

# Only the guardian: the recording itself goes on and ends well.
start alone.dat
kill -KILL "$(guardian_of $pid)"
sleep 0.3
kill -INT $pid
wait $pid
t_is "$?" 0 "without its guardian a recording ends as usual"
t_ok "... nothing is left" is_settled $pid
t_ok "... and the file is whole" is_sound alone.dat
t_done

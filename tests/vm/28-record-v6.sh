#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record --file-version 6: ft and trace-cmd read the same lines, killed or not, and what it cannot hold is refused.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# same FILE [DESC [lost]]: of version 6, sound but for losses, and the same lines from ft, ft --compat and trace-cmd; they stay in have.
same() {
	local desc=${2:-ft and trace-cmd read the same}

	t_is "$(head -c 11 "$1" | tail -c 1)" 6 "... it is of version 6"
	trace-cmd report "$1" 2>/dev/null | grep -v '^CPU [0-9]* is empty' >want
	"$FT" report "$1" >have 2>said
	"$FT" report --compat "$1" 2>/dev/null | grep -v '^CPU [0-9]* is empty' >compat
	if [ "$(wc -l <want)" -gt 2 ] && cmp -s want have && cmp -s want compat; then
		t_pass "... $desc: $(wc -l <want) lines"
	else
		t_fail "... $desc: $(wc -l <want) lines"
		t_note "$(diff want have | head -5)" "$(diff want compat | head -5)" "$(cat said)"
	fi
	if [ "${3-}" = lost ]; then
		t_run "$FT" report --check "$1"
		t_is "$(grep -vc "the kernel counted\|events were lost" <<<"$out$err")" 0 "... sound but for them"
	else
		t_ok "... sound" "$FT" report --check "$1"
	fi
}
v6() {
	"$FT" record --file-version 6 "$@"
}

echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
state_save before
t_ok "events" v6 -a -e sched -e irq -o events.dat sh -c 'sleep 0.1; /bin/true; cat /etc/passwd >/dev/null'
same events.dat
t_like "$(cat have)" "true-[0-9]+ +\[" "... with the names of tasks"
t_like "$("$FT" report --uname events.dat)" "boot-id .*clock end " "... and the facts of begin and end"
t_like "$("$FT" report --stat events.dat)" "CPU: 1" "... and the counters"
# On one CPU: where another logs within a leaf, trace-cmd prints the leaf as two lines.
t_ok "the graph" taskset 1 "$FT" record --file-version 6 -p function_graph -l 'vfs_*' -o graph.dat cat /etc/passwd
same graph.dat
t_ok "functions of another clock" v6 -p function -l 'vfs_*' -C global -O irq-info -o function.dat cat /etc/passwd
same function.dat
t_ok "... which the file tells" grep -qaF '[global]' function.dat
t_ok "several buffers" v6 -e sched_process_exec -T -o many.dat -B one -p function -l 'vfs_read' -B two -e sched_process_exit -- cat /etc/passwd
same many.dat
t_like "$(cat have)" "one: .*vfs_read" "... functions in the first"
t_like "$(cat have)" "two: .*sched_process_exit" "... events in the second"
t_ok "only named buffers" v6 -o named.dat -B one -e sched_process_exec -B two -e sched_process_exit -- cat /etc/passwd
same named.dat
t_ok "a ring" v6 -a -e sched --ring 64k -o ring.dat sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.01; done'
same ring.dat
# Nobody reads while ft is stopped.
# shellcheck disable=SC2016 # expanded by the inner shell
t_ok "lost events" v6 -a -e raw_syscalls -b 8k -o lost.dat -- \
	sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=10000; kill -CONT $PPID'
t_like "$err" "lost [0-9,]+ of [0-9,]+ events" "... are told"
same lost.dat "ft and trace-cmd read the same" lost
t_like "$(cat have)" "EVENTS DROPPED" "... and seen where they were"
if [ -e $tracing/buffer_subbuf_size_kb ]; then
	t_ok "large sub-buffers" v6 -a -e sched --subbuf 16k -o large.dat sleep 0.2
	same large.dat
fi
t_ok "printed while it comes, too" v6 --live -e sched_process_exec -o live.dat -- sh -c '/bin/true; /bin/true; /bin/true'
live=$out
same live.dat
t_is "$(grep -c sched_process_exec: <<<"$live")" "$(grep -c sched_process_exec: have)" "... as many lines"
state_save after
state_same before after "the state is as it was"

# By the shell itself: a command would begin under the name of the shell.
mkfifo quiet
echo 1 >$tracing/events/sched/sched_switch/enable
read -r -t 0.2 <>quiet
echo 0 >$tracing/events/sched/sched_switch/enable
t_ok "what the kernel has" v6 --from-kernel -o saved.dat
same saved.dat
echo >$tracing/trace

# Killed: the guardian closes the file; until it has, and when it is killed as well, the file is readable.
settle() {
	for _ in $(seq 100); do
		[ -e "/run/ft/$1.journal" ] || return 0
		sleep 0.1
	done
	t_note "the journal of $1 is still there"
}
state_save before
for n in 1 2 3 4 5 6; do
	start_recording --file-version 6 -a -e sched -e raw_syscalls -o killed.dat -B other -e irq
	sleep 1.$n
	kill -9 $pid
	wait $pid 2>/dev/null
	settle $pid
	same killed.dat "killed, run $n"
	t_is "$(grep -c 'open$' <("$FT" report --uname killed.dat))" 0 "... it does not say that it runs"
done
start_recording --file-version 6 -a -e sched -o both.dat
sleep 1.5
t_run "$FT" report both.dat
t_like "$out" "sched_switch:" "while it runs, ft reads it"
t_like "$err" "it is still being recorded" "... and says so"
# It refuses a file whose table was renewed, for more data, since it asked for the size.
t_ok "... and so does trace-cmd" sh -c 'for try in 1 2 3 4 5; do
	trace-cmd report both.dat >both.txt 2>/dev/null && break
done; grep -q sched_switch both.txt'
guardian=$(pgrep -P $pid -x ft-guardian)
kill -9 "$guardian" $pid
wait $pid 2>/dev/null
for _ in $(seq 100); do
	[ -e "/proc/${guardian:?}" ] || break
	sleep 0.1
done
"$FT" report both.dat >before.txt 2>said
t_like "$(cat said)" "did not end well" "its guardian killed, too: ft reads it, and says what is wrong"
t_ok "the next recording closes it" "$FT" record -q -e sched_process_exec -o next.dat true
same both.dat
t_ok "... with no event less" test "$(wc -l <have)" -ge "$(wc -l <before.txt)"
state_save after
state_same before after "the state is as it was"

if grep -qw wakeup_rt $tracing/available_tracers; then
	t_ok "the text of a latency" v6 -p wakeup_rt -o text.dat chrt -f 5 sh -c 'for i in 1 2 3 4 5 6; do sleep 0.05; done'
	same text.dat
	t_like "$(head -4 have)" "^cpus=[0-9]+.# tracer: wakeup_rt" "... whole"
fi

mkfifo pipe
t_status 1 "into a FIFO" timeout 20 "$FT" record --file-version 6 -e sched -o pipe -d 0.2
t_like "$err" "needs a file: its tables, known at the end, come before the events, and pipe is none" "... cannot be"
if [ -e $tracing/buffer_subbuf_size_kb ]; then
	mkdir $tracing/instances/wide
	echo 16 >$tracing/instances/wide/buffer_subbuf_size_kb
	t_status 125 "an instance of other sub-buffers" v6 -e sched_process_exec -o mixed.dat -B wide -e irq -- true
	t_like "$err" "sub-buffers of one size, here there are some of 4096 and of 16384 bytes: choose version 7" "... is refused"
	t_is "$(ls mixed.dat* 2>/dev/null)" "" "... and no file is left"
	rmdir $tracing/instances/wide
fi
t_done

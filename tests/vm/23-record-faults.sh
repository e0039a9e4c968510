#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Faults around a recording: other people's hands on the buffer, CPUs that go, full disks, odd commands.
# kernels: 6.1 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# start FILE WORD...
start() {
	start_recording -o "$@"
}
# stop WANT DESC
stop() {
	kill -INT "$pid"
	wait "$pid"
	t_is "$?" "$1" "$2"
}
place() {
	[ -e "$tracing/instances/ft-$pid" ] && echo "$tracing/instances/ft-$pid" || echo "$tracing"
}
is_read() {
	t_ok "... ft reads the file" "$FT" report --check "$1"
	t_ok "... and trace-cmd" sh -c 'trace-cmd report "$0" >/dev/null' "$1"
}
unchanged() {
	state_save "$T_TMP/after"
	state_same "$T_TMP/before" "$T_TMP/after" "$1"
}

# The first use of the buffer gives it its full size, whoever uses it; this cannot be undone.
echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
dirty_state
state_save "$T_TMP/before"

start hands.dat -a -e sched
sleep 0.5
echo 0 >"$(place)/tracing_on"
sleep 0.5
stop 0 "tracing_on is switched off by somebody"
is_read hands.dat

start resize.dat -a -e sched
echo 512 >"$(place)/buffer_size_kb"
sleep 0.5
stop 0 "the buffer is resized by somebody"
is_read resize.dat

if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	start cpu.dat -a -e sched
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 0.5
	echo 1 >/sys/devices/system/cpu/cpu1/online
	sleep 0.5
	stop 0 "a CPU goes and comes back"
	is_read cpu.dat
	t_like "$("$FT" report cpu.dat | awk '{ print $2 }' | sort -u | tr '\n' ' ')" "\[000\] \[001\]" "... both CPUs are in it"
else
	t_skip "no CPU can be taken offline"
fi

start first.dat -a -e sched
if [ -e "$tracing/instances/ft-$pid" ]; then
	t_ok "two recordings at once" "$FT" record -q -a -e sched -o second.dat sleep 0.3
	is_read second.dat
else
	t_ok "two recordings at once" "$FT" record -a -e sched -o second.dat sleep 0.3
	t_like "$err" "somebody else traces at the top level: this recording has its own instance" "... the second has its own instance"
	is_read second.dat
	t_status 125 "a second one that needs the top level" "$FT" record -q -a -p function_graph -g vfs_read -o third.dat sleep 0.3
	t_like "$err" "another ft holds the top-level buffer: pid $pid " "... is told who records"
fi
stop 0 "... the first one ends well"
is_read first.dat

# Commands.
t_status 0 "a command that closes all its descriptors" "$FT" record -q -e sched_process_exit -o c.dat -- \
	bash -c 'for f in /proc/self/fd/*; do n=${f##*/}; eval "exec $n>&-" 2>/dev/null; done; exit 0'
is_read c.dat
t_status 0 "a command that changes its user" "$FT" record -q -e sched_process_exec -o u.dat -- \
	setpriv --reuid 65534 --regid 65534 --clear-groups true
is_read u.dat
t_status 0 "a command that forks a lot" "$FT" record -q -e sched_process_fork -o f.dat -- \
	python3 -c 'import os
for i in range(10000):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)'
# An interpreter may fork for itself.
t_ok "... all of its 10,000 children are in it" test "$("$FT" report f.dat | grep -c sched_process_fork)" -ge 10000
is_read f.dat
t_status 0 "a system clock that steps" "$FT" record -q -e sched_process_exec -o t.dat -- \
	sh -c 'date -s "+1 hour" >/dev/null; true; date -s "-1 hour" >/dev/null'
is_read t.dat
unchanged "the state is as it was"

# Signals before it runs: nothing is left, not even a file.
for n in 1 2 3 4 5 6; do
	"$FT" record -q -a -e all -o early.dat -d 20 2>/dev/null &
	pid=$!
	sleep 0.$n
	kill -TERM $pid
	wait $pid
done
unchanged "SIGTERM while it starts, six times"

# Disks that get full: with the metadata, with the data, at the end; and file systems.
for size in 1m 8m 12m; do
	mkdir -p small
	mount -t tmpfs -o size=$size none small
	t_status 125 "a disk of $size" "$FT" record -a -e sched -e raw_syscalls -e kmem -b 1M -o small/x.dat -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); : </dev/null; done'
	t_like "$err" "No space left on device" "... is told"
	t_unlike "$err" "[0-9] [GT]iB" "... without the size of its holes"
	if [ -e small/x.dat ]; then
		t_like "$err" "small/x.dat holds" "... and how much was kept"
		is_read small/x.dat
	fi
	t_is "$(ls small | grep -cv '^x.dat$')" 0 "... nothing else is left"
	umount small
done
mount -t tmpfs -o size=12m none small
timeout 30 sh -c 'while :; do : </dev/null; done' &
load=$!
t_status 125 "a full disk without a command" timeout -s INT 30 "$FT" record -a -e sched -e raw_syscalls -e kmem -b 1M -o small/x.dat
t_like "$err" "No space left on device.*small/x.dat holds" "... is told, and how much was kept"
kill $load
wait $load
is_read small/x.dat
umount small
unchanged "... and the state is as it was"
t_done

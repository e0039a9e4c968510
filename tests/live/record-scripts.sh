#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ft record tells scripts, and what becomes of a file that is there already, on this machine's own kernel.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1

# start WORD...: a recording in the background that is known to run; leaves its $pid.
start() {
	local word

	mkfifo told
	"$FT" record --ready-fd 9 --pid-file pid "$@" 9>told 2>err &
	pid=$!
	read -r word <told
	t_is "$word" ready "the descriptor of --ready-fd gets a line"
	rm told
}
markers() {
	"$FT" report -F 'print: buf ~ "*hello*"' "$1" 2>/dev/null | grep -c hello
}

start -e sched_process_exec -a
t_is "$(cat pid)" "$pid" "the pid file has ft's process id"
t_is "$(cat "$tracing/instances/ft-$pid/tracing_on")" 1 "... and the recording runs by then"
echo hello >$tracing/trace_marker
kill -USR1 "$pid"
sees_marker() {
	[ "$(markers trace.dat)" = 1 ]
}
wait_for sees_marker && t_pass "SIGUSR1 brings what was recorded into the file" ||
	t_fail "SIGUSR1 brings what was recorded into the file"
kill -USR1 "$pid"
echo hello >$tracing/trace_marker
kill -INT "$pid"
wait "$pid"
t_is "$?" 0 "SIGINT ends it"
t_ok "... the pid file is gone" test ! -e pid
t_is "$(markers trace.dat)" 2 "... nothing is lost or there twice by the flushes"

# The descriptor is not the command's.
t_ok "a command" sh -c '"$0" record -q --ready-fd 9 -e sched_process_exec ls -l /proc/self/fd 9>told' "$FT"
t_is "$(cat told)" ready "... with --ready-fd"
t_unlike "$out" "told" "... does not get the descriptor"
rm told
t_status 125 "--ready-fd of a closed one" "$FT" record --ready-fd 77 -e sched_process_exec true
t_like "$err" "--ready-fd 77 is no open descriptor" "... is told"
t_status 125 "--ready-fd without a number" "$FT" record --ready-fd nine -e sched_process_exec true
t_like "$err" "number of a descriptor, not 'nine'" "... is told"
t_status 125 "--pid-file where there can be none" "$FT" record --pid-file /nonexistent/pid -e sched_process_exec true
t_like "$err" "cannot create /nonexistent/pid" "... is told"

# The command ignores SIGINT: the second one stops the recording.
start -e sched_process_exec -- sh -c 'trap "" INT; sleep 60 & echo $! >sleeper; wait; wait'
wait_for test -s sleeper
kill -INT "$pid"
sleep 0.5 # two that wait are one
kill -0 "$pid" && t_pass "the first SIGINT is the command's" || t_fail "the first SIGINT is the command's"
kill -INT "$pid"
wait "$pid"
t_is "$?" 143 "the second SIGINT ends the recording"
t_ok "... whose file can be read" "$FT" report
kill "$(cat sleeper)"

# Files that are there already.
rm -f -- *.dat*
echo precious >trace.dat
t_ok "ft record over a file" "$FT" record -q -e sched_process_exec true
t_is "$(cat trace.dat.old)" precious "... keeps it as trace.dat.old"
first=$(sha256sum <trace.dat)
t_ok "once more" "$FT" record -q -e sched_process_exec true
t_is "$(sha256sum <trace.dat.old)" "$first" "... the last one is kept"
t_status 125 "a recording that fails" "$FT" record -q -e nosuch_event true
t_is "$(sha256sum <trace.dat.old)" "$first" "... keeps what was kept"
mkdir sub
echo precious >sub/x.dat
mkdir sub/x.dat.old
t_status 125 "a file that cannot be kept" "$FT" record -q -o sub/x.dat -e sched_process_exec true
t_like "$err" "sub/x.dat is there already and cannot be kept as .*x.dat.old" "... is told"
t_is "$(cat sub/x.dat)" precious "... and left alone"

# Other forms of the file, which trace-cmd reads like ft.
same_text() {
	! command -v trace-cmd >/dev/null ||
		cmp <(trace-cmd report "$1" 2>/dev/null) <("$FT" report "$1")
}
for option in --compress --compress=zstd:9 --compress=none; do
	t_ok "ft record $option" "$FT" record -a -e sched "$option" -o form.dat sleep 0.5
	t_ok "... the file is sound" "$FT" report --check form.dat
	t_ok "... trace-cmd reads the same" same_text form.dat
	t_like "$("$FT" report form.dat)" "sched_switch:" "... and events are in it"
done
t_ok "ft record --compress=zlib" "$FT" record -a -e sched --compress=zlib:3 -o form.dat sleep 0.5
t_ok "... the file is sound" "$FT" report --check form.dat
t_like "$("$FT" report --check form.dat)" "trace-cmd (here cannot read it, it was built without zlib|and KernelShark read the same)" \
	"... and it is said whether trace-cmd reads it"
t_like "$("$FT" report form.dat)" "sched_switch:" "... and events are in it"
"$FT" record -q -a -e sched -e raw_syscalls -o plain.dat sleep 1
"$FT" record -q -a -e sched -e raw_syscalls --compress -o form.dat sleep 1
t_ok "compressed files are smaller" test "$(stat -c %s form.dat)" -lt "$(($(stat -c %s plain.dat) / 2))"
for bad in lz4 zstd:0 zstd:x zlib:10 none:1 :; do
	t_status 125 "ft record --compress=$bad" "$FT" record -e sched "--compress=$bad" true
	t_like "$err" "compress=$bad: (it is one of|the levels of z[a-z]+ are 1 to|none has no)" "... is refused"
done
if [ -e $tracing/buffer_subbuf_size_kb ]; then
	t_ok "ft record --subbuf 64k" "$FT" record -a -e sched --subbuf 64k -o form.dat sleep 0.5
	t_ok "... the file is sound" "$FT" report --check form.dat
	t_ok "... trace-cmd reads the same" same_text form.dat
	t_like "$("$FT" report form.dat)" "sched_switch:" "... and events are in it"
	t_status 125 "ft record --subbuf 1M" "$FT" record -e sched --subbuf 1M true
	t_like "$err" "--subbuf takes a power of two from" "... is refused"
	t_status 125 "ft record --subbuf 64k -b 128k" "$FT" record -e sched --subbuf 64k -b 128k true
	t_like "$err" "has no room for three of them" "... is refused"
else
	t_status 125 "ft record --subbuf" "$FT" record -e sched --subbuf 64k true
	t_like "$err" "this kernel has sub-buffers of" "... is refused"
fi

# A line of progress, where a person looks.
if command -v script >/dev/null; then
	t_ok "on a terminal" script -qec "'$FT' record -e sched -a -d 1.2" /dev/null
	t_like "$out" "0:01  [0-9,]+ events/s  [0-9.]+ [KM]?i?B  [0-9,]+ lost" "... it is told how it goes"
	t_like "$out" "ft record: [0-9,]+ events in" "... and the summary comes behind"
	t_ok "with a command" script -qec "'$FT' record -e sched sleep 1.2" /dev/null
	t_unlike "$out" "events/s" "... the terminal is the command's"
fi
t_ok "without a terminal" "$FT" record -e sched -a -d 1.2
t_unlike "$err" "events/s" "... there is no progress"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record on this machine's own kernel: events, in an instance of its own, without a trace of it afterwards.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1

# What ft could touch, as far as it can be read: others may record meanwhile, in their instances.
snapshot() {
	local file

	for file in $tracing/{current_tracer,trace_clock,tracing_on,tracing_cpumask,tracing_thresh,trace_options} \
		$tracing/{buffer_size_kb,buffer_percent,buffer_subbuf_size_kb,saved_cmdlines_size,max_graph_depth} \
		$tracing/set_{event,event_pid,event_notrace_pid,graph_function,graph_notrace} \
		$tracing/set_ftrace_{filter,notrace,pid,notrace_pid} $tracing/{dynamic_events,error_log} \
		$tracing/events/{enable,header_page} $tracing/events/*/enable $tracing/events/sched/*/{filter,trigger} \
		$tracing/options/* $tracing/per_cpu/cpu*/buffer_size_kb /proc/sys/kernel/ftrace_enabled; do
		[ -e "$file" ] && echo "$file: $(cat "$file" 2>&1)"
	done
}

is_gone() {
	[ ! -e "$tracing/instances/ft-$1" ]
}

snapshot >before

t_ok "ft record -e sched -a sleep 1" "$FT" record -e sched -a sleep 1
t_is "$out" "" "... keeps stdout for the command"
t_like "$err" "^ft record: [0-9,]+ events in trace.dat \([0-9.]+ [KM]iB\), (none lost|with losses)" "... sums it up in a line"
t_ok "... writes trace.dat" test -s trace.dat
t_ok "ft report reads it" "$FT" report
t_is "$err" "" "... without a word"
t_like "$out" "sched_switch:" "... it has what was asked for"
if command -v trace-cmd >/dev/null; then
	t_is "$(trace-cmd report trace.dat 2>/dev/null | wc -l)" "$(wc -l <"$T_TMP/.out")" "trace-cmd reads as many events"
fi

t_ok "only the command and its children" "$FT" record -e sched_process_exec -o own.dat sh -c '/bin/true; /bin/true; exit 0'
t_ok "..." "$FT" report own.dat
t_is "$(grep -c 'filename=/bin/true' "$T_TMP/.out")" 2 "... all of theirs"
t_is "$(sed 1d "$T_TMP/.out" | grep -vcE 'filename=(/bin/true|[^ ]*/sh) ')" 0 "... and nobody else's"

# The status, and what the command is given.
t_status 3 "the command's status" "$FT" record -q -e sched_switch -- sh -c 'exit 3'
t_is "$out$err" "" "... quietly"
t_status 143 "its signal" "$FT" record -q -e sched_switch -- sh -c 'kill -TERM $$'
t_status 127 "a command that is not there" "$FT" record -e sched_switch nosuchprog
echo '#!/nonexistent/interpreter' >script
chmod +x script
t_status 127 "a script without its interpreter" "$FT" record -q -e sched_switch ./script
t_like "$err" "cannot execute" "... is told"
# shellcheck disable=SC2016 # expanded by the inner shell
t_ok "stdin and stdout are the command's" sh -c 'echo hello | "$0" record -q -e sched_switch cat' "$FT"
t_is "$out" "hello" "... untouched"
status_of='grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status; ls -l /proc/self/fd | grep -c " -> /"'
t_ok "signals and descriptors" "$FT" record -q -e sched_switch sh -c "$status_of"
t_is "$out" "$(sh -c "$status_of" </dev/null 2>"$T_TMP/.err2")" "... are as without ft"

# start FILE WORD...: a recording in the background; leaves its $pid.
start() {
	local file=$1

	shift
	"$FT" record -o "$file" "$@" 2>"$file.err" &
	pid=$!
	wait_for grep -qs 1 "$tracing/instances/ft-$pid/tracing_on" || t_note "$(cat "$file.err")"
}
has_events() {
	"$FT" report "$1" 2>/dev/null | grep -q sched_switch:
}
ended() {
	wait $pid
	t_is "$?" "$1" "$2"
	t_ok "... the instance is gone" is_gone $pid
}

# Where it is recorded.
start where.dat -e sched -a sleep 60
t_ok "the recording has an instance of its own" test -e "$tracing/instances/ft-$pid"
t_is "$(cat $tracing/instances/ft-$pid/events/sched/enable)" 1 "... with its events"
t_like "$(cat $tracing/instances/ft-$pid/trace_clock)" "\[mono\]" "... and its clock"
threads=$(cd /proc/$pid/task && echo *)
wait_for has_events where.dat && t_pass "... the file can be read meanwhile" || t_fail "... the file can be read meanwhile"
kill -TERM $pid
ended 143 "a signal is passed on to the command"
t_ok "... and the file can be read" "$FT" report where.dat
# The kernel records a switch or a wakeup when one of the two may be traced.
t_is "$(awk -v "ids=$threads" 'BEGIN { n = split(ids, id, " ") } !/sched_(switch|waking|wakeup):/ {
	for (i = 1; i <= n; i++) if ($1 == "ft-" id[i] || $1 == "ft-guardian-" id[i]) print }' "$T_TMP/.out" | head -n 3)" \
	"" "... it has no event of ft itself"

start alone.dat -e sched_switch
kill -INT $pid
ended 0 "without a command a signal is an ordinary end"
t_like "$(cat alone.dat.err)" "events in alone.dat" "... with its summary"
t_ok "--duration ends it too" "$FT" record -q -e sched_switch -d 0.2 -o short.dat
start killed.dat -e sched -a sleep 30
wait_for has_events killed.dat
kill -KILL $pid
wait $pid 2>/dev/null
wait_for is_gone $pid && t_pass "after SIGKILL the guardian removes the instance" ||
	t_fail "after SIGKILL the guardian removes the instance"
t_ok "... and the file has what had reached it" has_events killed.dat

# Markers of programs, wherever they are written.
t_ok "markers of the command" "$FT" record -q -e sched_process_exec -o mark.dat -- \
	sh -c "echo hello from the shell >$tracing/trace_marker"
t_ok "..." "$FT" report mark.dat
t_like "$out" "print: .*hello from the shell" "... are in its recording"

# trace_printk() has one buffer only: ft's own while it records, when nobody else wants it.
dest=options/trace_printk_dest
if [ -e $tracing/$dest ] && [ "$(cat $tracing/$dest $tracing/current_tracer)" = "1
nop" ] && [ -z "$(cat $tracing/set_event)" ]; then
	dests() {
		"$FT" record -q -o dest.dat "$@" sh -c "cat $tracing/$dest $tracing/instances/*/$dest | tr -d '\n'"
		cat $tracing/$dest
	}
	given_back() {
		[ "$(cat $tracing/$dest)" = 1 ]
	}
	t_is "$(dests -e sched_process_exec)" 011 "the output of trace_printk() is the recording's, and the top level's after it"
	t_is "$(dests -O notrace_printk_dest -e sched_process_exec)" 101 "... not with -O notrace_printk_dest"
	t_is "$(dests -B "other-$$" -e sched_process_exec)" 101 "... nor for an instance of -B"
	t_is "$(dests -B "other-$$" -O trace_printk_dest -e sched_process_exec)" 011 "... which gets it with -O trace_printk_dest"
	start printk.dat -e sched_process_exec -a sleep 30
	t_is "$(cat $tracing/$dest)" 0 "... it is moved"
	t_status 125 "another recording that wants it" "$FT" record -o second.dat -O trace_printk_dest -e sched_process_exec true
	t_like "$err" "trace_printk_dest: the instance ft-[0-9]+ has the output of trace_printk\(\), only one can have it" "... is refused"
	t_ok "... but one that does not is not" "$FT" record -q -o second.dat -e sched_process_exec true
	t_is "$(cat $tracing/$dest)" 0 "... and leaves it to the first"
	kill -KILL $pid
	wait $pid 2>/dev/null
	wait_for given_back && t_pass "... after SIGKILL the guardian gives it back" || t_fail "... after SIGKILL the guardian gives it back"
	echo 1 >$tracing/events/sched/sched_process_exit/enable
	t_is "$(dests -e sched_process_exec)" 101 "... nor when somebody traces at the top level"
	echo 0 >$tracing/events/sched/sched_process_exit/enable
fi

# What cannot be.
mkdir refused
cd refused || exit 1
t_status 125 "a tracer that this kernel lacks" "$FT" record -p nosuch_tracer true
t_like "$err" "no tracer 'nosuch_tracer' on this kernel" "... is told"
if ! grep -qw function_graph $tracing/available_tracers; then
	t_status 125 "ft record -p function_graph" "$FT" record -p function_graph true
	t_like "$err" "no tracer 'function_graph' on this kernel" "... fails with the reason"
fi
t_status 125 "an event that there is not" "$FT" record -e sched:sched_swich true
t_like "$err" "did you mean sched:sched_switch" "... gets the nearest"
t_status 125 "a file that cannot be" "$FT" record -e sched_switch -o /nonexistent/x.dat true
t_like "$err" "/nonexistent/x.dat.*No such file or directory" "... is told"
t_status 125 "a disk" "$FT" record -e sched_switch -o "$(ls /dev/vda /dev/sda /dev/loop0 2>/dev/null | head -n 1)" true
t_like "$err" "is a disk and not a file|needs the name" "... is told"
t_status 125 "a folder" "$FT" record -e sched_switch -o . true
t_is "$(ls)" "" "... and no file is left"
cd ..
# The journal is the first file that ft opens: it must not become the stderr that is missing.
# shellcheck disable=SC2016 # expanded by the inner shell
t_ok "without a stderr" sh -c '"$0" record -v -e sched_process_exec -o mute.dat true 2>&-' "$FT"
t_ok "... the file is whole" "$FT" report mute.dat
t_unlike "$(strings mute.dat)" "ft record:" "... and the summary is not in it"

snapshot >after
t_is "$(diff before after)" "" "the kernel's state is as it was"
t_is "$(pgrep -x ft-guardian -P $$)" "" "no process is left"
t_done

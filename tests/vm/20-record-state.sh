#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever becomes of a recording, the kernel's tracing state is as it was before.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1

# unchanged DESC: the state is that of $T_TMP/before.
unchanged() {
	state_save "$T_TMP/after"
	state_same "$T_TMP/before" "$T_TMP/after" "$1"
}

# What a recording makes different while it runs, wherever it runs.
is_tracing() {
	grep -qs . /run/ft/*.journal && [ -s running.dat ] &&
		{ [ "$(cat /sys/kernel/tracing/tracing_on)" = 1 ] ||
			grep -qs 1 /sys/kernel/tracing/instances/ft-*/tracing_on; }
}

# stopped_by SIGNAL WANT: a recording of the whole system that gets the signal.
stopped_by() {
	local pid got

	rm -f running.dat
	"$FT" record -a -p function -l 'vfs_*' -e sched -o running.dat 2>stopped.err &
	pid=$!
	wait_for is_tracing || t_note "it did not start: $(cat stopped.err)"
	kill -"$1" "$pid"
	wait "$pid"
	got=$?
	t_is "$got" "$2" "SIG$1 ends a recording with $2"
	t_ok "... whose file can be read" sh -c 'trace-cmd report running.dat | grep -q vfs_'
	unchanged "... and the state is as it was"
}

# refused WANT PATTERN ARGS...: an error with that text, before anything is changed.
refused() {
	local want=$1 pattern=$2

	shift 2
	rm -f trace.dat
	t_status "$want" "refused: ft record $*" "$FT" record "$@"
	t_like "$err" "$pattern" "... and says why"
	t_ok "... and writes no file" test ! -e trace.dat
}

ordinary_cases() {
	t_status 0 "function_graph ($1)" "$FT" record -p function_graph -o fg.dat ls /
	unchanged "... leaves the state as it was"
	t_like "$(trace-cmd report fg.dat 2>&1 | head -n 2000)" "ls-[0-9]+ .*\(\);" "... and has calls of ls"
	t_status 3 "function by name ($1)" "$FT" record -l 'vfs_*' -n vfs_write -O noirq-info -C global -b 512 -o fn.dat \
		-- sh -c 'cat /etc/passwd >/dev/null; exit 3'
	unchanged "... leaves the state as it was"
	text=$(trace-cmd report fn.dat 2>/dev/null)
	t_like "$text" "function: +vfs_read" "... has the function"
	t_unlike "$text" "function: +vfs_write" "... has not the excluded one"
	t_status 0 "a graph below one function ($1)" "$FT" record -g vfs_read -o g.dat cat /etc/passwd
	t_like "$(trace-cmd report g.dat 2>/dev/null)" "vfs_read" "... has it"
	unchanged "... leaves the state as it was"
	t_status 0 "events ($1)" "$FT" record -e sched -e 'irq:irq_*' -e sys_enter_openat -o ev.dat cat /etc/passwd
	unchanged "... leaves the state as it was"
	t_like "$(trace-cmd report ev.dat 2>/dev/null)" "sched_switch" "... has them"
}

bad_ends() {
	stopped_by INT 0
	stopped_by TERM 0
	stopped_by HUP 0
	stopped_by QUIT 0

	# All of them before one look at the state: each look takes seconds.
	refused 125 "no tracer 'function_grap' .*did you mean function_graph" -p function_grap true
	refused 125 "sched:sched_swich.*did you mean sched:sched_switch" -e sched:sched_swich true
	refused 125 "nosuchfunc" -p function -l nosuchfunc true
	refused 125 "vfs_raed.*did you mean .*vfs_read" -l vfs_raed true
	refused 125 "vfs_raed" -g vfs_raed true
	refused 125 "no trace option 'overwrit' .*overwrite" -e sched -O overwrit true
	refused 125 "no clock 'mnoo' .*mono" -e sched -C mnoo true
	refused 2 "no option --evnt" --evnt=sched
	refused 127 "command 'nosuchprog' not found" -e sched nosuchprog
	refused 126 "cannot execute '/etc/passwd'" -e sched /etc/passwd
	refused 125 "/nonexistent/x.dat" -p function -o /nonexistent/x.dat true

	unchanged "none of these changes anything"

	mkdir -p small
	mount -t tmpfs -o size=12m none small
	t_status 125 "a disk that gets full" "$FT" record -p function -a -b 2M -o small/full.dat -d 30 -- sleep 30
	t_like "$err" "No space left on device" "... is told"
	unchanged "... and the state is as it was"
	t_ok "... and what fitted can be read" sh -c 'trace-cmd report small/full.dat | head -n 100 | grep -q function:'
	umount small

	rm -f running.dat
	"$FT" record -a -p function -l 'vfs_*' -e sched -o running.dat 2>/dev/null &
	pid=$!
	wait_for is_tracing
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	wait_for sh -c '! ls /run/ft/*.journal' 2>/dev/null
	unchanged "after SIGKILL the guardian puts everything back"
}

# The first use of the buffer gives it its full size, whoever uses it; this cannot be undone.
echo 1 >/sys/kernel/tracing/events/sched/sched_switch/enable
echo 0 >/sys/kernel/tracing/events/sched/sched_switch/enable

state_save "$T_TMP/before"
ordinary_cases "in a clean kernel"
dirty_state
state_save "$T_TMP/before"
ordinary_cases "in a kernel that others use"
bad_ends
clean_state
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sections and system calls from a recording that is made now: the numbers of an independent computation.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
dir=$T_TOP/tests/golden/analyses
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/syscalls/sys_enter_clock_nanosleep ] || t_skip_all "this kernel has no events of system calls"
[ "$(cat $tracing/tracing_on)" = 1 ] || t_skip_all "tracing is off at the top level, which takes no markers then"
command -v trace-cmd >/dev/null || t_skip_all "trace-cmd is not installed"
command -v cc >/dev/null || t_skip_all "there is no compiler"
unset FT_TRACEFS
export PAGER=false FT_PAGER=false
cd "$T_TMP" || exit 1

t_ok "the program is built" cc -O1 -pthread -o workload "$dir/workload.c"
t_ok "three sections of 100 ms, with events" "$FT" record -o live.dat -e sched_switch \
	-e sys_enter_clock_nanosleep -e sys_exit_clock_nanosleep -e sys_enter_openat -e sys_exit_openat -- ./workload 100
t_ok "--sections" "$FT" report --sections --tsv live.dat
t_is "$out" "$(python3 "$dir/independent.py" sections live.dat)" "... has the numbers of the independent computation"
t_is "$(printf '%s\n' "$out" | awk -F '\t' '$1 == "work" { print $5 }')" 3 "... three instances"
t_is "$(printf '%s\n' "$out" | awk -F '\t' '$1 == "work" && $9 >= 100000000 { print "slept" }')" slept "... of no less than was slept"
ask=(sys_enter_clock_nanosleep sys_exit_clock_nanosleep)
t_ok "--between" "$FT" report --tsv --between "${ask[@]}" live.dat
t_is "$out" "$(python3 "$dir/independent.py" between live.dat "${ask[@]}")" "... has the numbers of the independent computation"
t_ok "--syscalls" "$FT" report --tsv --syscalls live.dat
t_is "$out" "$(python3 "$dir/independent.py" syscalls live.dat)" "... has the numbers of the independent computation"
t_is "$err" "" "... of which all processes are known"
t_is "$(awk -F '\t' '$1 == "pid" { on = 1 } !NF { on = 0 } on && $4 == "clock_nanosleep" { print $3, $5 }' <<<"$out" | sed 1q)" \
	"2 16" "... two threads of one process slept"

# The recipe of the manual, with the real perf.
loop='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
if perf record -q -o perf.data true 2>why; then
	t_ok "perf around ft" perf record -q --sample-cpu -k mono -g -o perf.data -- \
		"$FT" record -q -e sched -o both.dat sh -c "$loop"
	perf script --ns -i perf.data -F comm,tid,cpu,time,event,ip,sym >script 2>/dev/null
	t_ok "--merge" "$FT" report --merge script both.dat
	t_unlike "$(grep -cE '^sh ' script)" '^0$' "... there are samples of the command"
	t_is "$(grep -cE '^ +sh-[0-9]+ .*(cpu-clock|cycles)' <<<"$out")" "$(grep -cE '^sh ' script)" "... all of them are printed"
	t_is "$(grep -oE ' [0-9]+\.[0-9]{6}:' <<<"$out" | LC_ALL=C sort -n -c 2>&1)" "" "... in the order of time"
else
	t_skip "perf cannot record here: $(head -1 why)"
fi
t_done

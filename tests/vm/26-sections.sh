#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Markers between the kernel's functions: the program of the manual page, its sections, what is inside of them, and the
# profile of that.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
export PAGER=false FT_PAGER=false
dir=$T_TOP/tests/golden/analyses
cd "$T_TMP" || exit 1
command -v cc >/dev/null || t_skip_all "there is no compiler"
command -v trace-cmd >/dev/null || t_skip_all "trace-cmd is not installed"

# column NAME: the values below that head, of the first table in $out.
column() {
	awk -F '\t' -v name="$1" '!NF { exit } NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' <<<"$out"
}

# The sleeps are of 100 ms, and a jiffy is 10 at most.
all_slept() {
	local n

	for n; do
		((n >= 90000000)) || return 1
	done
}

dirty_state
state_save state.before
sed -n '/^\.\\" example sections.c$/,/^\.\\" end$/p' "$T_TOP/man/ft-marker.1" | sed '/^\./d' >sections.c
t_ok "the program of the manual page" cc -I "$T_TOP/include" -o sections sections.c
t_ok "... is recorded with function_graph and events" "$FT" record -o demo.dat -p function_graph -g '*_sys_clock_nanosleep' \
	-e '*_clock_nanosleep' -- ./sections
t_ok "... and printed" "$FT" report demo.dat
t_is "$(grep -oE '[BE]\|[0-9]+(\|work)?$|sys_(enter|exit)_clock_nanosleep:|(do|_sys_clock)_nanosleep\(\)' <<<"$out" |
	sed 's/|[0-9]*/|PID/')" \
	"$(for n in 1 2 3; do
		printf '%s\n' 'B|PID|work' sys_enter_clock_nanosleep: '_sys_clock_nanosleep()' 'do_nanosleep()' \
			sys_exit_clock_nanosleep: 'E|PID'
	done)" "... its sections stand around what the kernel did"
t_ok "--sections" "$FT" report --sections --tsv demo.dat
t_is "$out" "$(python3 "$dir/independent.py" sections demo.dat)" "... has the numbers of the independent computation"
t_is "$(column name) $(column count) $(column comm)" "work 3 sections" "... three instances, of the program"
longest=$(column max_ns) shortest=$(column min_ns)
t_ok "... of no less than was slept" all_slept "$shortest"
ask=(sys_enter_clock_nanosleep sys_exit_clock_nanosleep)
t_ok "--between" "$FT" report --tsv --between "${ask[@]}" demo.dat
t_is "$out" "$(python3 "$dir/independent.py" between demo.dat "${ask[@]}")" "... has the numbers of the independent computation"
t_is "$(column count)" 3 "... three sleeps"
least=$(column min_ns) most=$(column max_ns)
t_ok "... each in its section" test "$least" -le "$shortest" -a "$most" -le "$longest"
t_ok "... of no less than was asked for" all_slept "$least"
t_ok "--inside" "$FT" report --inside work demo.dat
t_is "$(grep -c 'funcgraph_entry: .*do_nanosleep() {' <<<"$out")" 3 "... shows the calls"
t_ok "--syscalls" "$FT" report --tsv --inside work --syscalls demo.dat
t_is "$(column call) $(column count)" "clock_nanosleep 3" "... counts the system calls in them"
t_ok "--profile" "$FT" report --tsv --inside work --profile demo.dat
t_is "$(awk -F '\t' '$1 == "do_nanosleep" { print $2 }' <<<"$out")" 3 "... and the functions"

# Nested, recursive and async sections in threads.
t_ok "a program with threads" cc -O1 -pthread -o workload "$dir/workload.c"
t_ok "... is recorded" "$FT" record -o graph.dat -p function_graph -g '*_sys_clock_nanosleep' -e '*_clock_nanosleep' \
	-e sched_switch -- ./workload 10
t_ok "--sections" "$FT" report --sections --tsv graph.dat
t_is "$out" "$(python3 "$dir/independent.py" sections graph.dat)" "... has the numbers of the independent computation"
t_ok "--between" "$FT" report --tsv --between "${ask[@]}" graph.dat
t_is "$out" "$(python3 "$dir/independent.py" between graph.dat "${ask[@]}")" "... has the numbers of the independent computation"
t_ok "--syscalls" "$FT" report --tsv --syscalls graph.dat
t_is "$out" "$(python3 "$dir/independent.py" syscalls graph.dat)" "... has the numbers of the independent computation"
t_is "$err" "" "... of which all processes are known"
t_is "$(awk -F '\t' '$1 == "pid" { on = 1 } !NF { on = 0 } on && $4 == "clock_nanosleep" { print $3, $5 }' <<<"$out" | sed 1q)" \
	"2 16" "... two threads of one process slept"
t_ok "--inside" "$FT" report --inside work graph.dat
# The clock of a guest may stand still for milliseconds: what begins at the moment of an end is in it, too.
ends=$(grep -oE ' [0-9.]+: print:.* E\|' <<<"$out" | grep -oE '^ [0-9.]+:')
t_unlike "$(grep -vF "$ends" <<<"$out")" 'B\|[0-9]+\|recurse' "... is of the section only"
t_ok "--profile" "$FT" report --inside work --profile --tsv graph.dat
# Two sleeps in each of the three.
t_is "$(awk -F '\t' '$1 == "do_nanosleep" { print $2 }' <<<"$out")" 6 "... counts the functions in it"
t_is "$(awk -F '\t' '$1 == "clock_nanosleep" { print $2; exit }' <<<"$out")" 6 "... and the system calls"
state_save state.after
state_same state.before state.after "the state is as it was"
t_done

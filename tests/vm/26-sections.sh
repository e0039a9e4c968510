#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Markers between the kernel's functions: sections, what is inside of them, and its profile.
# kernels: full
. "$(dirname "$0")/../lib.sh"
export PAGER=false FT_PAGER=false
dir=$T_TOP/tests/golden/analyses
cd "$T_TMP" || exit 1

t_ok "the program is built" cc -O1 -pthread -o workload "$dir/workload.c"
t_ok "three sections with function_graph and events" "$FT" record -o graph.dat -p function_graph -g '*clock_nanosleep*' \
	-e sys_enter_clock_nanosleep -e sys_exit_clock_nanosleep -e sched_switch -- ./workload 100
trace-cmd report -t graph.dat 2>/dev/null >graph.txt
t_ok "--sections" "$FT" report --sections --tsv graph.dat
t_is "$out" "$(python3 "$dir/independent.py" sections graph.dat)" "... has the numbers of the independent computation"
t_is "$(printf '%s\n' "$out" | awk -F '\t' '$1 == "work" { print $5 }')" 3 "... three instances"
ask=(sys_enter_clock_nanosleep sys_exit_clock_nanosleep)
t_ok "--between" "$FT" report --tsv --between "${ask[@]}" graph.dat
t_is "$out" "$(python3 "$dir/independent.py" between graph.dat "${ask[@]}")" "... has the numbers of the independent computation"
t_ok "--inside" "$FT" report --inside work graph.dat
t_like "$out" 'B\|[0-9]+\|work' "... begins with the marker"
t_like "$out" 'funcgraph_entry: .*do_nanosleep\(\) \{' "... shows the calls"
# The clock of a guest may stand still for milliseconds: what begins at the moment of an end is in it, too.
ends=$(grep -oE ' [0-9.]+: print:.* E\|' <<<"$out" | grep -oE '^ [0-9.]+:')
t_unlike "$(grep -vF "$ends" <<<"$out")" 'B\|[0-9]+\|recurse' "... of the section only"
t_ok "--profile" "$FT" report --inside work --profile --tsv graph.dat
# Two sleeps in each of the three.
t_is "$(printf '%s\n' "$out" | awk -F '\t' '$1 == "do_nanosleep" { print $2 }')" 6 "... counts them"
t_is "$(printf '%s\n' "$out" | awk -F '\t' '$1 == "clock_nanosleep" { print $2; exit }')" 6 "... and the system calls"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report --sections and --between on real recordings: every number beside an independent computation.
. "$(dirname "$0")/../../lib.sh"
export PAGER=false FT_PAGER=false
dir=$T_TOP/tests/golden/analyses
events=$dir/events.dat

# same DESC WANTED-BY-INDEPENDENT -- FT-ARGS: the two print the same.
same() {
	local desc=$1 want ask=()

	shift
	while [ "$1" != -- ]; do
		ask+=("$1")
		shift
	done
	shift
	want=$("$dir/independent.py" "${ask[@]}") || t_fail "$desc: the independent computation failed"
	t_ok "$desc" "$FT" report --tsv "$@"
	t_is "$out" "$want" "... has the numbers of the independent computation"
	t_is "$err" "" "... without a word"
}

if command -v trace-cmd >/dev/null; then
	same "--sections" sections "$events" -- --sections "$events"
	same "--sections of another" sections "$dir/raw.dat" -- --sections "$dir/raw.dat"
	same "--between of two events" between "$events" sys_enter_clock_nanosleep sys_exit_clock_nanosleep -- \
		--between sys_enter_clock_nanosleep sys_exit_clock_nanosleep "$events"
	same "--between of markers" between "$events" 'print=^request .* start$' 'print=^request .* stop$' -- \
		--between 'request * start' 'request * stop' "$events"
	same "--between of an event with a filter" between "$dir/raw.dat" 'sys_enter=^NR 3 ' 'sys_exit=^NR 3 ' -- \
		--between 'sys_enter[id == 3]' 'sys_exit[id == 3]' "$dir/raw.dat"
	same "--between --by cpu" between "$events" sched_switch sched_switch cpu -- \
		--between sched_switch sched_switch --by cpu "$events"
	same "--between --by FIELD=FIELD" between "$events" sched_waking sys_exit_clock_nanosleep pid=PID -- \
		--between sched_waking sys_exit_clock_nanosleep --by pid=PID "$events"
else
	t_skip "trace-cmd is not installed"
fi

t_ok "the table of sections" "$FT" report --sections "$events"
t_like "$out" '^SECTION +PID +TID +COMM +COUNT +TOTAL\(us\) +SELF' "... has a head"
t_like "$out" '
work +([0-9]+) +\1 +workload +3 ' "... and three instances"
t_unlike "$out" "UNCERTAIN" "... and no column of zeros"
t_ok "JSON" "$FT" report --sections --json "$events"
cp "$T_TMP/.out" "$T_TMP/sections.json"
t_ok "... can be read" python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["sections"]
work = [r for r in rows if r["name"] == "work"]
assert len(work) == 1 and work[0]["count"] == 3, work
assert [r["tid"] for r in rows if r["name"] == "job"] == [None], rows
assert sum(r["unopened"] for r in rows if r["name"] is None) == 1, rows' "$T_TMP/sections.json"
t_ok "JSON of --between" "$FT" report --json --between sys_enter_close sys_exit_close "$events"
cp "$T_TMP/.out" "$T_TMP/between.json"
t_ok "... can be read" python3 -c 'import json, sys
all = json.load(open(sys.argv[1]))
count = all["latency"][0]["count"]
assert count == sum(b["count"] for b in all["histogram"]) and count >= 3, all
assert len(all["worst"]) == min(count, 5), all' "$T_TMP/between.json"
t_ok "--worst" "$FT" report --tsv --worst 1 --between sys_enter_close sys_exit_close "$events"
t_is "$(printf '%s\n' "$out" | sed -n '/^time_ns/,$p' | wc -l)" 2 "... limits them"

t_ok "a window of time" "$FT" report --sections --tsv --until +50ms "$events"
t_like "$out" '
work	[0-9]+	[0-9]+	workload	0	.*	1	0	0' "... in which a section is not closed"
t_status 1 "a thread without sections" "$FT" report --sections --pid 1 "$events"
t_like "$err" "^ft report: no section: no marker reads" "... is told"
t_status 1 "an event that is not there" "$FT" report --between sys_enter_clos sys_exit_close "$events"
t_like "$err" "--between: no event sys_enter_clos in the file.*no marker has the text" "... is told"
t_status 1 "a field that is not there" "$FT" report --between 'sys_enter_close[fdd == 1]' sys_exit_close "$events"
t_like "$err" "--between: .*no field fdd" "... is told"
t_status 1 "--by a field that is not there" "$FT" report --between sys_enter_close sys_exit_close --by fdd "$events"
t_like "$err" "--by: event sys_exit_close has no field fdd" "... is told"
t_status 1 "no pair" "$FT" report --between 'sys_enter_close[fd == 12345]' sys_exit_close "$events"
t_like "$err" "no pair: 0 times the first, [1-9][0-9]* times the second" "... is told"
usage() {
	t_status 2 "$1" "$FT" report "${@:3}" "$events"
	t_like "$err" "$2" "... is told"
}
usage "one text for --between" "--between needs an argument: A B" --between
usage "an empty text" "--between has an empty text" --between '' x
usage "a filter that cannot be read" "--between: " --between 'sys_exit_close[ret ==]' sys_exit_close
usage "an empty --by" "--by has ''" --between a b --by ''
usage "--by alone" "--by is for --between" --by cpu
usage "two reports" "give one" --sections --between a b
usage "two formats" "exclude each other" --sections --json --tsv
usage "a format of nothing" "--json is for" --json
usage "--follow" "go|files|nothing else" --follow --sections
t_done

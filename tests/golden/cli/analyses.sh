#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report --sections and --between on real recordings: every number beside an independent computation.
. "$(dirname "$0")/../../lib.sh"
export PAGER=false FT_PAGER=false
dir=$T_TOP/tests/golden/analyses
events=$dir/events.dat

# same [-r REMARK] DESC WANTED-BY-INDEPENDENT -- FT-ARGS: the two print the same, and standard error holds no more than
# the remark, an expression.
same() {
	local remark='' desc want ask=()

	[ "$1" != -r ] || { remark=$2 && shift 2; }
	desc=$1
	shift
	while [ "$1" != -- ]; do
		ask+=("$1")
		shift
	done
	shift
	want=$(python3 "$dir/independent.py" "${ask[@]}") || t_fail "$desc: the independent computation failed"
	t_ok "$desc" "$FT" report --tsv "$@"
	t_is "$out" "$want" "... has the numbers of the independent computation"
	t_like "$err" "^$remark\$" "... ${remark:-without a word}"
}

# The processes of threads are told by events that make tasks only.
unknown() {
	echo "ft report: the file does not tell the process of $1 threads: each counts as one of its own"
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
	same -r "$(unknown "2 of 2")" "--syscalls of syscalls" syscalls "$events" -- --syscalls "$events"
	lossy=$dir/lossy.dat
	same "--sections over a gap" sections "$lossy" -- --sections "$lossy"
	t_like "$out" '
work	[0-9]+	[0-9]+	workload	1	.*	0	0	0	1	
' "... of which one is uncertain"
	ask=('sys_enter=^NR 230 ' 'sys_exit=^NR 230 ')
	same "--between over a gap" between "$lossy" "${ask[@]}" -- --between 'sys_enter[id == 230]' 'sys_exit[id == 230]' "$lossy"
	t_like "$(sed -n 2p <<<"$out")" '	[1-9][0-9]*$' "... of which some are uncertain"
	same "--between --by cpu over a gap" between "$lossy" sys_enter sys_exit cpu -- \
		--between sys_enter sys_exit --by cpu "$lossy"
	same "--sections of two buffers" sections "$dir/buffers.dat" -- --sections "$dir/buffers.dat"
	t_like "$out" '
work	145	145	workload	3	([^	]*	){13}top
work	147	147	workload	3	([^	]*	){13}one
' "... of each"
	same "--between of two buffers" between "$dir/buffers.dat" 'print=^request .* start$' 'print=^request .* stop$' -- \
		--between 'request * start' 'request * stop' "$dir/buffers.dat"
	for machine in be32 be64 le32 le64; do
		same "--between of a $machine machine" between "$dir/../files/$machine.dat" sched_switch 'print=marker' cpu -- \
			--between sched_switch 'marker *' --by cpu "$dir/../files/$machine.dat"
		t_like "$out" '^[^
]*
2	7600	' "... in which there are two"
	done
	# Two of trace-cmd: with task_newtask and exec, and without exec, so that nothing tells of the first one.
	same -r "$(unknown "1 of 4")" "--syscalls of processes and threads" syscalls "$dir/forks.dat" -- \
		--syscalls "$dir/forks.dat"
	t_like "$out" '
149	workload	2	write	38	.*
149	149	workload	write	35	.*
149	151	workload	write	3	' "... in which a thread adds to its process"
	if [ -e /usr/include/x86_64-linux-gnu/asm/unistd_64.h ]; then
		# One process writes its markers to the top level, the other one to an instance.
		same "--syscalls of two buffers" syscalls "$dir/buffers.dat" -- --syscalls "$dir/buffers.dat"
		same "--syscalls of known processes" syscalls "$dir/threads.dat" -- --syscalls "$dir/threads.dat"
		t_like "$out" '
rt_sigreturn	2	0	([^	]*	){5}0	0	0	' "... in which rt_sigreturn has its exits"
		same -r "$(unknown "2 of 2")" "--syscalls of raw_syscalls" syscalls "$dir/raw.dat" -- --syscalls "$dir/raw.dat"
		same -r "$(unknown "6 of 6")" "--syscalls over a gap" syscalls "$lossy" -- --syscalls "$lossy"
		t_like "$out" '
clock_nanosleep	([^	]*	){9}[1-9]' "... of which some are uncertain"
	else
		t_skip "no numbers of system calls to compare with"
	fi
else
	t_skip "trace-cmd is not installed"
fi

t_run "$FT" report --syscalls "$dir/threads.dat"
t_like "$out" '
PID +COMM +THREADS +CALL .*
141 +workload +2 +write +38 .*
PID +TID +COMM +CALL .*
141 +143 +workload +write +3 ' "--syscalls prints processes, and their threads"
t_run "$FT" report --syscalls --pid 149 "$dir/forks.dat"
t_unlike "$out" 'TID' "... and no threads that are processes"
t_like "$out" '
PID +COMM +THREADS +CALL ' "... which are there as such"
t_ok "JSON of --syscalls" "$FT" report --syscalls --json "$dir/forks.dat"
cp "$T_TMP/.out" "$T_TMP/syscalls.json"
t_ok "... can be read" python3 -c 'import json, sys
all = json.load(open(sys.argv[1]))
assert {(r["pid"], r["threads"]) for r in all["processes"] if r["call"] == "wait4"} == {(148, None)}, all
assert {(r["pid"], r["tid"]) for r in all["threads"] if r["call"] == "wait4"} == {(None, 148)}, all
for name in {r["call"] for r in all["calls"]}:
	sums = [[sum(r[of] for r in all[t] if r["call"] == name) for of in ("count", "errors", "total_ns")]
		for t in ("calls", "processes", "threads")]
	assert sums[0] == sums[1] == sums[2], (name, sums)' "$T_TMP/syscalls.json"

t_ok "--sections of one buffer" "$FT" report --sections -B top --tsv "$dir/buffers.dat"
t_unlike "$out" '147|top' "... is of that alone"
t_ok "--sections of two files" "$FT" report --sections --tsv "$events" "$dir/raw.dat"
t_like "$out" '
work	27294	([^	]*	){16}raw.dat:top
work	27250	([^	]*	){16}events.dat:top
' "... of each"
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
# --inside: the thread's own events between the markers, and what woke it and switched to it.
pid=$("$FT" report -e print "$events" | sed -n 's/.*B|\([0-9]*\)|work$/\1/p' | head -n 1)
want=$("$FT" report "$events" | awk -v pid="$pid" '
	NR == 1 { print; next }
	index($0, "B|" pid "|inner|part") { inside = 1 }
	inside && ($0 ~ "workload-" pid " " || $0 ~ "==> workload:" pid " " || $0 ~ "waking:.* pid=" pid " ")
	inside && index($0, "E|" pid) { inside = 0 }')
t_ok "--inside" "$FT" report --inside 'inner|*' "$events"
t_is "$out" "$want" "... prints what happened in the thread between the markers"
t_ok "--inside with --syscalls" "$FT" report --tsv --inside 'inner|part' --syscalls "$events"
t_like "$out" '
clock_nanosleep	3	0	' "... counts the calls in it"
t_ok "--profile" "$FT" report --tsv --inside 'inner|part' --profile "$events"
t_like "$out" '
clock_nanosleep	3	0	.*
ftrace:print	6' "... sums up calls and events"
t_status 1 "a section that is not there" "$FT" report --inside inner "$events"
t_like "$err" "--inside: no marker begins a section 'inner' .did you mean inner.part" "... is told with near names"
t_is "$out" "" "... and prints nothing"
t_ok "--around" "$FT" report -t --around 'request 2 start' --before 1us --after 600us "$events"
want=$("$FT" report -t "$events" | awk '
	NR == 1 { print; next }
	{ split($0, part, /\[[0-9]+\] +/); time[NR] = part[2] + 0; line[NR] = $0 }
	/request 2 start/ { at = time[NR] }
	END { for (i = 2; i <= NR; i++) if (time[i] >= at - 0.000001 && time[i] <= at + 0.0006) print line[i] }')
t_is "$out" "$want" "... prints what is that near"
t_status 1 "a marker that is not there" "$FT" report --around 'request 9 start' "$events"
t_like "$err" "--around: no marker has the text 'request 9 start'" "... is told"

# --merge: samples of perf, with a place in the line or with callers below, stand in the order of time.
cat >"$T_TMP/script" <<-'EOF'
	# comment
	workload 27250 [001] 22759.560000: cpu-clock:ppp:  ffffffff81 native_safe_halt
	   my [1] prog 99/27250 [000] 22759.561000123: cycles:
		ffffffff82 do_nanosleep+0x12
		    7f12 [unknown] (/lib/x)
		    7f13 main

	other    -1 [002] 1.500000: cycles:  ffffffff83 idle
	garbage
EOF
t_ok "--merge" "$FT" report --merge "$T_TMP/script" --since 22759.5 "$events"
t_like "$out" 'workload-27250 \[001\] 22759.560000: cpu-clock:ppp:        native_safe_halt' "... prints a sample"
t_like "$out" 'my \[1\] prog-27250 \[000\] 22759.561000: cycles:               do_nanosleep\+0x12 <- 7f12 <- main' "... and callers"
t_unlike "$out" 'idle' "... in the window only"
t_is "$(printf '%s\n' "$out" | sed 1d | grep -o ' 22[0-9]*\.[0-9]*:' | sort -c 2>&1)" "" "... in the order of time"
t_is "$err" "ft report: --merge: 1 lines of $T_TMP/script are no samples" "... and tells what is none"
t_ok "--merge --pid" "$FT" report --merge "$T_TMP/script" --pid 1 "$events"
t_unlike "$out" "cycles" "... leaves samples of others out"
t_status 1 "a script without samples" "$FT" report --merge "$events" "$events"
t_like "$err" "--merge: .* holds no sample" "... is told"
t_ok "samples of another time" "$FT" report --merge "$T_TMP/script" "$dir/raw.dat"
t_like "$err" "no sample of .* lies between the first event and the last: record both with the same clock" "... are told"

usage() {
	t_status 2 "$1" "$FT" report "${@:3}" "$events"
	t_like "$err" "$2" "... is told"
}
usage "one text for --between" "--between needs an argument: A B" --between
t_status 2 "one text for --between and a file" "$FT" report --between sys_enter "$events"
t_like "$err" "--between takes A and B, and .*events.dat' is a file" "... is told"
usage "an empty text" "--between has an empty text" --between '' x
usage "a filter that cannot be read" "--between: " --between 'sys_exit_close[ret ==]' sys_exit_close
usage "an empty --by" "--by has ''" --between a b --by ''
usage "--by of three fields" "--by has 'pid=next_pid=x': cpu, any, FIELD, or FIELD=FIELD" --between a b --by pid=next_pid=x
usage "--by alone" "--by is for --between" --by cpu
usage "two reports" "give one" --sections --between a b
usage "two formats" "exclude each other" --sections --json --tsv
usage "a format of nothing" "--json is for" --json
usage "both parts" "exclude each other" --inside a --around b
usage "--before alone" "--before is for --around" --before 1ms
usage "numbers and samples" "--merge is for events" --merge x --sections
usage "--inside of nothing" "--inside has an empty text" --inside ''
usage "--follow" "go|files|nothing else" --follow --sections
t_done

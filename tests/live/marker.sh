#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft marker on this machine's own kernel, in an instance of its own, and into a recording of events.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
unset FT_TRACEFS
name=ft-test-marker-$$
mine=$tracing/instances/$name
mkdir "$mine" || t_skip_all "this kernel has no instances"
t_tidy() {
	rmdir "$mine" 2>/dev/null
}
cd "$T_TMP" || exit 1

# The texts of the markers in my instance.
markers() {
	sed -n 's/.*tracing_mark_write: //p' "$mine/trace"
}
empty() {
	: >"$mine/trace"
}
marks() {
	t_ok "ft marker $*" "$FT" marker --instance "$name" "$@"
}

marks hello from ft
marks --instant now
marks --begin part
marks --counter n=-3
marks --end part
t_like "$(markers)" "^hello from ft
I\|$$\|now
S\|$$\|part\|([0-9]+)
C\|$$\|n\|-3
F\|$$\|part\|([0-9]+)$" "the kernel has them in order"
t_is "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "... the section in one"
empty

# What is refused leaves nothing behind, not even a half marker.
for bad in '' $'a\nb'; do
	t_status 2 "$(printf '%q' "$bad")" "$FT" marker --instance "$name" "$bad"
done
t_status 2 "a bar in a name" "$FT" marker --instance "$name" --begin 'a|b'
t_status 2 "a counter that is no integer" "$FT" marker --instance "$name" --counter a=1.0
long=$(printf 'é%.0s' {1..50000})
t_status 1 "100 KB with --strict" "$FT" marker --instance "$name" --strict "$long"
t_is "$(markers)" "" "nothing of these is in the trace"
marks "a$long"
limit=$(sed -n 's/.*this kernel takes \([0-9]*\) .*/\1/p' <<<"$err")
t_is "$(markers | tr -d '\n' | wc -c)" "$((limit - 1))" "100 KB are cut to what the kernel takes, between two characters"
empty
# The limit is the kernel's: one byte more and it cuts by itself.
marks "$(printf 'x%.0s' $(seq "$limit"))"
t_is "$err$(markers | tr -d '\n' | wc -c)" "$limit" "a text of just that many bytes is not cut"
empty
t_is "$(python3 -c '
import os, sys
print(os.write(os.open(sys.argv[1], os.O_WRONLY), b"x" * 9000))' "$mine/trace_marker")" "$limit" "... nor does the kernel take more"
empty

echo 0 >"$mine/tracing_on"
t_status 1 "while tracing is off" "$FT" marker --instance "$name" text
t_like "$err" "tracing is off, nothing was written .turn it on: echo 1 > $mine/tracing_on" "... the remedy is told"
t_status 125 "... and no command is run" "$FT" marker --instance "$name" run build -- touch ran
t_ok "... indeed" test ! -e ran
t_status 1 "... nor is standard input read" "$FT" marker --instance "$name" --stdin
echo 1 >"$mine/tracing_on"
if echo 0 >"$mine/options/markers" 2>/dev/null; then
	t_status 1 "while markers are off" "$FT" marker --instance "$name" text
	t_like "$err" "markers are off, nothing was written" "... that is the reason"
	echo 1 >"$mine/options/markers"
fi

seq 20000 >lines
t_ok "20,000 lines" sh -c "'$FT' marker --instance $name --stdin <lines"
t_is "$err" "" "... without a word"
# The buffer may be too small for all of them.
t_is "$(markers | tail -n 100)" "$(tail -n 100 lines)" "... the last are there in order"
empty
t_status 7 "run" "$FT" marker --instance "$name" run build -- sh -c 'exit 7'
t_like "$(markers)" "^S\|$$\|build\|([0-9]+)
F\|$$\|build\|[0-9]+$" "... is a section"
empty

# The command outlives the shell that began the section.
sh -c '"$1" marker --instance "$2" run orphan -- sh -c "while kill -0 $$ 2>/dev/null; do sleep 0.02; done" &' - "$FT" "$name"
for _ in $(seq 250); do
	[ "$(markers | wc -l)" = 2 ] && break
	sleep 0.02
done
t_like "$(markers)" "^S(\|[0-9]+\|orphan\|[0-9]+)
F\|[0-9]+\|orphan\|[0-9]+$" "a section whose shell ends before it"
t_is "$(markers | tail -n 1)" "F${BASH_REMATCH[1]}" "... ends as the one that began"
empty

# An instance that is only written to can go at any time.
mkfifo lines.fifo
"$FT" marker --instance "$name" --stdin <lines.fifo &
pid=$!
exec 6>lines.fifo
echo one >&6
while [ -z "$(markers)" ]; do sleep 0.05; done
for _ in $(seq 100); do
	rmdir "$mine" 2>/dev/null && break
	sleep 0.05
done
t_ok "an instance can be removed while its --stdin rests" test ! -e "$mine"
echo two >&6
exec 6>&-
wait $pid
t_is "$?" 1 "... which fails then"

# A recording gets markers by itself, once, whoever writes them.
if [ -e $tracing/options/copy_trace_marker ] && [ "$(cat $tracing/tracing_on)" = 1 ] && command -v cc >/dev/null; then
	sed -n '/^\.\\" example sections.c$/,/^\.\\" end$/p' "$T_TOP/man/ft-marker.1" | sed '/^\./d' >sections.c
	t_ok "the program of the manual page" cc -I "$T_TOP/include" -o sections sections.c
	t_ok "ft record of it" "$FT" record -q -e '*_clock_nanosleep' -e sched_switch -- \
		sh -c "./sections; '$FT' marker from the shell; '$FT' marker run build -- true; printf 'one\ntwo\n' | '$FT' marker --stdin"
	trace-cmd report -t trace.dat 2>/dev/null >text
	t_is "$(grep -c 'from the shell$' text)$(grep -c 'one$' text)$(grep -cE 'S\|[0-9]+\|build' text)" 111 "each marker is there once"
	t_is "$(grep -oE '[BE]\|[0-9]+(\|work)?$|C\|[0-9]+\|round\|[123]$|sys_(enter|exit)_clock_nanosleep' text | sed 's/|[0-9]*/|PID/' |
		head -n 15)" \
		"$(for n in 1 2 3; do printf '%s\n' 'B|PID|work' "C|PID|round|$n" sys_enter_clock_nanosleep sys_exit_clock_nanosleep 'E|PID'; done)" \
		"its sections and system calls are in order"
	t_ok "ft record of markers alone" "$FT" record -q -o alone.dat -- sh -c "echo of the shell >$tracing/trace_marker; '$FT' marker of ft"
	t_is "$("$FT" report alone.dat | sed -n 's/^ *\(.*\)-[0-9]* .*_write: \(of .*\)/\1 \2/p')" $'sh of the shell\nft of ft' \
		"... has the names of those who write"
	t_is "$("$FT" report alone.dat | grep -c exec)" 0 "... and nothing else"
else
	t_skip "this kernel copies no markers, or tracing is off at the top level"
fi
t_done

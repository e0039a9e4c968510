#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report --kernel and --follow on an instance of this machine's own kernel.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
name=ft-test-$$
dir=$tracing/instances/$name
unset FT_TRACEFS
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
mkdir "$dir" 2>/dev/null || t_skip_all "no instance can be made"
follower=
t_tidy() {
	[ -z "$follower" ] || kill "$follower" 2>/dev/null
	wait
	echo 0 >"$dir/events/enable"
	rmdir "$dir"
}

# Times, CPUs and names, which both texts have, in their order.
lines() {
	sed -nE 's/^.*-[0-9]+ +\[([0-9]+)\] (.*[ .])?([0-9]+\.[0-9]{6}): ([a-zA-Z0-9_]+):.*/\1 \3 \4/p'
}

# The report and the kernel's own text of a buffer that stands still.
compare() {
	grep -v '^#' "$dir/trace" | grep -v 'buffer started' | lines >"$T_TMP/want"
	t_ok "$1" "$FT" report --kernel -B "$name"
	lines <"$T_TMP/.out" >"$T_TMP/have"
	if [ -s "$T_TMP/want" ] && cmp -s "$T_TMP/want" "$T_TMP/have"; then
		t_pass "$1: $(wc -l <"$T_TMP/want") events as the kernel prints them"
	else
		t_fail "$1: the events of the kernel's own text"
		t_note "$(diff "$T_TMP/want" "$T_TMP/have" | head -20)"
	fi
}

t_status 2 "a file beside --kernel" "$FT" report --kernel trace.dat
t_status 2 "two instances" "$FT" report --kernel -B a -B b
t_status 2 "a time beside --follow" "$FT" report --follow --since 1
t_status 1 "an instance that is not there" "$FT" report --kernel -B "$name-none"
t_like "$err" "no instance '$name-none'" "is named"

for live in --kernel --follow; do
	t_status 1 "$live -e of an unknown event" "$FT" report $live -B "$name" -e sched:sched_swich
	t_like "$err" "no event sched:sched_swich in the kernel .did you mean sched:sched_switch" "... is told"
	t_status 1 "$live -e of an unknown system" "$FT" report $live -B "$name" -e sched -e nosuch:
	t_like "$err" "no event nosuch: in the kernel" "... is told"
done
t_ok "an event that is not enabled" "$FT" report --kernel -B "$name" -e irq:irq_handler_entry -e ftrace:print
t_ok "an empty buffer" "$FT" report --kernel -B "$name"
mapped=$([[ $err = *"kernel's own text"* ]] || echo yes)
if [ "$mapped" ]; then
	t_like "$err" "holds no events" "... is said to be empty"
	t_like "$err" "no event is enabled and no tracer is set" "... and why"
	echo 0 >"$tracing/instances/$name/tracing_on"
	t_ok "an empty buffer of tracing that is off" "$FT" report --kernel -B "$name"
	t_like "$err" "tracing is off in instance $name" "... is said to be off"
	echo 1 >"$tracing/instances/$name/tracing_on"
fi
echo 1 >"$dir/events/sched/enable"
sleep 0.2
echo 0 >"$dir/tracing_on"
if [ -n "$mapped" ]; then
	compare "a fresh buffer"
	compare "the same once more, since nothing was consumed"
	timeout 5 head -c 2000 "$dir/trace_pipe" >/dev/null
	compare "a buffer whose first events were consumed"
	echo 16 >"$dir/buffer_size_kb"
	echo 1 >"$dir/tracing_on"
	# Enough switches to fill 16 KiB on each CPU several times, however idle the machine is.
	for _ in $(seq 1000); do /bin/true; done
	echo 0 >"$dir/tracing_on"
	compare "a buffer that was overwritten"
	t_like "$err" 'older events have been overwritten' "which is said"
	echo 0 >"$dir/events/enable"
	compare "events that are no longer enabled"
	t_ok "a choice of events" "$FT" report --kernel -B "$name" -F 'sched_switch: next_pid == 0' --cpu 0 -t
	t_is "$(tail -n +2 <<<"$out" | grep -vcE '\[000\] .*\.[0-9]{9}: sched_switch: .* ==> swapper/0:0')" 0 "by filter and CPU"
	t_status 1 "an unknown event" "$FT" report --kernel -B "$name" -F 'sched_swich: next_pid == 0'
	t_like "$err" 'sched_switch' "gets its near name"
else
	t_ok "the kernel's own text" "$FT" report --kernel -B "$name"
	t_is "$(lines <<<"$out")" "$(lines <"$dir/trace")" "is printed where the buffer cannot be mapped"
	t_status 1 "options" "$FT" report --kernel -B "$name" -t
	t_like "$err" 'own text only.*--follow' "are refused then, with what else can be done"
	echo 0 >"$dir/events/enable"
fi

# Following.
t_run timeout -s INT --preserve-status 0.5 "$FT" report --follow -B "$name"
t_is "$status" 0 "an interrupt ends --follow"
t_like "$err" "tracing is off in instance $name" "it says that tracing is off"
t_like "$err" 'no event is enabled' "and that nothing is enabled"
grep -q sched_switch <<<"$out" && t_pass "what was in the buffer is printed" || t_fail "what was in the buffer is printed"
t_is "$(grep -vc '^#' "$dir/trace")" 0 "and consumed"

echo 1 >"$dir/tracing_on"
mkfifo "$T_TMP/fifo"
"$FT" report --follow -B "$name" >"$T_TMP/fifo" 2>"$T_TMP/errors" &
follower=$!
exec 3<"$T_TMP/fifo"
read -r -t 10 line <&3
t_like "$line" '^cpus=' "the head line comes at once"
sleep 0.3
best=1000
for i in 1 2 3 4 5 6 7 8; do
	begin=${EPOCHREALTIME/[.,]/}
	echo "hello $i" >"$dir/trace_marker"
	read -r -t 5 line <&3
	ms=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
	[[ $line = *"hello $i"* ]] || t_note "line $i: $line"
	[ "$ms" -lt "$best" ] && best=$ms
	sleep 0.05
done
t_like "$line" 'hello 8$' "markers come one by one"
t_note "the fastest came after $best ms"
[ "$best" -lt 100 ] && t_pass "in well under 100 ms" || t_fail "in well under 100 ms"
# An event that is enabled only now: its format is got when it comes.
echo 1 >"$dir/events/sched/sched_switch/enable"
sleep 0.05
for ((i = 0; i < 50; i++)); do
	read -r -t 5 line <&3 || break
	[[ $line = *sched_switch:* ]] && break
done
t_like "$line" 'sched_switch: .* ==> ' "an event that was enabled later is decoded"
kill -TERM $follower
cat <&3 >/dev/null
wait $follower
t_is "$?" 0 "a termination ends it cleanly"
follower=

t_ok "a reader that goes away" timeout 10 bash -c '"$FT" report --follow -B "$1" | head -n 20 >"$2"; exit "${PIPESTATUS[0]}"' - "$name" "$T_TMP/some"
t_is "$err" "" "ends it quietly"
echo 0 >"$dir/events/enable"
t_status 0 "and where nothing comes" timeout 10 bash -c '"$FT" report --follow -B "$1" 2>/dev/null | true; exit "${PIPESTATUS[0]}"' - "$name"

echo 1 >"$dir/events/sched/enable"
t_run timeout -s INT --preserve-status 1 "$FT" report --follow -B "$name" -t
echo 0 >"$dir/events/enable"
sed -nE 's/^.*\[[0-9]+\] +([0-9]+\.[0-9]{9}): .*/\1/p' "$T_TMP/.out" >"$T_TMP/times"
LC_ALL=C sort -n -c "$T_TMP/times" && [ -s "$T_TMP/times" ]
t_is "$?" 0 "$(wc -l <"$T_TMP/times") events of all CPUs come in the order of time"

# A reader that sleeps does not keep it from ending.
echo 1 >"$dir/events/sched/enable"
mkfifo "$T_TMP/sleepy"
sleep 20 <"$T_TMP/sleepy" &
sleeper=$!
timeout -s TERM --preserve-status -k 5 1 "$FT" report --follow -B "$name" >"$T_TMP/sleepy"
t_is "$?" 0 "a reader that sleeps does not keep it from ending"
kill $sleeper
t_done

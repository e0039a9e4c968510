#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a file says of the machine, the clocks and the threads, in every kind of recording.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

cat >threads.py <<'END'
import os, threading, time
def run():
    with lock:
        print("tgid", threading.get_native_id(), os.getpid(), file=ids, flush=True)
    for _ in range(20):
        time.sleep(0.005)
lock = threading.Lock()
with open("ids", "w") as ids:
    threads = [threading.Thread(target=run) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
END

# number LINE NAME: of "clock begin mono=5 ..."
number() {
	sed -nE "s/^clock $1 .*\\b$2=([0-9]+).*/\\1/p" <<<"$facts"
}
# has_facts FILE DESC: both readers take it; leaves the machine's lines in $facts.
has_facts() {
	facts=$("$FT" report --uname "$1" 2>/dev/null)
	t_like "$facts" "boot-id $(cat /proc/sys/kernel/random/boot_id)"$'\n' "$2: which boot it was"
	t_is "$(grep -c '^cpu [0-9]* package=[0-9]* core=[0-9]*' <<<"$facts")" "$(nproc)" "... and which CPUs"
	t_ok "... ft finds it sound" "$FT" report --check "$1"
	t_ok "... trace-cmd reads it" trace-cmd report "$1"
}
# spans FILE: the clocks in $facts are around its events.
spans() {
	local times

	times=$("$FT" report -t "$1" 2>/dev/null | grep -oE ' [0-9]+\.[0-9]{9}: ' | tr -d ' .:')
	t_ok "... the clocks were read before and behind all events" \
		[ "$(number begin trace)" -lt "$(head -n 1 <<<"$times")" -a "$(tail -n 1 <<<"$times")" -lt "$(number end trace)" ]
}
# knows_threads FILE: each thread of threads.py, and no process as its own thread.
knows_threads() {
	t_is "$(grep -acxFf ids "$1")" 3 "... the threads are known"
	t_is "$(grep -aE '^tgid [0-9]+ [0-9]+$' "$1" | awk '$2 == $3')" "" "... and only those"
}

all_cases() {
	t_status 0 "a command ($1)" "$FT" record -q -e sched -o plain.dat -- python3 threads.py
	has_facts plain.dat "a command"
	spans plain.dat
	knows_threads plain.dat
	t_is "$(number end mono)" "$(number end trace)" "... the trace has the clock mono"
	t_ok "... which is not what real time is" [ "$(number begin real)" -gt "$(number begin mono)" ]
	t_status 0 "the whole system ($1)" "$FT" record -q -a -e sched -C boot -o all.dat -- python3 threads.py
	has_facts all.dat "the whole system"
	spans all.dat
	knows_threads all.dat
	t_status 0 "an instance ($1)" "$FT" record -q -B facts -e sched -o instance.dat -- python3 threads.py
	has_facts instance.dat "an instance"
	knows_threads instance.dat
	t_status 0 "a stream ($1)" sh -c '"$FT" record -q -e sched -o - -- python3 threads.py | cat >stream.dat'
	has_facts stream.dat "a stream"
	knows_threads stream.dat
	t_status 0 "a compressed ring ($1)" "$FT" record -q --ring 4M -e sched --compress -C local -o ring.dat -- python3 threads.py
	has_facts ring.dat "a compressed ring"
	knows_threads ring.dat
	t_is "$(number end trace)" "" "... nobody can read the clock local"
}

state_save before
all_cases "in a clean kernel"
state_save after
state_same before after "the state is as it was"
dirty_state
state_save before
all_cases "in a kernel that others use"
state_save after
state_same before after "the state of others is as it was"
clean_state

echo 1 >$tracing/options/record-tgid
echo 1 >$tracing/events/sched/enable
python3 threads.py
echo 0 >$tracing/events/enable
echo 0 >$tracing/options/record-tgid
t_ok "what the kernel has" "$FT" record -q --from-kernel -o kernel.dat
has_facts kernel.dat "what the kernel has"
knows_threads kernel.dat

start_recording -a -e sched -o killed.dat
kill -9 "$pid"
wait "$pid" 2>/dev/null
closed() {
	[ -n "$("$FT" report --stat killed.dat 2>/dev/null)" ] && ! ls /run/ft/*.journal >/dev/null 2>&1
}
wait_for closed
has_facts killed.dat "a recording that was killed"
t_ok "... has its begin" [ "$(number begin mono)" -gt 0 ]
t_done

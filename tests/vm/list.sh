#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft list where everything can be traced: nothing is left behind, other people's state is shown.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing

ms_of() {
	local start end

	start=$(date +%s%N)
	"$@" >/dev/null
	end=$(date +%s%N)
	echo $(((end - start) / 1000000))
}

state_save "$T_TMP/before"
cp $tracing/error_log "$T_TMP/log"
t_ok "support" "$FT" list support
for name in tracefs permission lockdown instances events function function_graph functions kprobes uprobes synthetic hist \
	markers splice clocks snapshot record; do
	t_like "$out" "(^|
)$name +ok" "$name works"
done
state_save "$T_TMP/after"
state_same "$T_TMP/before" "$T_TMP/after" "support leaves a fresh kernel as it was"
t_is "$(cat $tracing/error_log)" "$(cat "$T_TMP/log")" "and its error log"

dirty_state
state_save "$T_TMP/before"
t_ok "support in use by others" "$FT" list support
t_ok "overview" "$FT" list
for noun in tracers events options clocks instances triggers filters dynamic; do
	t_ok "$noun as JSON" "$FT" list "$noun" --json
	printf '%s,' "$out" >>"$T_TMP/json"
done
t_ok "all of it is JSON" python3 -c 'import json, sys; json.loads("[" + open(sys.argv[1]).read() + "0]")' "$T_TMP/json"
state_save "$T_TMP/after"
state_same "$T_TMP/before" "$T_TMP/after" "nothing of others' has changed"

t_ok "filters" "$FT" list filters
t_like "$out" 'set_ftrace_filter +vfs_read' "functions"
t_like "$out" 'sched:sched_switch +prev_pid != 1' "events"
t_like "$out" 'set_graph_function +vfs_open' "graph roots"
t_ok "triggers" "$FT" list triggers
t_like "$out" 'set_ftrace_filter +vfs_mknod:traceoff' "of functions"
t_like "$out" 'sched:sched_wakeup +stacktrace:unlimited if pid == 1' "of events"
t_ok "dynamic" "$FT" list dynamic
t_like "$out" 'somebody:probe +kprobe vfs_unlink' "kprobes"
t_like "$out" 'synthetic:somebodys +synthetic' "synthetic events"
t_ok "instances" "$FT" list instances -v
t_like "$out" 'somebodys +tracer nop' "others' too"
t_ok "of an instance" "$FT" list filters --instance somebodys
t_like "$out" 'sched:sched_waking +pid > 1' "its filters"
clean_state

# The list of functions: as the kernel's, from the copy, and anew when it no longer holds.
rm -f /run/ft/functions
want=$(sed 's/[ \t].*//; /^__ftrace_invalid/d' $tracing/available_filter_functions | LC_ALL=C sort -u | md5sum)
t_is "$("$FT" list functions | md5sum)" "$want" "functions from the kernel"
t_is "$(stat -c %a /run/ft/functions)" 600 "are kept for root alone"
t_is "$("$FT" list functions | md5sum)" "$want" "the same from the copy"
cold=$( (rm -f /run/ft/functions; ms_of "$FT" list functions 'vfs_*') )
t_note "$(ms_of "$FT" list functions 'vfs_*') ms from the copy, $cold ms from the kernel, $(ms_of "$FT" list tracers) ms for a short list"
sed -i '1s/$/0/' /run/ft/functions
echo not_a_function >>/run/ft/functions
t_is "$("$FT" list functions | md5sum)" "$want" "a copy of another boot is not used"
chmod 666 /run/ft/functions
echo not_a_function >>/run/ft/functions
t_is "$("$FT" list functions | md5sum)" "$want" "nor one that others could write"
rm -f /run/ft/functions
mount -t tmpfs -o ro none /run/ft
t_is "$("$FT" list functions | md5sum)" "$want" "nothing depends on it"
umount /run/ft

t_status 1 "near names" "$FT" list functions vfs_raed
t_like "$err" 'did you mean vfs_read' "of functions"
t_done

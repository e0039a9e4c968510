#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft list on this machine's own kernel, whatever it allows.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || t_skip_all "tracefs is not mounted"
unset FT_TRACEFS

t_ok "tracers" "$FT" list tracers
t_is "$out" "$(tr ' ' '\n' <$tracing/available_tracers | sed '/^$/d' | LC_ALL=C sort)" "as the kernel has them"
t_ok "events" "$FT" list events
t_is "$out" "$(LC_ALL=C sort -u $tracing/available_events)" "as the kernel has them"
t_ok "options" "$FT" list options
t_is "$out" "$(LC_ALL=C ls $tracing/options)" "as the kernel has them"
t_ok "every event in full" "$FT" list events -v --json
t_is "$(python3 -c '
import json, sys
events = json.load(sys.stdin)
print(len(events), all(e["id"] > 0 and len(e["fields"]) >= 4 and e["print_fmt"] for e in events))
' <<<"$out")" "$(grep -c . $tracing/available_events) True" "each has an ID, fields and a print format"

# The fields of every event, compared with another reader of the same files.
t_is "$(python3 - <(printf '%s' "$out") <<'END'
import json, re, sys
wrong = []
for e in json.load(open(sys.argv[1])):
    text = open(f"/sys/kernel/tracing/events/{e['system']}/{e['event']}/format").read()
    want = [tuple(map(int, m)) for m in re.findall(r"field:.*?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d)", text)]
    got = [(f["offset"], f["size"], int(f["signed"])) for f in e["fields"]]
    if want != got:
        wrong.append(e["name"])
print(wrong)
END
)" "[]" "offset, size and sign are those of the format files"

if cat $tracing/available_filter_functions >"$T_TMP/functions" 2>/dev/null; then
	t_ok "functions" "$FT" list functions
	t_is "$(wc -l <<<"$out")" "$(sed 's/[ \t].*//; /^__ftrace_invalid/d' "$T_TMP/functions" | sort -u | wc -l)" "as many as the kernel has"
else
	t_status 1 "functions are refused" "$FT" list functions
	t_like "$err" 'available_filter_functions: the kernel refuses it even to root' "with the cause"
	t_status 1 "and so the tracer" "$FT" list support function
fi

before=$(ls $tracing/instances)
log=$(cat $tracing/error_log 2>/dev/null)
t_run "$FT" list support
t_like "$out" 'tracefs +ok +/sys/kernel/tracing' "where tracefs is"
t_like "$out" 'splice +ok +tried' "splice was tried"
t_is "$status" "$(grep -q 'record  *ok' <<<"$out" && echo 0 || echo 1)" "the status says whether anything can be recorded"
t_is "$(ls $tracing/instances)" "$before" "no instance stays behind"
t_is "$(cat $tracing/error_log 2>/dev/null)" "$log" "nor a line in the error log"
config=$(zcat /proc/config.gz 2>/dev/null)
for pair in function_graph:FUNCTION_GRAPH_TRACER kprobes:KPROBE_EVENTS hist:HIST_TRIGGERS snapshot:TRACER_SNAPSHOT; do
	if [ -n "$config" ] && ! grep -q "^CONFIG_${pair#*:}=y" <<<"$config"; then
		t_like "$out" "(^|
)${pair%:*} +no +this kernel was built without CONFIG_${pair#*:}" "${pair%:*} names its configuration"
	fi
done

# Whoever may not read tracefs.
if command -v runuser >/dev/null && runuser -u nobody -- test -x "$FT" && ! runuser -u nobody -- test -x $tracing; then
	t_status 1 "another user gets no options" runuser -u nobody -- "$FT" list options
	t_like "$err" 'you are not root, and /sys/kernel/tracing is root:root with mode 0700 \(use sudo' "and is told why"
	t_status 1 "another user's functions" runuser -u nobody -- "$FT" list functions vfs_read
	t_is "$out" "vfs_read" "come from the symbols"
	t_like "$err" 'shown is only the functions among the kernel' "which is said"
	t_status 1 "another user's features" runuser -u nobody -- "$FT" list support
	t_like "$out" 'permission +no .*record +no' "say what is missing"
else
	t_skip "no other user who could run the program"
fi

# Without tracefs, in a mount name space of its own. Only bind mounts: a second mount of tracefs would give
# the one of this machine its options on some kernels.
if unshare -m true 2>/dev/null; then
	t_status 1 "not mounted" unshare -m sh -c 'umount -a -t tracefs,debugfs; exec "$0" list options' "$FT"
	t_like "$err" 'tracefs is not mounted \(as root: mount -t tracefs nodev /sys/kernel/tracing' "and how to mount it"
	t_status 0 "mounted elsewhere" unshare -m sh -c 'mkdir "$1/a b"; mount --bind /sys/kernel/tracing "$1/a b"; umount /sys/kernel/debug/tracing 2>/dev/null; umount /sys/kernel/tracing; exec "$0" list support tracefs' "$FT" "$T_TMP"
	t_like "$out" "tracefs +ok +$T_TMP/a b" "is found, with a blank in the path"
	t_status 1 "read-only" unshare -m sh -c 'mount -o remount,bind,ro /sys/kernel/tracing; exec "$0" list support' "$FT"
	t_like "$out" 'permission +no [^
]*read-only' "is said"
else
	t_skip "no mount name space"
fi
t_done

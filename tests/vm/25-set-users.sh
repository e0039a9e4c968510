#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft set without settings: it names whoever uses the kernel's tracing, with tracefs or without it.
# kernels: 6.1 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# holder WHAT: a process that holds it until its standard input ends; says "ready", or that it cannot.
cat >holder <<'END'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
PERF_EVENT_OPEN, BPF = 298, 321

def call(number, *args):
    r = libc.syscall(number, *args)
    if r < 0:
        print("cannot:", os.strerror(ctypes.get_errno()), flush=True)
        sys.exit()
    return r

def tracepoint(name):
    number = int(open(f"/sys/kernel/tracing/events/{name}/id").read())
    attr = struct.pack("IIQ", 2, 128, number) + bytes(112)
    return call(PERF_EVENT_OPEN, attr, -1, 0, -1, 8)

def program(kind):
    code = struct.pack("BBhi", 0xb7, 0, 0, 0) + struct.pack("BBhi", 0x95, 0, 0, 0)
    code, licence = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("IIQQIIQI", kind, 2, ctypes.addressof(code), ctypes.addressof(licence), 0, 0, 0, 0)
    attr += bytes(128 - len(attr))
    return call(BPF, 5, attr, 128)

if sys.argv[1] == "perf":
    events = [tracepoint("sched/sched_switch") for _ in range(2)]
elif sys.argv[1] == "tracepoint":
    fd = tracepoint("sched/sched_switch")
    r = libc.ioctl(fd, 0x40042408, program(5))
elif sys.argv[1] == "raw":
    name = ctypes.create_string_buffer(b"sched_switch")
    attr = struct.pack("QI", ctypes.addressof(name), program(17))
    fd = call(BPF, 17, attr + bytes(128 - len(attr)), 128)
print("ready", flush=True)
sys.stdin.read()
END

# with HOLDER PATTERN: while it runs ft set shows the pattern.
with() {
	local word

	mkfifo door
	python3 holder "$1" <door >said &
	exec 8>door
	wait_for test -s said
	read -r word <said
	if [ "$word" = ready ]; then
		t_ok "with a process that holds $1" "$FT" set
		t_like "$out" "process $! \(python3\): holds $2" "... it is named"
		t_ok "... also in JSON" "$FT" set --json
		t_is "$(python3 -c '
import json, sys
print([o["count"] for o in json.load(sys.stdin)["others"] if o.get("pid") == int(sys.argv[1])])' $! <"$T_TMP/.out")" \
			"[$3]" "... with its number"
	else
		t_skip "$1: $(cat said)"
	fi
	exec 8>&-
	wait $!
	rm door said
}

dirty_state
state_save before
with perf "2 perf events, of what the kernel does not tell" 2
with tracepoint "1 bpf program on tracepoint sched_switch" 1
with raw "1 bpf program on raw tracepoint sched_switch" 1

# The hooks of functions, and kprobes: what the dirty state has of them.
mkdir $tracing/instances/theirs
exec 8<$tracing/instances/theirs/trace_pipe
t_ok "hooks and readers" "$FT" set
t_like "$out" "function hooks: 1 by kprobes" "a kprobe's hook is named"
t_like "$out" "function hooks: 2 by the function tracer" "... and the tracer's"
t_like "$out" "process $$ \([^)]*\): has instances/theirs/trace_pipe open" "... and the reader of an instance"
if [ -e /sys/kernel/debug/kprobes/list ]; then
	t_like "$out" "kprobe vfs_unlink\+" "... and the kprobe"
else
	t_skip "debugfs shows no kprobes"
fi
t_ok "of the instance alone" "$FT" set --instance theirs
t_like "$out" "process $$ \([^)]*\): has instances/theirs/trace_pipe open" "... its reader is named"
t_unlike "$out" "hooks" "... and nothing of others"
t_unlike "$out" "clock" "... and its clock is the usual one"
exec 8<&-
rmdir $tracing/instances/theirs

# A kernel that is patched while it runs, and switches that other tools leave.
stack=$(cat /proc/sys/kernel/stack_tracer_enabled 2>/dev/null)
[ -z "$stack" ] || echo 1 >/proc/sys/kernel/stack_tracer_enabled
mkdir -p sys/livepatch/fix_1 sys/tracing
t_ok "with a live patch" unshare -m sh -c \
	'mount --rbind /sys/kernel/tracing sys/tracing && mount --rbind sys /sys/kernel && exec "$0" set' "$FT"
t_like "$out" "live patch fix_1" "... it is named"
if [ -n "$stack" ]; then
	t_like "$out" "sysctl kernel.stack_tracer_enabled=1" "... and the switch"
	echo "$stack" >/proc/sys/kernel/stack_tracer_enabled
	echo 0 >$tracing/stack_max_size
else
	t_skip "this kernel has no stack tracer"
fi
state_save after
state_same before after "none of this changes anything"
clean_state
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft set: what it changes lasts, is taken back exactly, and is refused whole where a part of it is wrong.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# unchanged DESC: the state is that of $T_TMP/before.
unchanged() {
	state_save "$T_TMP/after"
	state_same "$T_TMP/before" "$T_TMP/after" "$1"
}

# refused WANT PATTERN ARGS...: an error with that text; all of them before one look at the state.
refused() {
	local want=$1 pattern=$2

	shift 2
	t_status "$want" "refused: ft set $*" "$FT" set "$@"
	t_like "$err" "$pattern" "... and says why"
	t_is "$out" "" "... and nothing else"
}

undo_all() {
	while [ -n "$(ls /run/ft/changes 2>/dev/null)" ]; do
		"$FT" set --undo || return 1
	done
}

# The first use of the buffer gives it its full size; this cannot be undone.
echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable

t_ok "the state of a kernel that nobody has touched" "$FT" set
t_like "$out" "everything is at the kernel's defaults" "... is the default"
state_save "$T_TMP/clean"
dirty_state
state_save "$T_TMP/before"

# Each change does what it says, in silence, and the file shows it.
t_ok "a tracer" "$FT" set tracer=function_graph
t_is "$out$err$(cat $tracing/current_tracer)" function_graph "... is set, in silence"
t_ok "another one" "$FT" set tracer=nop
t_ok "off" "$FT" set off
t_is "$(cat $tracing/tracing_on)" 0 "... is off"
t_ok "on" "$FT" set on
t_is "$(cat $tracing/tracing_on)" 1 "... is on"
t_ok "many things" "$FT" set buffer=3M clock=mono cpus=1 cmdlines=8000 buffer-percent=10 max-depth=2 thresh=5us \
	options+=sym-offset,stacktrace options-=overwrite
t_is "$(cat $tracing/tracing_cpumask)" 2 "... one CPU"
t_like "$(cat $tracing/trace_clock)" '\[mono\]' "... the clock"
t_ok "... the buffer" test "$(cat $tracing/buffer_size_kb)" -ge 3072
t_is "$(cat $tracing/options/{sym-offset,stacktrace,overwrite} | tr -d '\n')" 110 "... the options"
t_is "$(cat $tracing/{buffer_percent,max_graph_depth,tracing_thresh} | tr '\n' ' ')" "10 2 5 " "... the numbers"
t_ok "events" "$FT" set events+=sys_enter_nanosleep,syscalls:sys_exit_nanosleep,filemap,'irq:irq_*'
t_is "$(cat $tracing/events/syscalls/sys_e{nter,xit}_nanosleep/enable $tracing/events/filemap/enable | tr -d '\n')" 111 \
	"... are on"
t_ok "fewer events" "$FT" set events-=filemap
t_is "$(cat $tracing/events/filemap/enable)" 0 "... are off"
t_ok "exactly these events" "$FT" set events=sched:sched_switch
t_is "$(cd $tracing/events && grep -lsx 1 ./*/*/enable)" ./sched/sched_switch/enable "... are all"
t_ok "a change of nothing" "$FT" set events=sched:sched_switch
before=$(ls /run/ft/changes)
t_ok "... again" "$FT" set events=sched:sched_switch clock=mono
t_is "$(ls /run/ft/changes)" "$before" "... leaves no entry"
t_ok "a snapshot" "$FT" set snapshot
t_like "$(cat $tracing/snapshot)" "Snapshot is allocated" "... is taken"
t_ok "an instance" "$FT" set instances+=ours
t_ok "... is set" "$FT" set -a --instance ours tracer=function 'events+=sched:*' buffer=512
t_is "$(cat $tracing/instances/ours/current_tracer $tracing/instances/ours/events/sched/enable | tr '\n' ' ')" \
	"function 1 " "... by itself"
t_ok "a change elsewhere" "$FT" set buffer-percent=11
t_ok "what would take the instance's back" "$FT" set --undo --dry-run --instance ours
t_like "$out" "echo nop > $tracing/instances/ours/current_tracer" "... is said"
t_is "$(cat $tracing/instances/ours/current_tracer)" function "... and not done"
printf '%s\n' "$out" >lines
t_ok "it is taken back" "$FT" set --undo --instance ours
t_is "$(cat $tracing/instances/ours/current_tracer) $(cat $tracing/buffer_percent)" "nop 11" "... and nothing else"
t_ok "set again" "$FT" set -a --instance ours tracer=function 'events+=sched:*' buffer=512
t_ok "... the lines do the same" sh -e lines
t_is "$(cat $tracing/instances/ours/current_tracer $tracing/instances/ours/set_event)" nop "... for the tracer and events"
t_ok "... which does not keep it from being taken back" "$FT" set --undo --instance ours
t_ok "... and set again" "$FT" set -a --instance ours tracer=function 'events+=sched:*' buffer=512
t_ok "... and removed" "$FT" set instances-=ours
t_ok "... is gone" test ! -e $tracing/instances/ours
t_ok "the state" "$FT" set
t_like "$out" "instance somebodys: tracer nop" "... names others' instances"
t_like "$out" "ft set instances-=ours" "... and the changes"
t_ok "the state as JSON" "$FT" set --json
cp "$T_TMP/.out" json
t_ok "... is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' json
t_ok "the removed instance comes back" "$FT" set --undo
t_is "$(cat $tracing/instances/ours/current_tracer $tracing/instances/ours/events/sched/enable | tr '\n' ' ')" \
	"function 1 " "... with its settings"
t_ok "all is taken back" undo_all
unchanged "... and as it was"

# Whole setups.
t_ok "save" "$FT" set --save setup
t_ok "reset" "$FT" set --reset
t_ok "... leaves others' instances and probes" grep -q somebody $tracing/dynamic_events
t_ok "... of course" test -d $tracing/instances/somebodys
t_is "$(cat $tracing/set_event $tracing/events/sched/sched_switch/filter)" none "... but no event and filter"
t_ok "load" "$FT" set --load setup
unchanged "... brings all of it about again"
t_ok "reset" "$FT" set --reset --all
t_like "$err" "removing instance somebodys" "... names the instances"
t_like "$err" "removing dynamic event p:somebody/probe" "... and the probes"
t_is "$(ls $tracing/instances)$(cat $tracing/dynamic_events)" "" "... and removes them"
t_ok "the state after it" "$FT" set
t_like "$out" "everything is at the kernel's defaults" "... is the default"
t_ok "all is taken back" undo_all
unchanged "... and as it was"

# The lines of a dry run do the same.
t_ok "dry run" "$FT" set --dry-run -a tracer=function buffer=2M events+=irq options+=sym-addr off
unchanged "... changes nothing"
printf '%s\n' "$out" >lines
t_ok "... but its lines do" sh -e lines
t_is "$(cat $tracing/{current_tracer,events/irq/enable,tracing_on,options/sym-addr} | tr '\n' ' ')" "function 1 0 1 " \
	"... the same"
clean_state
dirty_state
state_save "$T_TMP/before"

# What somebody else has changed since is not overwritten.
t_ok "a change" "$FT" set buffer-percent=20
echo 30 >$tracing/buffer_percent
refused 1 "somebody has changed .*buffer_percent since: it is '30', ft had left it at '20'" --undo
t_is "$(cat $tracing/buffer_percent)" 30 "... and keeps it"
t_ok "... unless forced" "$FT" set --undo --force
unchanged "... and as it was"

other=function
[ "$(cat $tracing/current_tracer)" != function ] || other=function_graph
# One wrong word, and nothing is done.
refused 1 "no tracer 'function_grap'.*did you mean function_graph" off tracer=function_grap
refused 1 "no event sched:sched_swich.*did you mean sched:sched_switch" off events+=sched:sched_swich
refused 1 "no clock 'mnoo'.*mono" off clock=mnoo
refused 1 "no trace option 'overwrit'.*overwrite" off options+=overwrit
refused 1 "no instance 'nosuch'" --instance nosuch off
refused 1 "no instance 'somebody'.*somebodys" instances-=somebody
refused 1 "there is an instance 'somebodys' already" off instances+=somebodys
refused 1 "more than the memory" off buffer=1000G
refused 1 "buffer-percent is from 0 to 100, not 101" off buffer-percent=101
refused 1 "there is no CPU 77" off cpus=77
refused 1 "cmdlines" off cmdlines=99999999
refused 1 "no setup that ft has saved" --load /etc/passwd
refused 1 "nosuchfile" --load nosuchfile
refused 2 "no setting 'tracr='.*tracer=" tracr=nop
[ -e $tracing/buffer_subbuf_size_kb ] || refused 1 "subbuf cannot be set on this kernel" off subbuf=8k
printf '# ft setup 1\n../../etc/passwd = 1\n' >evil
refused 1 "line 2: .* is no setting" --load evil
# The kernel refuses the last of several: those before it are put back.
refused 1 "cannot hold '/'" 'instances+=good,a/b'
exec 9<$tracing/trace_pipe
refused 1 "current_tracer.*(open|busy)" buffer=4M buffer-percent=78 tracer="$other"
exec 9<&-
mount -o remount,ro $tracing
refused 1 "read-only" buffer-percent=77
mount -o remount,rw $tracing
t_status 1 "an ordinary user" setpriv --reuid 65534 --clear-groups "$FT" set buffer-percent=77
t_like "$err" "not root" "... is told why"
chmod 750 $tracing
chgrp 4242 $tracing
t_status 1 "a user of the group" setpriv --reuid 65534 --regid 4242 --clear-groups "$FT" set buffer-percent=77
t_like "$err" "buffer_percent|not root" "... is told which file"
chmod 700 $tracing
chgrp 0 $tracing
unchanged "none of these changes anything"

# Looking into debugfs would mount it again.
t_status 1 "without a mounted tracefs" unshare -m sh -c "umount -l /sys/kernel/debug; umount -l $tracing; exec '$FT' set off"
t_like "$err" "mount -t tracefs" "... it is told how to mount it"

# While a recording holds the top level.
"$FT" record -a -p function_graph -g vfs_read -o r.dat -d 20 2>/dev/null &
pid=$!
for _ in $(seq 100); do
	[ -s r.dat ] && break
	sleep 0.1
done
if flock -n /run/ft/top.lock true; then
	refused 1 "instance ft-$pid belongs to a recording that runs" --instance "ft-$pid" off
else
	refused 1 "another ft holds the top-level buffer: pid $pid \(.*ft record" off
fi
kill -INT "$pid"
wait "$pid"
unchanged "and all is as it was"
clean_state
t_done

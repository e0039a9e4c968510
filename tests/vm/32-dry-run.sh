#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What --dry-run prints, given to a shell, leaves the kernel in the same state as the command itself: every writable
# file of tracefs is compared.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# paste FILE: the lines, in a shell that stands in the tracing folder: in the plainest there is and in bash, in turn.
shell=bash
paste() {
	[ $shell = bash ] && shell=dash || shell=bash
	(cd $tracing && $shell -e) <"$1" 2>paste.err || {
		t_note "$shell: $(head -c 500 paste.err)"
		return 1
	}
}

# same VERB WORD...: the lines do what the command does, and those of --undo take it back.
same() {
	t_ok "ft $*, dry" "$FT" "$1" --dry-run "${@:2}" || return
	printf '%s\n' "$out" >lines
	if [ "$(ls /run/ft/changes 2>/dev/null)" ]; then
		t_fail "... is no change"
		rm -rf /run/ft/changes
	fi
	t_ok "... done" "$FT" "$@" || return
	state_save changed
	if cmp -s before changed; then
		t_fail "... changes something"
	fi
	t_ok "... the way back, dry" "$FT" "$1" --undo --dry-run
	printf '%s\n' "$out" >back
	t_ok "... and done" "$FT" "$1" --undo
	t_ok "... the lines go through a shell" paste lines
	state_save pasted
	state_same changed pasted "... and do the same"
	t_ok "... the lines of the way back do, too" paste back
	state_save after
	state_same before after "... and take it back" || start
}

start() {
	clean_state
	dirty_state
	state_save before
}

has() {
	[ -e "$tracing/$1" ]
}

# The first use of the buffer gives it its full size; this cannot be undone.
echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
start

graph=(tracer=function_graph max-depth=2)
grep -qw function_graph $tracing/available_tracers || graph=()
same set on "${graph[@]}" thresh=5us options+=sym-offset,stacktrace options-=overwrite,irq-info
same set tracer=nop clock=mono buffer=3M cmdlines=8000 buffer-percent=10 cpus=all
same set clock=boot 'events+=irq,sched:sched_wak*,sys_enter_nanosleep' events-=sched_process_exit,somebody
same set events=sched:sched_switch cpus=1 on
has buffer_subbuf_size_kb && same set subbuf=16k buffer=2M
same set instances+=ours,other
same set instances-=somebodys
same set --instance somebodys clock=mono buffer=512 events=irq,sched:sched_switch cpus=1 off options+=sym-addr
same set --reset --instance somebodys
same set --reset
same set --reset --all

has set_ftrace_filter && {
	same filter +vfs_statfs '+vfs_f*' '-*lock*' '!vfs_read'
	same filter '+vfs_rmdir:traceoff:3' '!vfs_mknod:traceoff' +schedule:stacktrace
	sed 's/[ \t].*//; /^__/d' $tracing/available_filter_functions | sort -u | head -n 30 >names
	same filter +@names
	same filter -g vfs_write --nograph 'vfs_s*'
}
# One of several modules, where there are any.
module=$(sed -n 's/.*\[\(.*\)\]$/\1/p' $tracing/available_filter_functions 2>/dev/null | head -n 1)
[ -z "$module" ] || same filter ":mod:$module"
same filter sched_switch 'prev_prio < 100 && next_comm ~ "ssh*"' sched_process_exit 'comm == "it'\''s"'
same filter sched_switch 'prev_comm == "a\tb" || next_comm ~ "\\x*"' 'sched:sched_wak*' 'common_pid != 1'
same filter sched_switch none sched_wakeup '!stacktrace' sched_switch 'stacktrace if prev_prio < 100' \
	sched_switch traceoff:2
[ -e $tracing/events/sched/sched_switch/hist ] &&
	same filter sched_switch 'hist:keys=next_pid,next_comm:vals=hitcount:sort=hitcount.descending if next_pid > 0'
has snapshot && same filter sched_process_fork snapshot:1
# shellcheck disable=SC2016 # the kernel's own dollars
same filter --kprobe 'vfs_read n=$arg3:u64' --kretprobe 'vfs_read ret=$retval' --kprobe 'mine=vfs_open+0 a=$stack0:x64'
same filter --uprobe 'line=/bin/bash:readline' --eprobe 'forks=sched:sched_process_fork child_pid'
same filter --synth 'latency u64 delta; pid_t pid'
same filter --instance somebodys sched_switch 'prev_pid == 5' -P 1 sched_wakeup 'stacktrace if pid == 1'
same filter --clear all

# What is not at its default, taken away and loaded again.
t_ok "a setup saved" "$FT" set --save setup
t_ok "ft set --reset" "$FT" set --reset
rm -rf /run/ft/changes
state_save reset
t_ok "ft set --load, dry" "$FT" set --dry-run -a --load setup
printf '%s\n' "$out" >lines
state_save after
state_same reset after "... changes nothing"
t_ok "... the lines go through a shell" paste lines
state_save pasted
state_same before pasted "... and bring it about"
cmp -s before pasted || start

clean_state
t_done

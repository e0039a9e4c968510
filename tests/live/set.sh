#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft set on this machine's own kernel, in an instance of its own.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || t_skip_all "tracefs is not mounted"
[ -d $tracing/instances ] || t_skip_all "this kernel has no instances"
[ -z "$(ls /run/ft/changes 2>/dev/null)" ] || t_skip_all "there are changes that somebody may want to take back"
unset FT_TRACEFS
cd "$T_TMP" || exit 1
name=ft-test-set-$$
dir=$tracing/instances/$name
t_tidy() {
	rmdir $dir 2>/dev/null
}

# What ft set changes below.
state() {
	(cd "$dir" && grep -s . tracing_on tracing_cpumask trace_clock buffer_percent options/* events/sched/*/enable |
		LC_ALL=C sort; cat set_event)
}

t_ok "an instance" "$FT" set instances+="$name"
t_is "$out$err" "" "... is made in silence"
t_ok "... is there" test -d "$dir"
state >before
t_ok "its state" "$FT" set --instance "$name"
t_like "$out" "everything is at the kernel's defaults" "... is the default"
t_ok "many things" "$FT" set --instance "$name" off buffer=2M clock=mono buffer-percent=20 cpus=0 \
	events+='sched:*' options-=overwrite
t_is "$out$err" "" "... are set in silence"
t_is "$(cat "$dir"/{tracing_on,buffer_percent,options/overwrite,events/sched/enable} | tr '\n' ' ')" "0 20 0 1 " "... and are so"
t_like "$(cat "$dir/trace_clock")" '\[mono\]' "... with the clock"
t_ok "... and the buffer" test "$(cat "$dir/buffer_size_kb")" -ge 2048
t_ok "save" "$FT" set --instance "$name" --save setup
t_ok "reset" "$FT" set --instance "$name" --reset
state >after
t_is "$(cat after)" "$(cat before)" "... is as it was new"
t_ok "load" "$FT" set --instance "$name" --load setup
t_ok "... and save" "$FT" set --instance "$name" --save again
t_is "$(cat again)" "$(cat setup)" "... gives the same"
t_ok "undo the load" "$FT" set --undo
t_ok "undo the reset" "$FT" set --undo
t_ok "undo the change" "$FT" set --undo -v
t_like "$err" "taken back: ft set --instance $name off" "... says which"
state >after
t_is "$(cat after)" "$(cat before)" "... and the state is as it was"
t_ok "undo the instance" "$FT" set --undo
t_ok "... and it is gone" test ! -e "$dir"
t_status 1 "nothing more" "$FT" set --undo
t_like "$err" "there is no change" "... is told"
t_done

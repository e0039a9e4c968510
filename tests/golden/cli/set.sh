#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft set: what it makes of its words, on a directory that looks like tracefs. Nothing is written.
. "$(dirname "$0")/../../lib.sh"
cd "$T_TMP" || exit 1
fake=$T_TMP/fake

# put FILE TEXT
put() {
	mkdir -p "$(dirname "$fake/$1")"
	printf '%s\n' "$2" >"$fake/$1"
}

put current_tracer nop
put available_tracers 'function_graph function blk nop'
put trace_clock '[local] global mono boot'
put available_events $'sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\nirq:irq_handler_exit'
put set_event $'irq:irq_handler_entry\nirq:irq_handler_exit'
for name in overwrite print-parent; do put options/$name 1; done
put options/stacktrace 0
for cpu in 0 1; do
	put per_cpu/cpu$cpu/stats 'entries: 12'
	put per_cpu/cpu$cpu/buffer_size_kb 1408
done
put buffer_size_kb 1408
put buffer_percent 50
put tracing_cpumask 3
put tracing_on 1
put tracing_thresh 0
put trace ''
put saved_cmdlines_size 128
for event in sched/sched_switch sched/sched_waking irq/irq_handler_entry irq/irq_handler_exit; do
	put events/$event/enable 0
	put events/$event/filter none
	put events/$event/trigger ''
done
for event in irq_handler_entry irq_handler_exit; do put events/irq/$event/enable 1; done
mkdir -p "$fake/instances/mine"
export FT_TRACEFS=$fake
state() {
	find "$fake" | sort
	find "$fake" -type f | sort | xargs md5sum
}
state >before

# writes "WORD..." LINES: the lines of a dry run, the directory as @.
writes() {
	# shellcheck disable=SC2086 # several words
	t_ok "ft set $1" "$FT" set --dry-run $1
	t_is "${out//$fake/@}" "$2" "... writes what it says"
}
# usage MESSAGE WORD...
usage() {
	local message=$1

	shift
	t_status 2 "ft set $*" "$FT" set "$@"
	t_is "$err" "ft set: $message
Try 'ft help set'." "... and says why"
}
# refused MESSAGE WORD...
refused() {
	local message=$1

	shift
	t_status 1 "ft set $*" "$FT" set --dry-run "$@"
	t_is "${err//$fake/@}" "ft set: $message" "... and says why"
	t_is "$out" "" "... and nothing else"
}

writes '-a tracer=function' 'echo function > @/current_tracer'
writes "on --all tracer=function clock=mono" 'echo mono > @/trace_clock
echo function > @/current_tracer
echo 1 > @/tracing_on'
writes "clear off" 'echo 0 > @/tracing_on
: > @/trace'
writes buffer=2M 'echo 2048 > @/buffer_size_kb'
writes buffer=1 'echo 1 > @/buffer_size_kb'
writes cpus=0-1 'echo 3 > @/tracing_cpumask'
writes cpus=1 'echo 2 > @/tracing_cpumask'
writes cpus=all 'echo 3 > @/tracing_cpumask'
writes thresh=1.5ms 'echo 1500 > @/tracing_thresh'
writes thresh=0 'echo 0 > @/tracing_thresh'
writes events+=sched 'echo 1 > @/events/sched/enable'
writes events+=sched_switch,irq_handler_e* 'echo 1 > @/events/irq/enable
echo 1 > @/events/sched/sched_switch/enable'
writes events=sched_switch 'echo 0 > @/events/irq/enable
echo 1 > @/events/sched/sched_switch/enable'
writes events-=irq_handler_exit,sched 'echo 0 > @/events/irq/irq_handler_exit/enable'
writes events-=all 'echo 0 > @/events/irq/enable'
writes "options+=stacktrace options-=overwrite,print-parent" 'echo 1 > @/options/stacktrace
echo 0 > @/options/overwrite
echo 0 > @/options/print-parent'
writes "instances+=a,b instances-=mine" 'mkdir @/instances/a
mkdir @/instances/b
rmdir @/instances/mine'
writes --reset 'echo 0 > @/events/irq/enable'

usage "no setting 'tracr=' (did you mean tracer=?)" tracr=nop
usage "no setting 'function'" function
usage "'tracer' is no setting: write tracer=" tracer
usage "'tracer+=' is no setting: write tracer=" tracer+=nop
usage "'events' is no setting: write events+= or events-= or events=" events
usage "tracer= needs a value" tracer=
usage "tracer= is given twice" tracer=nop tracer=function
usage "tracing cannot be both on and off" on off
usage "events= leaves nothing for events+= and events-=" events=sched events+=irq
usage "only one of settings, --undo, --reset, --save and --load at a time" --undo on
usage "--all is for --reset, --load and tracer=" --all
usage "--reset --all is for the whole system: leave --instance out" --reset --all --instance mine
usage "--force is for --undo" --force
usage "--dry-run needs something to set" --dry-run
usage "--json is for showing the state, without settings" --json on
refused "no tracer 'functio' on this kernel (did you mean function or function_graph?); 'ft list tracers' shows all" off tracer=functio
refused "no event sched:sched_swich (did you mean sched:sched_switch or sched:sched_waking?)" events+=irq,sched:sched_swich
refused "no event matches 'zz*'" 'events-=zz*'
refused "no clock 'mnoo' on this kernel (did you mean mono?); 'ft list clocks' shows all" clock=mnoo
refused "no trace option 'overwrit' on this kernel (did you mean overwrite?); 'ft list options' shows all" options-=overwrit
refused "no instance 'mime' on this kernel (did you mean mine?); 'ft list instances' shows all" instances-=mime
refused "there is an instance 'mine' already" instances+=mine
refused "buffer cannot be 0" buffer=0
refused "buffer: 'x' is not a size (like 512k, 8M, 1.5G)" buffer=x
refused "buffer-percent is from 0 to 100, not 101" buffer-percent=101
refused "cmdlines takes a number, not 'many'" cmdlines=many
refused "thresh=5 needs a unit: 5us, 5ms or 5s" thresh=5
refused "thresh=1ns is no whole number of microseconds" thresh=1ns
refused "there is no CPU 2: the last one is 1" cpus=2
refused "subbuf cannot be set on this kernel: there is no @/buffer_subbuf_size_kb" subbuf=8k
refused "max-depth cannot be set on this kernel: there is no @/max_graph_depth" max-depth=1
whole="without a filter records each function call of the whole system: choose functions ('ft filter +FUNC') or a process ('ft filter --pid PID') first, or add -a"
refused "tracer function $whole" off tracer=function
refused "tracer function_graph $whole" tracer=function_graph
put set_ftrace_filter '#### all functions enabled ####
vfs_read:traceoff:unlimited'
put set_ftrace_pid 'no pid'
refused "tracer function $whole" tracer=function
put set_ftrace_filter 'vfs_read'
writes tracer=function 'echo function > @/current_tracer'
rm "$fake/set_ftrace_filter"
put set_ftrace_pid 17
writes tracer=function 'echo function > @/current_tracer'
rm "$fake/set_ftrace_pid"
put set_graph_function vfs_read
refused "tracer function $whole" tracer=function
writes tracer=function_graph 'echo function_graph > @/current_tracer'
rm "$fake/set_graph_function"
refused "snapshot cannot be set on this kernel: there is no @/snapshot" snapshot

# Setups as files.
t_ok "save" "$FT" set --save setup
t_is "$(cat setup)" "# ft setup 1
events/irq/irq_handler_entry/enable = 1
events/irq/irq_handler_exit/enable = 1" "... keeps what is not at its default"
cat >other <<'END'
# ft setup 1
current_tracer = function
options/stacktrace = 1
per_cpu/cpu1/buffer_size_kb = 4096
events/sched/sched_switch/filter = prev_pid != 1
events/sched/sched_switch/trigger += stacktrace:3 if prev_pid == 7
END
refused "tracer function $whole" --load other
writes "--all --load other" "echo 0 > @/events/irq/enable
echo 1 > @/options/stacktrace
echo 4096 > @/per_cpu/cpu1/buffer_size_kb
echo 'prev_pid != 1' > @/events/sched/sched_switch/filter
echo 'stacktrace:3 if prev_pid == 7' >> @/events/sched/sched_switch/trigger
echo function > @/current_tracer"
# bad LINE MESSAGE
bad() {
	printf '# ft setup 1\n%s\n' "$1" >bad
	refused "$2" --load bad
}
bad "../../etc/passwd = 1" "bad: line 2: ../../etc/passwd is no setting of ft's"
bad "events/../x/enable = 1" "bad: line 2: events/../x/enable is no setting of ft's"
bad "trace_pipe = 1" "bad: line 2: trace_pipe is no setting of ft's"
bad "current_tracer" "bad: line 2 is no setting: 'current_tracer'"
bad "current_tracer: nop" "bad: line 2 is no setting: there is neither '=' nor '+=' after current_tracer:"
bad "current_tracer += nop" "bad: line 2: current_tracer takes '=', not '+='"
bad "tracing_on = " "bad: line 2: tracing_on has no value"
bad "options/nosuch = 1" "bad sets what is not in @: options/nosuch"
bad "current_tracer = osnoise
trace_clock = tai
events/nosuch/event/enable = 1
per_cpu/cpu7/buffer_size_kb = 9
events/sched/sched_switch/filter = prev_pid != 1" "bad sets what is not in @: tracer osnoise, clock tai, \
events/nosuch/event/enable, per_cpu/cpu7/buffer_size_kb"
bad "$(printf 'options/nosuch%d = 1\n' $(seq 12))" "bad sets what is not in @: $(printf 'options/nosuch%d, ' $(seq 10))and 2 more"
put available_filter_functions $'vfs_read\nvfs_write [some]'
put set_ftrace_filter '#### all functions enabled ####'
bad "set_ftrace_filter += vfs_read
set_ftrace_filter += vfs_write:mod:some
set_ftrace_filter += vfs_gone
set_ftrace_filter += vfs_gone2:traceoff" "bad sets what is not in @: function vfs_gone, function vfs_gone2:traceoff"
rm "$fake/available_filter_functions" "$fake/set_ftrace_filter"
echo nothing >bad
refused "bad: this is no setup that ft has saved: it does not begin with '# ft setup 1'" --load bad

put enabled_functions 'vfs_open (1) R I  	tramp: 0xffffffffc030e000 (klp_ftrace_handler+0x0/0x1a0) ->klp_ftrace_handler+0x0/0x1a0
vfs_read (1) R   D	tramp: ftrace_regs_caller+0x0/0x60 (call_direct_funcs+0x0/0x20) ->call_direct_funcs+0x0/0x20
	direct-->bpf_trampoline_6442+0x0/0x1000
vfs_stat (2) R     ->arch_ftrace_ops_list_func+0x0/0x1d0
vfs_sync (1)       	tramp: 0xffffffffc0317000 (my_hook+0x0/0x10 [my]) ->my_hook+0x0/0x10 [my]'
state >before
t_ok "the state" "$FT" set
t_like "${out//$fake/@}" "^@
not at the kernel's default:
  events +irq:irq_handler_entry, irq:irq_handler_exit
buffer:
  CPU 0   0 B of 1408 KiB, 12 events
" "... is told"
t_like "$out" "
  function hooks: 1 by a live patch
  function hooks: 1 by bpf
  function hooks: 1 by several at once
  function hooks: 1 by my_hook
" "... and by whom functions are hooked"
t_ok "the state as JSON" "$FT" set --json
cp "$T_TMP/.out" json
t_ok "... is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' json
state >after
t_is "$(cat after)" "$(cat before)" "none of this changes anything"
t_done

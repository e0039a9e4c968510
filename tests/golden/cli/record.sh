#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record: what it makes of its arguments, on a directory that looks like tracefs. Nothing is recorded.
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
put set_event ''
put available_filter_functions $'vfs_read\nvfs_write\nvfs_open\ndo_sys_openat2\next4_iget [ext4]'
for name in overwrite print-parent record-cmd record-tgid event-fork function-fork; do put options/$name 0; done
for name in set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid set_event_pid \
	set_event_notrace_pid set_graph_function set_graph_notrace max_graph_depth tracing_thresh; do put $name ''; done
put saved_cmdlines_size 128
put per_cpu/cpu0/stats ''
put per_cpu/cpu1/stats ''
put tracing_on 1
for event in sched/sched_switch sched/sched_waking irq/irq_handler_entry irq/irq_handler_exit; do
	put events/$event/enable 0
	put events/$event/filter none
	put events/$event/format $'format:\n\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;'
done
export FT_TRACEFS=$fake
state() {
	find "$fake" -type f | sort | xargs md5sum
}
state >before

# refused STATUS MESSAGE WORD...: with one line that says what is wrong.
refused() {
	local want=$1 message=$2

	shift 2
	t_status "$want" "ft record $*" "$FT" record --dry-run "$@"
	t_is "$out" "" "... prints nothing"
	t_is "$err" "ft record: $message" "... and says why"
}
usage() {
	local want=$1 message=$2

	shift 2
	refused "$want" "$message
Try 'ft help record'." "$@"
}

# Wrong usage: 2, or 125 when it could be taken for the status of a command.
usage 2 "no option --evnt (did you mean --event?)" --evnt=sched
usage 125 "no option --evnt (did you mean --event?)" --evnt sched true
usage 125 "no option -x" -x -- true
usage 2 "--event needs an argument: EVENT" -e
usage 2 "--raw is for --live; ft report has it, too" --raw
usage 125 "--live and -o - both write to the standard output: choose one" --live -o - true
usage 2 "--live prints what is in the file, and can not when it is compressed: leave --compress out, or --live" --live --compress
usage 2 "--file-version 5: it is 6 or 7" --file-version 5
usage 2 "--file-version 6 cannot be compressed: leave --compress out, or --file-version" --file-version 6 --compress
usage 125 "--file-version 6 needs a file: its tables, known at the end, come before the events; leave -o - out, or --file-version" \
	--file-version 6 -o - true
usage 2 "--file-version 6 is for a file, and --live without -o writes none" --file-version 6 --live
usage 2 "--file-version 6 has sub-buffers of one size: give all buffers the same --subbuf, or leave --file-version out" \
	--file-version 6 -e sched -B mine -e irq --subbuf 8k
usage 2 "--tracer needs an argument: TRACER" --tracer
usage 2 "--all takes no argument" --all=yes
usage 2 "--duration: '5x' is not a duration (like 10, 1.5s, 200ms, 5m)" -d 5x
usage 2 "--duration needs more than '0'" -d 0
usage 2 "--max-graph-depth needs more than '0'" --max-graph-depth 0
usage 2 "--file-version needs more than '0'" --file-version 0
usage 125 "--duration needs more than '0.0s'" -d 0.0s -e sched true
usage 2 "--buffer needs more than '0k'" -b 0k
usage 2 "-p needs the name of a tracer" --tracer=
usage 2 "-o needs the name of a file" -o ''
usage 2 "-p irqsoff keeps one text, of the longest latency, in the top-level buffer: leave --ring out" -p irqsoff --ring 1M
usage 2 "-p wakeup keeps one text, of the longest latency, in the top-level buffer: leave --instance out" -e sched -B a -p wakeup
usage 2 "--snapshot goes with --from-kernel only" --snapshot
usage 125 "--from-kernel saves what is there and records nothing: leave a command out" --from-kernel true
usage 2 "--from-kernel saves what is there and records nothing: leave --dry-run out" --from-kernel
usage 2 "--from-kernel saves what is there and records nothing: leave -e out" --from-kernel -B a -e sched
usage 2 "--from-kernel saves what is there and records nothing: leave --duration out" --from-kernel -d 5
t_status 2 "a size that is none" "$FT" record --dry-run -b 5x
t_like "$err" "--buffer: .*5x" "... is told"

# The command.
refused 127 "command 'nosuchprog' not found" -e sched nosuchprog
refused 127 "command './nosuchprog' not found" -e sched -- ./nosuchprog
refused 127 "command '' not found" -e sched ''
echo >plain
refused 126 "cannot execute './plain': Permission denied" -e sched ./plain
refused 126 "cannot execute '/': Permission denied" -e sched /
# It is looked for before anything else that costs time, and before any word about the kernel.
refused 127 "command 'nosuchprog' not found" -p nosuchtracer nosuchprog

# Names that this kernel does not have: 1, or 125 with a command.
refused 1 "no tracer 'function_grap' on this kernel (did you mean function_graph or function?); 'ft list tracers' shows all" -p function_grap
refused 125 "no tracer 'xyzzy' on this kernel; 'ft list tracers' shows all" -p xyzzy true
refused 1 "no clock 'mnoo' on this kernel (did you mean mono?); 'ft list clocks' shows all" -e sched -C mnoo
refused 125 "no trace option 'overwrit' on this kernel (did you mean overwrite?); 'ft list options' shows all" -e sched -O overwrit true
refused 1 "no trace option 'nooverwrit' on this kernel (did you mean overwrite?); 'ft list options' shows all" -e sched -O nooverwrit
t_status 1 "an unknown event" "$FT" record --dry-run -e sched:sched_swich
t_like "$err" "sched:sched_swich.*did you mean sched:sched_switch" "... gets the nearest"
t_status 1 "an unknown function" "$FT" record --dry-run -l vfs_raed
t_like "$err" "vfs_raed.*did you mean .*vfs_read" "... gets the nearest"
t_status 1 "a glob without a match" "$FT" record --dry-run -l 'zzz*'
t_like "$err" "zzz\*" "... is told"
refused 1 "-g needs the function_graph tracer, not function" -p function -g vfs_read
refused 1 "-l and -n need a function tracer, not blk" -p blk -l vfs_read
t_status 1 "a buffer beyond the memory" "$FT" record --dry-run -e sched -b 900T
t_like "$err" "more than the memory available" "... is told"
t_status 1 "no tracing directory" "$FT" record --dry-run -e sched --tracefs "$T_TMP/nosuch"
t_is "$err" "ft record: no tracing directory $T_TMP/nosuch: No such file or directory" "... is told"

# What is right prints the writes, as lines that a shell can run.
t_ok "a dry run" "$FT" record --dry-run -p function_graph -l 'vfs_*' -g do_sys_openat2 -O nooverwrite -b 2M -C boot -- true
t_is "$err" "" "... has nothing to say"
t_like "$out" "echo nop > $fake/current_tracer
.*echo boot > $fake/trace_clock
echo 2048 > $fake/buffer_size_kb
.*echo 0 > $fake/options/overwrite
.*echo 'vfs_\*' >> $fake/set_ftrace_filter
.*echo do_sys_openat2 >> $fake/set_graph_function
.*echo \\$\\$ >> $fake/set_ftrace_pid
.*echo function_graph > $fake/current_tracer
: > $fake/trace
echo 1 > $fake/tracing_on$" "... prints what it would write, in order"
t_ok "the shell takes it" sh -n -c "$out"
t_ok "-l alone" "$FT" record --dry-run -l vfs_read
t_like "$out" "echo function > $fake/current_tracer" "... implies the function tracer"
t_ok "-g alone" "$FT" record --dry-run -g vfs_read
t_like "$out" "echo function_graph > $fake/current_tracer" "... implies the graph"
t_ok "a whole system" "$FT" record --dry-run -e sched
t_like "$out" "echo 1 > $fake/events/sched/enable" "... is one write"
t_ok "one event" "$FT" record --dry-run -e sched_switch
t_like "$out" "echo 1 > $fake/events/sched/sched_switch/enable" "... is another"
t_unlike "$out" ">> [^ ]*set_event_pid|event-fork" "without a command nobody is left out"
t_ok "-a" "$FT" record --dry-run -a -e sched_switch true
t_unlike "$out" 'echo \$\$ >>' "is the whole system with a command too"
t_ok "options of the command" "$FT" record --dry-run -e sched_switch true --nosuchoption -p xyzzy
t_ok "markers need no event" "$FT" record --dry-run -e ftrace:print -e sched_switch
t_is "$err" "ft record: ftrace:print comes by itself, it needs no -e" "... which is said"
t_ok "quietly" "$FT" record -q --dry-run -e ftrace:print -e sched_switch
t_is "$err" "" "... or not"

# Filters, triggers, buffers, and whom to record.
usage 2 "--user is for a command, and there is none" --user root -e sched
usage 125 "--pid is for processes that run already: leave 'true' out, or --pid" -P 1 -e sched true
usage 2 "--pid and -a exclude each other" -P 1 -a -e sched
refused 1 "'x1' is not the id of a process" -P x1 -e sched
refused 1 "no process has the id 2147483647" -P 1,2147483647 -e sched
refused 125 "no user 'nosuch-user' on this machine" --user nosuch-user -e sched true
refused 1 "event sched_switch has no field prev_pri (did you mean prev_prio?)
  prev_pri < 1
  ^" -F 'sched_switch: prev_pri < 1'
refused 1 "--filter 'prev_prio < 1' is for no event: 'EVENT: EXPR', or -e EVENT" -F 'prev_prio < 1'
refused 1 "--filter 'sched_switch' needs an expression: 'EVENT: EXPR'" -F sched_switch
refused 1 "sched:sched_switch has two filters: put them into one with && or ||" -F 'sched_switch: prev_prio < 1' -F 'sched_switch: prev_prio > 9'
refused 1 "an event has no action 'stacktrac' (did you mean stacktrace?); 'ft list triggers' shows all" --trigger 'sched_switch: stacktrac'
refused 1 "--trigger 'traceoff' needs an event: 'EVENT: ACTION [if EXPR]'" --trigger traceoff
refused 1 "--until-event 'prev_prio < 1' needs an event: 'EVENT: EXPR'" --until-event 'prev_prio < 1'
refused 1 "--max-graph-depth needs the function_graph tracer, not function" -p function --max-graph-depth 2
refused 1 "-T with the function tracer needs -l: a stack trace of every function stops the machine" -p function -T
refused 1 "--instance a: this kernel has no instances (since 3.10)" -B a -e sched
t_ok "filters and triggers" "$FT" record --dry-run --trigger 'sched:sched_switch: stacktrace if prev_prio<100' -F 'prev_prio < 100 && prev_comm == sh' -e sched_switch
t_like "$out" "echo 'prev_prio < 100 && prev_comm == \"sh\"' > $fake/events/sched/sched_switch/filter
: > $fake/trace
echo 'stacktrace if prev_prio < 100' >> $fake/events/sched/sched_switch/trigger" "... are spelt as the kernel wants them"
t_ok "every function" "$FT" record --dry-run -a -p function true
t_like "$err" "every function of the whole system is traced" "... gets a warning"
t_ok "some of them" "$FT" record --dry-run -a -l vfs_read true
t_is "$err" "" "... do not"

state >after
t_is "$(diff before after)" "" "none of these has written anything"
t_is "$(ls)" "after
before
fake
plain" "nor made a file"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft list on a directory that looks like tracefs: output, messages, status.
. "$(dirname "$0")/../lib.sh"

fake="$T_TMP/my tracing"

# put FILE TEXT
put() {
	mkdir -p "$(dirname "$fake/$1")"
	printf '%s' "$2" >"$fake/$1"
}

put current_tracer $'function\n'
put available_tracers $'function_graph function nop\n'
put trace_clock $'local [mono] x86-tsc\n'
put options/block $'0\n'
put options/annotate $'1\n'
put trace_options $'annotate\nnoblock\n'
put available_events $'sched:sched_switch\nkmem:kfree\nsched:sched_waking\n'
put available_filter_functions $'vfs_write\nvfs_read\next4_iget\t[ext4]\n'
put events/sched/sched_switch/enable $'0\n'
put events/sched/sched_switch/filter $'prev_pid == 1\n'
put events/sched/sched_waking/filter $'(pid\n ^\nparse_error: Too many \'(\'\n'
put events/sched/sched_switch/trigger $'# Available triggers:\n# traceon\n'
put events/kmem/kfree/trigger $'stacktrace:unlimited\nhist:keys=ptr [active]\n'
put events/sched/sched_switch/format 'name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:__data_loc char[] name;	offset:24;	size:4;	signed:0;
	field:const void * ptr;	offset:32;	size:8;	signed:0;
	field:u8 args[sizeof(long)][6];	offset:40;	size:48;	signed:0;

print fmt: "prev_comm=%s", REC->prev_comm
'
put set_ftrace_filter $'vfs_read\nvfs_write:traceoff:unlimited\n'
put set_ftrace_notrace $'#### no functions disabled ####\n'
put set_ftrace_pid $'no pid\n'
put set_event_pid $'1\n22\n'
put dynamic_events $'p:my/read vfs_read arg=$arg1\nr8:my/ret vfs_read\np:bash/line /bin/bash:0x1234\ns:synthetic/lat u64 a; char[16] b\n'
put instances/one/current_tracer $'nop\n'
put instances/one/tracing_on $'1\n'
put instances/one/buffer_size_kb $'1410\n'
put instances/one/trace_clock $'[boot]\n'
export FT_TRACEFS=$fake

t_ok "tracers" "$FT" list tracers
t_is "$out" $'function\nfunction_graph\nnop' "one name a line, sorted"
t_ok "tracers, verbose" "$FT" list -v tracers
t_like "$out" 'function +in use' "the one in use is marked"
t_ok "clocks" "$FT" list clocks --json
t_is "$out" $'[\n{"name":"local","current":false},\n{"name":"mono","current":true},\n{"name":"x86-tsc","current":false}\n]' "as JSON"
t_ok "options" "$FT" list options -v
t_is "$out" $'annotate  on\nblock     off' "with their state"

t_ok "functions" "$FT" list functions
t_is "$out" $'ext4_iget\nvfs_read\nvfs_write' "without their modules"
t_ok "functions of two families" "$FT" list functions 'ext4_*' 'vfs_r*' --json
t_is "$out" $'[\n{"name":"ext4_iget","module":"ext4"},\n{"name":"vfs_read"}\n]' "each with its module in JSON"

t_ok "events by name" "$FT" list events sched_waking
t_is "$out" 'sched:sched_waking' "a name without its system"
t_ok "events by system" "$FT" list events sched
t_is "$out" $'sched:sched_switch\nsched:sched_waking' "a whole system"
t_ok "events by two patterns" "$FT" list events 'k*:k*' sched_switch
t_is "$out" $'kmem:kfree\nsched:sched_switch' "both"
t_ok "an event in full" "$FT" list events -v sched_switch
t_is "$out" 'sched:sched_switch
  ID 316
  common_type                  unsigned short                 offset   0  size   2  unsigned
  prev_comm                    char[16]                       offset   8  size  16  unsigned
  name                         __data_loc char[]              offset  24  size   4  unsigned
  ptr                          const void *                   offset  32  size   8  unsigned
  args                         u8[sizeof(long)][6]            offset  40  size  48  unsigned
  print fmt: "prev_comm=%s", REC->prev_comm' "fields and print format"
t_ok "an event in full as JSON" "$FT" list events -v --json sched_switch
t_like "$out" '"id":316,"fields":\[\{"name":"common_type","type":"unsigned short","offset":0,"size":2,"signed":false\}' "a list of fields"
python3 -m json.tool <<<"$out" >/dev/null && t_pass "it is JSON" || t_fail "it is JSON"

t_ok "triggers" "$FT" list triggers
t_is "$out" 'set_ftrace_filter  vfs_write:traceoff:unlimited
kmem:kfree         stacktrace:unlimited
kmem:kfree         hist:keys=ptr [active]' "of functions and events"
t_ok "filters" "$FT" list filters
t_is "$out" 'set_ftrace_filter   vfs_read
set_event_pid       1
set_event_pid       22
sched:sched_switch  prev_pid == 1' "those in force, not what the kernel has refused"
t_ok "dynamic events" "$FT" list dynamic
t_is "$out" 'my:read        kprobe vfs_read arg=$arg1
my:ret         kretprobe vfs_read
bash:line      uprobe /bin/bash:0x1234
synthetic:lat  synthetic u64 a; char[16] b' "with their kinds"
t_ok "instances" "$FT" list -v instances
t_is "$out" 'one  tracer nop, tracing on, 1410 kB a CPU' "with what they do"
t_ok "of an instance" "$FT" list clocks --instance one
t_is "$out" 'boot' "its own clocks"

t_ok "overview" "$FT" list
t_like "$out" 'events +3 .*functions +3 .*clocks +3 [^\n]*in use: mono' "counts"
t_ok "overview as JSON" "$FT" list --json
python3 -m json.tool <<<"$out" >/dev/null && t_pass "it is JSON" || t_fail "it is JSON"

# Nothing there and nothing meant.
rm "$fake"/dynamic_events
t_ok "an empty list is no failure" "$FT" list dynamic
t_is "$out" '' "and prints nothing"

t_status 2 "an unknown noun" "$FT" list tracres
t_is "$err" "ft list: nothing to list is called 'tracres' (did you mean tracers?)
Try 'ft help list'." "gets the nearest"
t_status 2 "a noun unlike any other" "$FT" list xyzzy
t_like "$err" 'it is one of tracers, events' "gets them all"
t_status 2 "an instance of what has none" "$FT" list plugins --instance one
t_status 2 "an empty pattern" "$FT" list events ''
t_status 1 "an unknown event" "$FT" list events sched_swich
t_is "$err" 'ft list: no event or event system sched_swich (did you mean sched_switch?)' "gets the nearest"
t_status 1 "an unknown tracer" "$FT" list tracers functoin
t_is "$err" "ft list: no tracer 'functoin' (did you mean function?)" "gets the nearest"
t_status 1 "a pattern without a match" "$FT" list functions 'zz*'
t_is "$out$err" "ft list: no function matches 'zz*'" "is said"
t_status 1 "one of two patterns without a match" "$FT" list functions 'vfs*' 'zz*'
t_is "$out" '' "prints nothing"
t_status 1 "an unknown instance" "$FT" list tracers --instance onw
t_is "$err" "ft list: no instance 'onw' (did you mean one?)" "gets the nearest"
t_status 1 "an instance with a way out of the directory" "$FT" list tracers --instance ../events
t_status 1 "no directory" "$FT" list options --tracefs "$T_TMP/none"
t_is "$err" "ft list: no tracing directory $T_TMP/none: No such file or directory" "is said"
t_status 1 "a directory of another kind" "$FT" list options --tracefs "$T_TMP"
t_like "$err" 'is not a tracing directory: there is no current_tracer in it' "is said"
t_status 1 "an unknown feature" "$FT" list support kprobe
t_like "$err" "no feature 'kprobe' .did you mean kprobes" "gets the nearest"

t_status 1 "a full disk is not success" sh -c '"$0" list functions >/dev/full' "$FT"
t_done

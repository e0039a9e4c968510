#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft filter: wrong usage, and what it shows and would write on a directory that looks like tracefs.
. "$(dirname "$0")/../../lib.sh"

# wrong PATTERN ARG...: status 2, nothing on stdout, and the reason.
wrong() {
	local pattern=$1

	shift
	t_status 2 "wrong: ft filter $*" "$FT" filter "$@"
	t_like "$err" "$pattern" "... and says why"
	t_is "$out" "" "... and prints nothing else"
}

wrong "'\+' names no function" +
wrong "an empty word" ''
wrong "a command has no '-'" -vfs_read:traceoff
wrong "no command 'traceof' .did you mean traceoff" +vfs_read:traceof
wrong "did you mean stacktrace" sched_switch stacktrac
wrong "for functions write \+vfs_read \+vfs_write" vfs_read vfs_write
wrong "the filter of sched_switch is empty" sched_switch ' '
wrong "sched_switch has two filters here: join them, \(prev_pid == 1\) && \(prev_pid == 2\)" \
	sched_switch 'prev_pid == 1' sched_switch 'prev_pid == 2'
wrong "needs a filter or a trigger behind it" +vfs_read sched_switch
wrong "clear has no 'function' .did you mean functions" --clear function
wrong "undo takes no other change" --undo +vfs_read
wrong "force belongs to --undo" --force
wrong "dry-run needs a change" --dry-run
wrong "children belongs to --pid" --children
wrong "leave --instance out" --instance x --kprobe vfs_read
wrong "no option -l" -l vfs_read

fake=$T_TMP/fake
mkdir -p "$fake/events/sched/sched_switch"
export FT_TRACEFS=$fake
echo nop >"$fake/current_tracer"
echo sched:sched_switch >"$fake/available_events"
printf 'vfs_read\nvfs_write\n_lock\n' >"$fake/available_filter_functions"
echo '#### all functions enabled ####' >"$fake/set_ftrace_filter"
echo '#### no functions disabled ####' >"$fake/set_ftrace_notrace"
cd "$fake/events/sched/sched_switch" || exit 1
echo 0 >enable
echo none >filter
echo '# Available triggers:' >trigger
printf '\tfield:int prev_prio;\toffset:8;\tsize:4;\tsigned:1;\n' >format

t_ok "nothing in force" "$FT" filter
t_is "$out$err" "ft filter: nothing is filtered: everything gets in" "is said"
t_ok "a dry run" "$FT" filter --dry-run '+vfs_*' -_lock sched_switch 'prev_prio<100' sched_switch 'stacktrace if prev_prio == 1'
t_is "$out" "echo 'vfs_*' >> $fake/set_ftrace_filter
echo _lock >> $fake/set_ftrace_notrace
echo 'prev_prio < 100' > $fake/events/sched/sched_switch/filter
echo 'stacktrace if prev_prio == 1' >> $fake/events/sched/sched_switch/trigger" "prints the writes as shell lines"
t_is "$err" "ft filter: vfs_*: 2 functions" "and what the glob stands for"
t_is "$(cat filter)" none "and writes nothing"
printf '\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n' >>format
t_ok "a dry run with a backslash" "$FT" filter --dry-run sched_switch 'prev_comm == "a\tb"'
t_is "$out" "printf '%s\\n' 'prev_comm == \"a\\tb\"' > $fake/events/sched/sched_switch/filter" "is the same in every shell"
t_status 1 "an unknown field" "$FT" filter sched_switch 'prev_pri < 100'
t_is "$err" "ft filter: event sched:sched_switch has no field prev_pri (did you mean prev_prio?)
  prev_pri < 100
  ^" "is pointed at"
printf 'vfs_read\n' >"$fake/set_ftrace_filter"
echo 'prev_prio == 3' >filter
t_ok "what is in force" "$FT" filter
t_is "$out" "set_ftrace_filter   vfs_read
sched:sched_switch  prev_prio == 3" "is shown"
t_ok "of one event" "$FT" filter sched_switch
t_is "$out" "sched:sched_switch  prev_prio == 3" "alone"
t_ok "as JSON" "$FT" filter --json
python3 -m json.tool <<<"$out" >/dev/null && t_pass "it is JSON" || t_fail "it is JSON"

# The commands of functions and the triggers of events are checked by the same rules.
# mistaken ACTION REASON
mistaken() {
	t_status 1 "the command $1" "$FT" filter "+vfs_read:$1"
	t_is "$err" "ft filter: $2" "... is found to be wrong"
	t_status 1 "the trigger $1" "$FT" filter sched_switch "$1"
	t_is "$err" "ft filter: $2" "... is found to be wrong"
}
mistaken traceon:x "'traceon:x': what follows the ':' is how often, a number"
mistaken stacktrace:0 "'stacktrace:0': what follows the ':' is how often, a number"
mistaken enable_event:sched "'enable_event:sched' names no event: enable_event:SYSTEM:EVENT"
mistaken enable_event:sched:sched_swich \
	"no event sched:sched_swich (did you mean sched:sched_switch?)"
mistaken disable_event:sched:sched_switch:x \
	"'disable_event:sched:sched_switch:x': what follows the ':' is how often, a number"
t_is "$(cat trigger)" "# Available triggers:" "... and nothing is written"
t_ok "a dry run of right ones" "$FT" filter --dry-run +vfs_read:enable_event:sched:sched_switch:2 +vfs_write:dump
t_is "$out" "echo vfs_read:enable_event:sched:sched_switch:2 >> $fake/set_ftrace_filter
echo vfs_write:dump >> $fake/set_ftrace_filter" "... prints them"
t_done

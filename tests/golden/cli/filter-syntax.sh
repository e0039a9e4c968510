#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of error in an event's filter that ft finds before the kernel sees it: the text, the place it points at,
# the status; and nothing is written.
. "$(dirname "$0")/../../lib.sh"

fake=$T_TMP/fake
mkdir -p "$fake/events/sched/sched_switch" "$T_TMP/run"
export FT_TRACEFS=$fake XDG_RUNTIME_DIR=$T_TMP/run
echo nop >"$fake/current_tracer"
echo sched:sched_switch >"$fake/available_events"
cd "$fake/events/sched/sched_switch" || exit 1
echo 0 >enable
echo none >filter
echo '# Available triggers:' >trigger
{
	printf '\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n'
	printf '\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n'
	printf '\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n'
} >format
state() {
	find "$fake" "$XDG_RUNTIME_DIR" -type f -exec md5sum {} + | sort
}
before=$(state)

# told STATUS ERR FILTER
told() {
	t_status "$1" "wrong: ${3:0:70}" "$FT" filter sched_switch "$3"
	t_is "$out$err" "ft filter: $2" "... and says why"
}

# wrong COLUMN REASON FILTER: points at the COLUMN, counted from 0; also in what follows a trigger's "if".
wrong() {
	local pointer

	printf -v pointer "%*s" $(($1 + 3)) ^
	told 1 "$2"$'\n'"  $3"$'\n'"$pointer" "$3"
	t_status 1 "... also for a trigger" "$FT" filter sched_switch "stacktrace if $3"
	t_is "$out$err" "ft filter: $2"$'\n'"  $3"$'\n'"$pointer" "... with the same words"
}

# repeat N TEXT
repeat() {
	printf "%.0s$2" $(seq "$1")
}

wrong 9 "after 'prev_pid' a comparison is missing: == != < <= > >= & ~ =~ !~" 'prev_pid && prev_prio == 1'
wrong 9 "after 'prev_pid' a comparison is missing: == != < <= > >= & ~ =~ !~" '(prev_pid) == 1'
wrong 4 "after 'not' a comparison is missing: == != < <= > >= & ~ =~ !~" 'not prev_pid == 1'
wrong 18 "a comparison is missing: == != < <= > >= & ~" 'prev_pid prev_prio'
wrong 0 "a field is missing here" '== 1'
wrong 0 "a field is missing here" '&& prev_pid == 1'
wrong 17 "a field is missing here" 'prev_pid == 1 && || prev_prio == 1'
wrong 2 "a field is missing here" '( ) == 1'
wrong 16 "a field is missing at the end" 'prev_pid == 1 ||'
wrong 11 "a value is missing at the end" 'prev_pid =='
wrong 10 "a value is missing here" 'prev_pid <> 1'
wrong 12 "a value is missing here" 'prev_pid != != 1'
wrong 12 "a value is missing here" 'prev_pid == (1)'
wrong 14 "&& or || is missing here" 'prev_pid == 1 prev_prio == 2'
wrong 14 "&& or || is missing here" 'prev_pid == 1 and prev_prio == 2'
wrong 15 "&& or || or ) is missing here" '(prev_pid == 1 prev_prio == 2)'
wrong 14 "one comparison follows another: join them by &&" 'prev_pid == 1 == 2'
wrong 13 "one comparison follows another: join them by &&" '1 < prev_pid < 3'
wrong 13 "parentheses are missing: (prev_pid & 1) == ..." 'prev_pid & 1 == 1'
wrong 16 "only (FIELD & MASK) may stand left of ==" '(prev_pid == 3) == 1'
wrong 0 "this parenthesis is not closed" '(prev_pid == 1'
wrong 17 "this parenthesis is not closed" 'prev_pid == 1 && (prev_prio == 2'
wrong 1 "this parenthesis is not closed" '!(prev_pid == 1'
wrong 13 "this parenthesis was not opened" 'prev_pid == 1)'
wrong 9 "equal is ==" 'prev_pid = 1'
wrong 9 "equal is ==" 'prev_pid => 1'
wrong 14 "or is ||" 'prev_pid == 1 | prev_prio == 1'
wrong 13 "',' is for lists of events only: use || or &&" 'prev_pid == 1, prev_prio == 2'
wrong 13 "a filter has no ';' outside of quotes" 'prev_pid == 1; prev_prio == 2'
wrong 13 "this text has no end: \" is missing" 'prev_comm == "ssh'
wrong 13 "this text has no end: ' is missing" "prev_comm == 'ssh"
wrong 0 "'5' is not a field: nothing of the event is compared" '5 == 5'
wrong 0 "'@x' is not a field: nothing of the event is compared" '@x == 1'
wrong 0 "event sched:sched_switch has no field prev_pri (did you mean prev_prio or prev_pid?)" 'prev_pri < 1'
wrong 17 "event sched:sched_switch has no field nosuch" 'prev_pid == 1 && nosuch == 5'
wrong 0 "the event is named already: sched:sched_switch" 'sched_switch: prev_pid == 1'
wrong 0 "an event is missing here" ': prev_pid == 1'

# What ft report -F has, and the kernel's filters have not.
wrong 10 "the kernel's filters know no regular expressions: use ~ and a glob" 'prev_comm =~ "x.*"'
wrong 10 "the kernel's filters know no regular expressions: use ~ and a glob" 'prev_comm !~ "x"'
wrong 15 "the kernel compares no bits: only FIELD & MASK" '(prev_pid & 1) == 1'
wrong 0 "the kernel's filters know no elements of arrays" 'prev_pid[1] == 2'
wrong 17 "the kernel's filters know no times: ft report -F does" 'prev_pid == 1 && TIME > 5'
wrong 13 "the kernel takes no text with both kinds of quotes" 'prev_comm == "a'"'"'b\"c"'
wrong 12 "the kernel compares a field with constants, not with the field prev_prio: put a text in quotes" \
	'prev_pid == prev_prio'
wrong 11 "'5x' is not a number" 'prev_pid < 5x'
wrong 5 "COMM is a text: only == != ~ compare it, not >" 'COMM > "x"'

# Where the filter is too long for a line, the part around the fault is shown.
told 1 "more than 64 levels within each other
  ...$(repeat 96 '(')prev...
                                                                 ^" "$(repeat 100 '(')prev_pid == 1$(repeat 100 ')')"
told 1 "a filter has at most 256 comparisons
  ... == 1 || prev_pid == 1 || prev_pid == 1 || prev_pid == 1 || prev_pid == 1 || prev_pid == 1 || prev_p...
                                                                 ^" "$(repeat 300 'prev_pid == 1 || ')prev_pid == 2"
told 1 "a filter has no control characters
  prev_pid  == 1
          ^" $'prev_pid\x01 == 1'

# What is no filter at all is wrong usage.
told 2 "the filter of sched_switch is empty; 'none' takes it away
Try 'ft help filter'." ' '
told 2 "'prev_pid' is neither a filter nor a trigger for sched_switch (a filter is FIELD OP VALUE, or none; for functions \
write +sched_switch +prev_pid)
Try 'ft help filter'." prev_pid
t_is "$(state)" "$before" "none of these changes anything, or leaves an entry"
t_done

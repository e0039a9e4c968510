#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash, zsh and fish really offer when somebody types a line of ft.
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1

# A directory that looks like tracefs.
fake=$T_TMP/fake
mkdir -p fake/options fake/events fake/instances/{mine,theirs}
echo nop >fake/current_tracer
echo 'function_graph function blk nop' >fake/available_tracers
echo 'local [mono] mono_raw boot' >fake/trace_clock
printf 'sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\nschedule:other\n' >fake/available_events
printf 'vfs_read\nvfs_write\next4_iget [ext4]\n' >fake/available_filter_functions
touch fake/options/{overwrite,print-parent}
mkdir -p fake/events/irq/irq_handler_entry
touch fake/events/irq/irq_handler_entry/enable
printf '\tfield:int handler_data;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char handler_name[16];\toffset:12;\tsize:16;\tsigned:0;\n' \
	>fake/events/irq/irq_handler_entry/format
export FT_TRACEFS=$fake

# The program under its name, and a command that has completions of its own: ft's verbs.
mkdir bin work
ln -s "$FT" bin/ft
ln -s "$FT" bin/ft-other-program
PATH=$T_TMP/bin:$PATH
mkdir "work/deep folder" work/deeper
touch work/some.dat work/some.txt
state=$(find fake work | sort; cat fake/*tracer*)
# At the top are processes with a name of their own, for as long as this test runs.
sleep 600 &
sleeper=$!
t_tidy() {
	kill "$sleeper"
}

# Each line, and the words that it may go on with; a line ends in "~" for a blank.
table='
ft~|--help --version completion filter help list marker record report set
ft re|record report
ft rex|rex
ft help l|list
ft help list~|
ft completion~|bash fish zsh
ft completion bash~|
ft nosuch~|
ft record --fail|--fail-on-lost
ft list --js|--json
ft record -p fun|function function_graph
ft record --tracer function_g|function_graph
ft record -qp b|blk
ft record -C mono|mono mono_raw
ft record -O over|overwrite
ft record -O noo|nooverwrite
ft record -e s|sched sched:sched_switch sched:sched_waking schedule schedule:other
ft record -e sched:sched_sw|sched:sched_switch
ft record -e sched -l vfs_r|vfs_read
ft record -l e|ext4_iget
ft record -qg vfs_w|vfs_write
ft list tra|tracers
ft list -v opt|options
ft list --instance m|mine
ft list --instance mine cl|clocks
ft list clocks bo|boot
ft list instances~|mine theirs
ft list events irq:|irq:irq_handler_entry
ft report some.d|some.dat
ft report -i some.t|some.txt
ft record -p blk -o some.|some.dat some.txt
ft record --tracefs deepe|deeper/
ft record --tracefs=deepe|--tracefs=deeper/
ft record --tracefs /nonexistent -p~|
ft record -p blk ft-oth|ft-other-program
ft record -e sched -- ft-oth|ft-other-program
ft record -ofunction ft-oth|ft-other-program
ft record -e sched:sched_switch -- cat some.d|some.dat
ft record --event=sched -- cat some.d|some.dat
ft record --event=sched:sched_sw|--event=sched:sched_switch
ft record --output=some.t|--output=some.txt
ft record --nosuch=|--nosuch=
ft record --tracer=fun|--tracer=function --tracer=function_graph
ft set trac|tracer=
ft set tracer=fun|tracer=function tracer=function_graph
ft set events+=irq,sched:sched_sw|events+=irq,sched:sched_switch
ft set options-=over|options-=overwrite
ft set --instance m|mine
ft set clea|clear
ft record -e sched:sched_|sched:sched_switch sched:sched_waking
ft marker --allow roo|root
ft marker --deny :roo|:root
ft marker --allow=:roo|--allow=:root
ft filter +vfs_|+vfs_read +vfs_write
ft filter -ext|-ext4_iget
ft filter irq:irq_h|irq:irq_handler_entry
ft filter irq:irq_handler_entry handler_|handler_data handler_name
ft filter irq:irq_handler_entry none sched:sched_sw|sched:sched_switch
ft set options+=noo|options+=noo
ft set clock=mono_|clock=mono_raw
ft set instances-=m|instances-=mine
ft set snapshot=cl|snapshot=clear
ft filter -P PID|PID
ft filter --clear tr|triggers
'
# In quotes, by the key for what there is but one of; the shell closes them.
quoted=(
	"ft filter irq:irq_handler_entry 'handler_d|ata'"
	"ft filter irq:irq_handler_entry 'handler_data == 3 && handler_n|ame'"
	"ft filter irq:irq_handler_entry \"handler_data == 3 && (handler_n|ame\""
	"ft filter irq:irq_handler_entry 'handler_data == 3' sched:sched_sw|itch"
	"ft filter irq:irq_handler_entry handler_data\\ ==\\ 3 sched:sched_sw|itch"
	"ft filter irq:irq_handler_entry 'handler_data == 3' irq:irq_handler_entry 'handler_d|ata'"
	"ft filter 'irq:irq_h|andler_entry'"
	"ft filter '+ext|4_iget'"
	"ft record -e \"sched:sched_sw|itch\""
	"ft record -F 'irq_handler_entry: handler_n|ame'"
	"ft record --filter 'irq:irq_handler_entry: handler_data && handler_n|ame'"
	"ft set 'events+=sched:sched_sw|itch'"
	"ft set \"clock=mono_|raw\""
	"ft record -e 'sched:sched_switch' -C mono_|raw"
	"ft record -o 'some.d|at'"
	"ft filter irq:irq_handler_entry 'nosuch_|"
)
lines=() wants=()
while IFS='|' read -r line want; do
	[ -n "$line" ] || continue
	line=${line/%~/ }
	line=${line/PID/$sleeper}
	want=${want/PID/$sleeper}
	lines+=("$line")
	wants+=("${line% *} $want")
done <<<"$table"
for line in "${quoted[@]}"; do
	lines+=("${line%|*}"$'\t')
	wants+=("${line/|/}")
done

# What bash makes of it: it replaces only what follows the last ":" or "=", and the "/" of a folder comes
# at the next key.
as_shown() {
	if [ "$1" = bash ]; then
		sed 's/ --tracer=function_graph/ function_graph/; s/ tracer=function tracer=function_graph/ function_graph tracer=function/; s/\(-e sched:.*\) sched:/\1 /; s/\/$//' <<<"$2"
	else
		printf '%s\n' "$2"
	fi
}

# last_word LINE: without its quotes; nothing where one is still open.
last_word() {
	local line=$1

	case $line in
	*[\'\"])
		line=${line%?}
		line=${line##*[\'\"]}
		;;
	*)
		line=${line##* }
		line=${line##[\'\"]*}
		;;
	esac
	printf '%s\n' "$line"
}

check() {
	local n got want

	mapfile -t got <"got.$1"
	for ((n = 0; n < ${#lines[@]}; n++)); do
		want=$(as_shown "$1" "${wants[n]% }")
		[[ $1 != fish || ${lines[n]} != *$'\t' ]] || want=$(last_word "$want")
		t_is "${got[n]% }" "$want" "$1: ${lines[n]}"
	done
	t_unlike "$(cat "talk.$1")" "not found|rror|denied|ermission|parse" "$1 shows no message"
}

shells=() asked=()
for shell in bash zsh fish; do
	if ! command -v $shell >/dev/null; then
		t_skip "there is no $shell"
		continue
	fi
	t_ok "the script for $shell" "$FT" completion $shell
	printf '%s\n' "$out" >"script.$shell"
	(cd work && printf '%s\n' "${lines[@]}" |
		"$T_TOP/tests/typed" $shell "$T_TMP/script.$shell" >"../got.$shell" 2>"../talk.$shell" ||
		cp ../talk.$shell ../failed.$shell) &
	shells+=($shell)
	asked+=($!)
done
wait "${asked[@]}"
for shell in "${shells[@]}"; do
	if [ -e failed.$shell ]; then
		t_fail "$shell answers"
		t_note "$(cat failed.$shell)"
	else
		check $shell
	fi
done
t_is "$(find fake work | sort; cat fake/*tracer*)" "$state" "asking changes nothing"

# Too many names: what a shell would type for all of them must be right for all of them.
{ seq -f 'aa_%05g' 3000; echo a_last; } >fake/available_filter_functions
t_ok "too many names" "$FT" __complete record -l a
t_is "$(sed '$d' <<<"$out" | sed -n '1p;$p')" $'a_last\naa_03000' "... are the first and the last"
t_ok "... and not all between" test "$(wc -l <<<"$out")" -lt 1100

# Nothing that can be read: no answer, and no word about it.
rm -r fake/events/irq
for file in fake/available_tracers fake/available_events fake/available_filter_functions fake/trace_clock; do
	rm $file && mkdir $file
done
for words in 'record -p' 'record -e' 'record -C' 'list tracers' 'list clocks'; do
	# shellcheck disable=SC2086 # several words
	t_ok "unreadable: ft $words" "$FT" __complete $words ''
	t_is "$out$err" ":none" "... is no answer, without a word"
done
if [ "$(id -u)" = 0 ] && runuser -u nobody -- test -x "$FT" 2>/dev/null; then
	t_ok "without the right to look" env -u FT_TRACEFS runuser -u nobody -- "$FT" __complete record -p ''
	t_is "$err" "" "... there is no word about it"
else
	t_skip "no other user who could run the program"
fi
t_status 0 "no words at all" "$FT" __complete
t_status 2 "a script for another shell" "$FT" completion tcsh
t_is "$out" "" "... is none"
t_like "$err" "bash, zsh or fish" "... and the message says which there are"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report on files that are missing, foreign or damaged: one clear line each.
. "$(dirname "$0")/../../lib.sh"
cd "$T_TMP" || exit 1
export PAGER=false FT_PAGER=false
good=$T_TOP/tests/golden/files/le64.dat

t_ok "a good file" "$FT" report "$good"
whole=$out
t_is "$err" "" "... without a word"
t_like "$whole" "lab-alpha-100 .*sched_switch:.*lab beta-200" "... has its events"
cp "$good" trace.dat
t_ok "trace.dat where nothing is named" "$FT" report
t_is "$out" "$whole" "... is read"
t_ok "ft report -i FILE" "$FT" report -i trace.dat
t_is "$out" "$whole" "... is the same"
t_ok "a link" sh -c 'ln -s trace.dat link && exec "$0" report link' "$FT"
t_is "$out" "$whole" "... is followed"
rm trace.dat

# missing DESC MESSAGE OPTION...: what the file does not have is no empty report.
missing() {
	local what=$1 says=$2

	shift 2
	t_status 1 "$what" "$FT" report "$@" "$good"
	t_is "$out|$err" "|ft report: $says" "... is told"
}

missing "an event nobody knows" "no event sched_swich in the file (did you mean sched_switch?)" -e sched_swich
missing "an event of another system" "no event irq:sched_switch in the file (did you mean sched:sched_switch?)" -e irq:sched_switch
missing "one of two events" "no event nosuch in the file" -e sched_switch -e nosuch
missing "a CPU that is not there" "no CPU 7 in the file: it has 2, from 0 on" --cpu 7
missing "an instance that is not there" "no instance nosuch in the file: it has top" -B nosuch
missing "... also for numbers" "no event nosuch in the file" --profile -e nosuch
t_ok "CPUs beyond the last one" "$FT" report --cpu 0-99 "$good"
t_is "$out" "$whole" "... print those there are"
for two in "--stat --uname" "--events --stats" "--compat --first-event" "--check --recorder" "--sections --last-event"; do
	# shellcheck disable=SC2086 # options
	t_status 2 "$two" "$FT" report $two "$good"
	t_like "$err" "are a report each: give one" "... are two reports"
done
# Of several files each answer says which of them it is of.
cp "$good" other.dat
for question in --stat --uname --recorder; do
	t_ok "$question of two files" "$FT" report "$question" "$good" other.dat
	t_is "$(grep 'cpus=' <<<"$out")" " le64.dat: cpus=2
other.dat: cpus=2" "... names each"
	t_is "$(grep -c 'No stats in this file\|not recorded$' <<<"$out")" 2 "... says of each that it has none"
done
for question in --stats "--events -e print"; do
	# shellcheck disable=SC2086 # options
	t_ok "$question of two files" "$FT" report $question "$good" other.dat
	t_is "$(grep 'dat:$' <<<"$out")" "$good:
other.dat:" "... names each"
	# shellcheck disable=SC2086 # options
	t_ok "$question of one" "$FT" report $question other.dat
	t_is "$(grep -c 'dat:$' <<<"$out")" 0 "... does not"
done
for option in --compat --check; do
	t_status 2 "$option of a pipe" "$FT" report $option -
	t_like "$err" "$option reads files, not what comes in a pipe" "... is wrong usage"
done
for option in --comm -e; do
	t_status 2 "$option with an empty name" "$FT" report $option "" "$good"
	t_like "$err" "needs a name" "... is wrong usage"
done
t_ok "--first-event --last-event" "$FT" report --first-event --last-event --cpu 1 "$good"
for choice in "-e sched" "-F common_pid==1" "--since +1s" "--pid 1" "--comm lab*"; do
	# shellcheck disable=SC2086 # options
	t_status 2 "--first-event $choice" "$FT" report --first-event $choice "$good"
	t_like "$err" "no events can be chosen" "... is refused, not passed over"
done
for none in "--threads 0" "--threads 00" "--between lab_text lab_text --worst 0"; do
	# shellcheck disable=SC2086 # options
	t_status 2 "$none" "$FT" report $none "$good"
	t_like "$err" "^ft report: --(threads|worst) needs more than '00?'" "... is no way to ask for the default"
done
t_status 2 "--threads 65" "$FT" report --threads 65 "$good"
t_like "$err" "^ft report: --threads has 65: it takes 1 to 64" "... are too many"
t_ok "two --cpu" "$FT" report --cpu 1 --cpu 0 "$good"
t_is "$out" "$whole" "... add up"
t_status 2 "two --cpu, one wrong" "$FT" report --cpu 1 --cpu x "$good"
for beside in "--since 100" "--until 0.5" "--since +1s" "--since 1.000006 --until 2"; do
	# shellcheck disable=SC2086 # options
	t_status 1 "$beside, where nothing is" "$FT" report $beside "$good"
	t_is "$out|$err" "cpus=2|ft report: no event at that time: the first one is at 1.000000000, the last one at 1.000005000" \
		"... is told"
done
t_ok "a time between two events" "$FT" report --since 1.0000025 --until 1.0000027 "$good"
t_is "$out|$err" "cpus=2|" "... is no error"

sed 's/REC->port/FOO->port/' "$good" >fields.dat
t_ok "a print format that cannot be followed" "$FT" report fields.dat
t_is "$(grep -c 'lab_text:  *ns=123456789012345 port=? msg=hello cpu[01] port=443$' <<<"$out")" 2 "... shows the fields"
t_is "$err" "ft report: these print formats ask for what is not in the file, shown as ? or as name=value: lab:lab_text" \
	"... and says so once"
t_ok "... which --check finds as well" "$FT" report --check fields.dat
t_is "$out" "fields.dat: event lab:lab_text: its print format asks for what is not in the file, shown as ? or as name=value
fields.dat: sound, 10 events; 1 print format is followed in part; trace-cmd and KernelShark read the same" "... and the file is sound"
sed 's/REC->ns/_stextt/' "$good" >symbol.dat
t_ok "a symbol that the file does not know" "$FT" report --check symbol.dat
t_like "$out" "^symbol.dat: event lab:lab_text: .*
symbol.dat: sound, 10 events; 1 print format is followed in part; " "... is found as well"
sed 's/REC->port/FOO->port/; s/REC->ns/FOO->ns/; s/__get_str(/__got_str(/' "$good" >nothing.dat
t_status 1 "a print format that cannot be followed at all" "$FT" report --check nothing.dat
t_is "$out" "nothing.dat: event lab:lab_text: its print format cannot be followed, only its fields are printed" \
	"... is a finding"
for quiet in -R "-e sched_switch" --stats; do
	# shellcheck disable=SC2086 # options
	t_ok "the same with $quiet" "$FT" report $quiet fields.dat
	t_is "$err" "" "... without a word, since nothing is printed so"
done
t_ok "--events -e" "$FT" report --events -e sched_switch "$good"
t_is "$(grep -c '^name: ' <<<"$out") $(grep '^name: ' <<<"$out")" "1 name: sched_switch" "... lists the chosen formats"
for ends in "2 1" "-1s -2s" "+2s +1s"; do
	t_status 2 "--since and --until $ends" "$FT" report --since="${ends% *}" --until="${ends#* }" "$good"
	t_is "${err%%$'\n'*}" "ft report: --until ${ends#* } lies before --since ${ends% *}" "... is an empty window"
done

# Several events are printed with one time: that time means all of them.
t_ok "one printed time" "$FT" report --since 1.000001 --until 1.000001 "$good"
t_is "$out" "$(grep -e ^cpus= -e " 1\.000001: " <<<"$whole")" "... chooses what is printed with it"
t_is "$(wc -l <<<"$out")" 3 "... which is two events"
t_ok "the same in a filter" "$FT" report -F "time == 1.000001" "$good"
t_is "$out" "$(grep -e ^cpus= -e " 1\.000001: " <<<"$whole")" "... chooses the same"
t_ok "nanoseconds" "$FT" report -t --since 1.000000500 --until 1.000000500 "$good"
t_is "$(sed 1d <<<"$out" | wc -l)" 1 "... are exact"

# steps DESC WANTED OPTION...: what a recording by a counter has in a window that is given in counts.
steps() {
	local what=$1 wanted=$2

	shift 2
	t_ok "a counter: $what" "$FT" report "$@" "${good%.dat}-counter.dat"
	t_is "$(sed -n 's/.*step=//p' <<<"$out" | tr '\n' ' ')" "$wanted " "... chooses by its counts"
}

steps "from one to another" "1 2" --since 4 --until 5
steps "behind the first and before the last" "2 3 4" --since +2 --until -1
steps "a filter" "0 3" -F "time == 3 || time == 6"

# bad DESC PATTERN FILE: status 1, nothing on stdout, one line that names the file.
bad() {
	t_status 1 "$1" "$FT" report "$3"
	t_is "$out" "" "... prints no events"
	t_like "$err" "^ft report: [^
]*$3[^
]*$" "... names the file in one line"
	t_like "$err" "$2" "... and says what is wrong"
}

bad "a file that is not there" "No such file" nosuch.dat
t_status 1 "no trace.dat" "$FT" report
t_like "$err" "^ft report: [^
]*trace.dat[^
]*No such file[^
]*$" "... is told by its name"
: >empty
bad "an empty file" "not a trace|no trace|empty" ./empty
echo "some text that is longer than the magic of a trace file" >text
bad "a text" "not a trace|no trace" ./text
head -c 100000 /dev/zero >zeros
bad "zeros" "not a trace|no trace" ./zeros
bad "a program" "not a trace|no trace" "$(command -v sh)"
mkdir folder
bad "a folder" "directory|regular file" ./folder
head -c 10 "$good" >magic
bad "the magic alone" "cut|short|ends|trunc" ./magic
head -c 1500 "$good" >head
bad "a file that ends in its head" "damaged: offset [0-9]+: .* bytes, [0-9]+ are left" ./head
if [ "$(id -u)" = 0 ] && runuser -u nobody -- test -x "$FT" 2>/dev/null; then
	cp "$good" secret && chmod 600 secret && chmod 755 "$T_TMP"
	t_status 1 "a file of somebody else" runuser -u nobody -- "$FT" report "$T_TMP/secret"
	t_like "$err" "secret.*Permission denied" "... is told"
else
	t_skip "no other user who could run the program"
fi

# Cut in its data: what is there is printed, and what is missing is told.
size=$(stat -c %s "$good")
head -c $((size - 4096)) "$good" >cut
t_status 1 "a file that is cut in its data" "$FT" report cut
t_like "$err" "cut" "... is told by its name"
t_like "$out" "lab-alpha-100 .*sched_switch:" "... and what is there is printed"

# Every length: an answer, never a crash, and never more than the whole file has.
crashed=
for length in $(seq 1 487 "$size"); do
	head -c "$length" "$good" >piece
	t_run timeout 60 "$FT" report piece
	[ "$status" = 0 ] || [ "$status" = 1 ] || crashed+=" $length:$status"
	[ "$status" = 1 ] && [ -z "$err" ] && crashed+=" $length:silent"
done
t_is "$crashed" "" "a file cut anywhere is read or refused"

t_status 2 "a time that is none" "$FT" report --since soon "$good"
t_like "$err" "--since has 'soon'" "... is told"
t_status 2 "a CPU that is none" "$FT" report --cpu x "$good"
t_status 2 "a pid that is none" "$FT" report --pid x "$good"
# The options of trace-cmd report: what is no option of ft names one that is, or says why there is none.
options=$("$FT" __options report | awk -F'\t' '{ print "-" $1; print "--" $2 }')
habits=0
while read -r option; do
	grep -qx -- "$option" <<<"$options" && continue
	t_status 2 "trace-cmd report's $option" "$FT" report "$option" "$good"
	answer=$(head -1 <<<"$err")
	t_like "$answer" "^ft report: no option $option: [a-zA-Z-]" "... has an answer"
	unknown=$(grep -oE -- '(^| )--?[A-Za-z][a-z0-9-]*' <<<"${answer#*: no option * }" | tr -d ' ' | grep -vxF -e "$options")
	t_is "$unknown" "" "... with options that ft has"
	habits=$((habits + 1))
done < <(trace-cmd report -h 2>&1 | grep -oE '^ {10}--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ' | sort -u)
t_is "$((habits > 20))" 1 "... $habits of them"
t_status 2 "one behind letters that ft has" "$FT" report -tw "$good"
t_like "$err" "no option -w: --between sched_wakeup sched_switch" "... is answered as well"
t_ok "what leaves out hard interrupts" "$FT" report --exclude 'common_flags & 8' "$good"
t_done

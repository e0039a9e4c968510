#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stdout is data, stderr is talk, and what could not be written is no success.
. "$(dirname "$0")/../../lib.sh"
cd "$T_TMP" || exit 1
file=$T_TOP/tests/golden/files/le64.dat

# full DESC WORD...: with a disk behind stdout that is full.
full() {
	local desc=$1

	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_status 1 "$desc on a full disk" sh -c '"$0" "$@" >/dev/full' "$FT" "$@"
	t_like "$err" "^ft[^
]*: .*No space left on device$" "... is told in one line"
}

# closed DESC WORD...: without a stdout.
closed() {
	local desc=$1

	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_status 1 "$desc to a closed stdout" sh -c '"$0" "$@" >&-' "$FT" "$@"
	t_like "$err" "^ft[^
]*: .*Bad file descriptor$" "... is told in one line"
}

for words in "help record" --version "completion bash" "__verbs" "list --help" "report $file"; do
	# shellcheck disable=SC2086 # several words
	full "ft ${words%%/*}" $words
	# shellcheck disable=SC2086 # several words
	closed "ft ${words%%/*}" $words
done
# shellcheck disable=SC2016 # expanded by the inner shell
t_status 1 "nor is an error a success without a stderr" sh -c '"$0" report nosuch.dat 2>&-' "$FT"
t_is "$out$err" "" "... and it goes nowhere else"

# A reader that has seen enough is no failure to talk of.
# shellcheck disable=SC2016 # expanded by the inner shell
t_run bash -c '"$0" report "$1" | head -n 1 >first; "$0" help record | true' "$FT" "$file"
t_is "$err" "" "a reader that leaves is not complained of"
t_ok "... and has got its line" test -s first

# What comes through a pipe is known by the name that the user gave it.
for name in - /dev/stdin; do
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_status 1 "zeros through a pipe, as $name" sh -c 'head -c 3000000 /dev/zero | "$0" report "$1"' "$FT" $name
	t_is "$err" "ft report: $([ $name = - ] && echo "the standard input" || echo $name) is no trace.dat file: it does not begin like one" \
		"... are told by that name"
done

# Errors do not mix with data.
t_status 1 "an error" "$FT" report nosuch.dat
t_is "$out" "" "... leaves stdout empty"
t_ok "data" "$FT" report "$file"
t_is "$err" "" "... leaves stderr empty"
plain=$out
for colour in "" 1; do
	t_ok "NO_COLOR='$colour'" env NO_COLOR=$colour "$FT" report "$file"
	t_is "$out" "$plain" "... the same text"
done
t_unlike "$plain$("$FT" help record; "$FT" list tracers 2>&1)" $'\033' "no colour where there is no terminal"

# On a terminal too, when it is not wanted: script gives the program one.
if command -v script >/dev/null; then
	TERM=xterm NO_COLOR=1 script -qec "'$FT' report --no-pager '$file'; '$FT' help record; '$FT' nosuch" terminal >/dev/null </dev/null
	t_ok "a terminal" grep -q sched_switch terminal
	t_unlike "$(tr -d '\0' <terminal)" $'\033' "... with NO_COLOR has no colour"
else
	t_skip "script is not installed"
fi

# What a descriptor that is missing must not do: become the file that is written or read.
cp "$file" copy.dat
for n in 0 1 2; do
	sh -c "'$FT' report copy.dat $n>&- >/dev/null 2>&1; '$FT' list tracers $n>&-; '$FT' nosuch $n>&-" >/dev/null 2>&1
done
t_ok "a closed descriptor does not harm a file" cmp copy.dat "$file"
t_done

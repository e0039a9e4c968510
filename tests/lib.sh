# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # out and err are for the scripts
# What shell tests share: results in TAP, a folder that goes away, and the state of the kernel's tracing.
#
#   . "$(dirname "$0")/../lib.sh"
#   t_status 0 "lists tracers" "$FT" list tracers     # leaves $out, $err and $status
#   t_like "$out" '(^|\n)nop' "nop is among them"
#   t_done
#
# $FT is the program under test, $T_TMP an empty folder, $T_TOP the source tree.
set -u
T_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
FT=${FT:-$T_TOP/build-dev/ft}
T_TMP=$(mktemp -d "${TMPDIR:-/tmp}/ft-test.XXXXXX")
export FT T_TOP T_TMP
t_number=0
t_failed=0
out='' err='' status=0

# t_tidy: scripts put their own here, for what they make outside of $T_TMP.
t_tidy() {
	:
}

# No trap does this: a child of the shell that a signal ends before it has reset its traps runs them as well, and the
# folder is gone from under the script. Of a script that dies, tests/run removes the folder.
t_end() {
	t_tidy
	cd / && rm -rf "$T_TMP"
}

# Lines for the reader of a failure.
t_note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

t_pass() {
	t_number=$((t_number + 1))
	echo "ok $t_number - $*"
}

t_fail() {
	t_number=$((t_number + 1))
	t_failed=$((t_failed + 1))
	echo "not ok $t_number - $*"
}

# t_skip REASON: one check that cannot be made here.
t_skip() {
	t_number=$((t_number + 1))
	echo "ok $t_number # SKIP $*"
}

# t_skip_all REASON: nothing of this script can run here; call it before the first check.
t_skip_all() {
	echo "1..0 # SKIP $*"
	t_end
	exit 0
}

# t_run CMD...: leaves its $out, $err and $status.
t_run() {
	"$@" >"$T_TMP/.out" 2>"$T_TMP/.err" </dev/null
	status=$?
	out=$(tr -d '\0' <"$T_TMP/.out")
	err=$(tr -d '\0' <"$T_TMP/.err")
}

t_show_run() {
	t_note "status: $status"
	t_note "stdout: $(head -c 2000 "$T_TMP/.out" | tr -d '\0')"
	t_note "stderr: $(head -c 2000 "$T_TMP/.err" | tr -d '\0')"
}

# t_ok DESC CMD...: the command succeeds.
t_ok() {
	t_status 0 "$@"
}

# t_status WANT DESC CMD...: the command ends with this status.
t_status() {
	local want=$1 desc=$2

	shift 2
	t_run "$@"
	if [ "$status" = "$want" ]; then
		t_pass "$desc"
		return 0
	fi
	t_fail "$desc"
	t_note "command: $*"
	t_note "wanted status: $want"
	t_show_run
	return 1
}

# t_is GOT WANT DESC: the two texts are equal.
t_is() {
	if [ "$1" = "$2" ]; then
		t_pass "$3"
		return 0
	fi
	t_fail "$3"
	t_note "$(diff -u --label wanted --label got <(printf '%s\n' "$2") <(printf '%s\n' "$1") | head -n 60)"
	return 1
}

# t_like GOT PATTERN DESC: the text has a match of the extended regular expression; "." takes newlines too.
t_like() {
	if [[ $1 =~ $2 ]]; then
		t_pass "$3"
		return 0
	fi
	t_fail "$3"
	t_note "wanted a match of: $2"
	t_note "got: ${1:0:2000}"
	return 1
}

# t_unlike GOT PATTERN DESC: the text has no match.
t_unlike() {
	if ! [[ $1 =~ $2 ]]; then
		t_pass "$3"
		return 0
	fi
	t_fail "$3"
	t_note "wanted no match of: $2"
	t_note "got: ${1:0:2000}"
	return 1
}

# wait_for CMD...: until it succeeds, at most 30 s.
wait_for() {
	local n

	for n in $(seq 300); do
		"$@" && return 0
		sleep 0.1
	done
	t_note "waited in vain: $*"
	return 1
}

# start_recording WORD...: in the background, and known to run; leaves its $pid, and what it says in the file err.
start_recording() {
	local word

	mkfifo told
	"$FT" record --ready-fd 9 "$@" 9>told 2>err &
	pid=$!
	read -r word <told
	rm told
	[ "$word" = ready ] || t_note "it did not start: $(cat err)"
}

# t_done: the plan; without it the script counts as failed.
t_done() {
	echo "1..$t_number"
	t_end
	[ "$t_failed" = 0 ]
	exit
}

# state_save FILE: the content of every file of tracefs that can be written.
state_save() {
	"$T_TOP/tests/state" save >"$1"
}

# state_same BEFORE AFTER DESC: two such snapshots are equal.
state_same() {
	if [ -s "$1" ] && cmp -s "$1" "$2"; then
		t_pass "$3"
		return 0
	fi
	t_fail "$3"
	[ -s "$1" ] || t_note "$1 is empty"
	t_note "$(diff -U0 --label before --label after "$1" "$2" | grep -v '^@@' | head -n 60)"
	return 1
}

# dirty_state: traces of other people everywhere; says on stdout, as notes, what this kernel did not take.
dirty_state() {
	"$T_TOP/tests/state" dirty | sed 's/^/# /'
}

# clean_state: back to what the guest booted with.
clean_state() {
	"$T_TOP/tests/state" clean
}

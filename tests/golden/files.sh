#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report on small trace.dat files of every byte order and word size, and on damaged ones: for each NAME.dat the
# wanted text is NAME.out, what must be said is NAME.err (absent: nothing), and the status is 1 when there is one.
# NAME.check is what --check must find, with its status in the first line.
#
# GOLDEN_UPDATE=1 writes the wanted texts anew.
. "$(dirname "$0")/../lib.sh"
# Slices of small files, too.
export FT_SLICE_SMALL=1

cd "$(dirname "$0")/files" || exit 1
for file in *.dat; do
	name=${file%.dat}
	if [ "${GOLDEN_UPDATE:-}" ]; then
		"$FT" report -t "$file" >"$name.out" 2>"$name.err"
		[ -s "$name.err" ] || rm "$name.err"
		t_run "$FT" report --check "$file"
		printf '%s\n' "$status" "$out$err" >"$name.check"
	fi
	want=$(cat "$name.err" 2>/dev/null)
	t_status $((${#want} > 0)) "$name: status" "$FT" report -t "$file"
	t_is "$out" "$(cat "$name.out")" "$name: text"
	t_is "$err" "$want" "$name: messages"
	t_status $((${#want} > 0)) "$name: status on two threads" "$FT" report -t --threads 2 "$file"
	t_is "$out" "$(cat "$name.out")" "$name: text on two threads"
	t_run "$FT" report --check "$file"
	t_is "$status"$'\n'"$out$err" "$(cat "$name.check")" "$name: --check"
done

# The same recording on four machines.
for name in le32 be64 be32; do
	t_is "$(cat $name.out)" "$(cat le64.out)" "$name reads as le64 does"
done
t_done

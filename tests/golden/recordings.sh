#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real recordings of trace-cmd 3.1.6 on Linux 6.1, and beside each what its report said: every line, by ft.
# (Made by ./dev corpus and `trace-cmd convert --compression zstd`.)
. "$(dirname "$0")/../lib.sh"
# Slices of small files, too.
export FT_SLICE_SMALL=1
cd "$T_TOP/tests/golden/recordings" || exit 1

for file in *.dat; do
	name=${file%.dat}
	for options in "" --compat "--threads 2"; do
		# shellcheck disable=SC2086 # an option and its value
		t_ok "$name $options" "$T_TOP/tests/corpus/compare.py" --text "$name.txt.xz" "$file" $options && t_note "$out"
	done
	t_run "$FT" report --check "$file"
	t_is "$(grep -c "trace-cmd's library" <<<"$out")" 0 "$name: trace-cmd's library finds the same events"
done
t_done

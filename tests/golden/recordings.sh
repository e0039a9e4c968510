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
# Of a CPU: its lines in all buffers, of which trace-cmd's --cpu has only some.
t_ok "one CPU" "$FT" report --cpu 1 instances.dat
lines() {
	sed -nE 's/^( +[a-z]+:)? +(.*-[0-9]+ +\[001\] +[0-9.]+: [^:]+:).*/\1 \2/p'
}
t_is "$(lines <<<"$out" | cksum)" "$(xz -dc instances.txt.xz | lines | cksum)" "... of all instances"
t_like "$out" $'\n +one: .*' "... indeed"
# A chunk that does not decompress, here the one 40,000 bytes before the end: it is told once, and all the others are
# there, on one thread and on two.
cp lost-kmem.dat "$T_TMP/damaged.dat"
size=$(stat -c %s lost-kmem.dat)
printf '\xff\xff\xff\xff\xff\xff\xff\xff' | dd of="$T_TMP/damaged.dat" bs=1 seek=$((size - 40000)) conv=notrunc status=none
t_status 1 "a damaged chunk: status" "$FT" report "$T_TMP/damaged.dat"
one=$out
t_like "$err" 'the compressed chunk at offset [0-9]* is damaged' "a damaged chunk is told"
t_is "$(grep -c 'is damaged' <<<"$err")" 1 "once"
said=$err
lines=$(xz -dc lost-kmem.txt.xz | wc -l)
t_note "$(wc -l <<<"$one") of $lines lines"
t_ok "most events are there" test  "$(wc -l <<<"$one")" -gt $((lines / 2)) 
t_status 1 "a damaged chunk: status on two threads" "$FT" report --threads 2 "$T_TMP/damaged.dat"
t_is "$(cksum <<<"$out")" "$(cksum <<<"$one")" "a damaged chunk: text on two threads"
t_is "$err" "$said" "a damaged chunk: messages on two threads"
t_done

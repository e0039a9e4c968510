#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft report and trace-cmd report print the same of every recording of the corpus, but for the known kinds.
# timeout: 1500
. "$(dirname "$0")/../lib.sh"
# Slices of small files, too.
export FT_SLICE_SMALL=1
corpus=${FT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ft}/corpus
# The sanitizers would take minutes for these.
release=$T_TOP/build/ft

# compare_one NAME OPTION...: the report with these options.
compare_one() {
	local file=$corpus/$1.dat name=$1 ft=$FT

	shift
	[ -s "$file" ] || {
		t_skip "$name is not in the corpus"
		return
	}
	[ "$(stat -c %s "$file")" -lt 60000000 ] || ft=$release
	FT=$ft t_ok "$name $*" "$T_TOP/tests/corpus/compare.py" "$file" "$@" && t_note "$out"
}

# check_one NAME: trace-cmd's library finds the same events at the same times, as --check has them compared.
check_one() {
	[ -s "$corpus/$1.dat" ] || return
	t_run "$release" report --check "$corpus/$1.dat"
	t_is "$((status <= 1 && ${#out} > 0)) $(grep "trace-cmd's library" <<<"$out")" "1 " \
		"$1 --check: trace-cmd's library agrees"
}

t_run "$T_TOP/tests/corpus/make" --small
[ "$status" = 0 ] || t_note "$out" "$err"
ls "$corpus"/*.dat >/dev/null 2>&1 || t_skip_all "there is no corpus: $(tail -n 1 <<<"$err")"

for name in $("$T_TOP/tests/corpus/record" --list small); do
	compare_one "$name"
	compare_one "$name" --compat
	check_one "$name"
done
for name in $("$T_TOP/tests/corpus/record" --list large); do
	[ ! -e "$corpus/$name.dat" ] || compare_one "$name"
done
# Each other layout on what has most sorts of events. Of one CPU of several buffers trace-cmd prints one buffer.
for options in -t -l -R --ts-diff "--cpu 1"; do
	for name in all mix instances graph-events; do
		[ "$options $name" = "--cpu 1 instances" ] && continue
		# shellcheck disable=SC2086 # two words in one case
		compare_one "$name" $options
		# shellcheck disable=SC2086
		compare_one "$name" --compat $options
	done
done
# What is lost is told, whatever is chosen.
for name in lost-function lost-kmem; do
	[ -s "$corpus/$name.dat" ] || continue
	want=$("$release" report "$corpus/$name.dat" | grep 'EVENTS DROPPED' | sort)
	t_unlike "$want" '^$' "$name: events were lost"
	for options in "-e sched_wakeup" "--pid 1" "-F common_pid==1" "--threads 2 --pid 1"; do
		# shellcheck disable=SC2086 # an option and its value
		t_is "$("$release" report $options "$corpus/$name.dat" 2>/dev/null | grep 'EVENTS DROPPED' | sort)" "$want" \
			"... is told with $options"
	done
done
t_done

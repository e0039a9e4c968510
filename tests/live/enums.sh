#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Enumerators that the kernel leaves in print formats are numbers in the file, so that readers print names.
. "$(dirname "$0")/../lib.sh"

events=/sys/kernel/tracing/events
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -d $events ] || t_skip_all "tracefs is not mounted"
[ -r /sys/kernel/btf/vmlinux ] || t_skip_all "the kernel has no BTF"
# hrtimer_init before 6.15.
event=hrtimer_setup
[ -d $events/timer/$event ] || event=hrtimer_init
grep -q 'HRTIMER_MODE_REL,' $events/timer/$event/format || t_skip_all "timer:$event has no enumerators"
cd "$T_TMP" || exit 1

t_run "$FT" record -e timer:$event -o timer.dat -- sleep 0.01
[ "$status" = 0 ] || t_skip_all "nothing can be recorded: $err"
t_ok "report" "$FT" report timer.dat
t_like "$out" "sleep-[0-9]+ .* $event: .*mode=REL" "prints the names"
t_unlike "$out" "mode=0x" "... and no numbers"
print=$(grep -a 'print fmt: .*REC->mode' timer.dat | tr -d '\0')
t_unlike "$print" "HRTIMER_MODE_" "the file has numbers in their place"
t_like "$print" 'REC->mode, \{ [0-9]+, "ABS" \}, \{ [0-9]+, "REL" \}' "... and all else as it was"
if command -v trace-cmd >/dev/null; then
	t_ok "trace-cmd report" trace-cmd report timer.dat
	t_like "$out" "sleep-[0-9]+ .* $event: .*mode=REL" "prints the names too"
else
	t_skip "no trace-cmd"
fi
t_done

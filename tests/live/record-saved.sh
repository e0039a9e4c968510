#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft record --from-kernel on instances of this machine's own kernel.
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing
name=ft-test-$$
unset FT_TRACEFS
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
mkdir $tracing/instances/$name $tracing/instances/$name-b 2>/dev/null || t_skip_all "no instance can be made"
t_tidy() {
	echo 0 >$tracing/instances/$name/events/enable
	rmdir $tracing/instances/$name $tracing/instances/$name-b
}

t_status 1 "an instance that is not there" "$FT" record --from-kernel -B $name-none
t_like "$err" "no instance '$name-none'" "... is named"
t_status 1 "an empty buffer" "$FT" record --from-kernel -B $name
t_is "$err" "ft record: the buffer of instance $name is empty: nothing was written" "... is said"
t_is "$(ls)" "" "... and no file made"

echo 1 >$tracing/instances/$name/events/sched/enable
echo 1 >$tracing/instances/$name-b/events/raw_syscalls/enable
sleep 0.3
echo 0 >$tracing/instances/$name/tracing_on
echo 0 >$tracing/instances/$name-b/tracing_on
want=$(($(grep -vc '^#' $tracing/instances/$name/trace) + $(grep -vc '^#' $tracing/instances/$name-b/trace)))
for kind in none zstd; do
	t_ok "two instances in one file" "$FT" record --from-kernel -B $name -B $name-b -o two.dat --compress=$kind
	t_is "$("$FT" report two.dat | grep -cE "^ *$name(-b)?: ")" "$want" "... all events"
	t_ok "... sound" "$FT" report --check two.dat
	[[ $err = *"no more"* ]] && break
done

# Overwritten events are no lost ones in a buffer that is to keep the newest; what does not fit any more into another is lost.
for overwrite in 1 0; do
	echo $overwrite >$tracing/instances/$name/options/overwrite
	echo 8 >$tracing/instances/$name/buffer_size_kb
	echo 1 >$tracing/instances/$name/events/raw_syscalls/enable
	echo 1 >$tracing/instances/$name/tracing_on
	for n in $(seq 100); do cat /proc/self/stat >/dev/null; done
	echo 0 >$tracing/instances/$name/tracing_on
	t_ok "a buffer that is too small, overwrite=$overwrite" "$FT" record --from-kernel -B $name -o small-$overwrite.dat
done
t_ok "what is overwritten is no loss" "$FT" report --check small-1.dat
t_like "$out" "sound, [0-9]+ events; [1-9][0-9]* older ones were overwritten, as in a ring" "... and told"
t_status 1 "what has found no room is" "$FT" report --check small-0.dat
t_like "$out" "the kernel counted [1-9][0-9]* events as dropped" "... and told"

t_status 1 "a disk without room" "$FT" record --from-kernel -B $name -o /dev/full
t_like "$err" "cannot write /dev/full: No space left" "... is told"
t_status 1 "a folder that is not there" "$FT" record --from-kernel -B $name -o none/two.dat
if [ -e $tracing/instances/$name/snapshot ]; then
	t_status 1 "no snapshot" "$FT" record --from-kernel --snapshot -B $name
else
	t_status 1 "a kernel without snapshots" "$FT" record --from-kernel --snapshot -B $name
	t_like "$err" "CONFIG_TRACER_SNAPSHOT" "... is said"
fi
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a recording may go: file systems that take holes out and such that do not, small data and large.
# timeout: 600
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
# In a guest, which has FT_OUT, everything is ours.
[ -n "${FT_OUT-}" ] || [ -e $tracing/options/copy_trace_marker ] ||
	t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/raw_syscalls/sys_enter ] || t_skip_all "this kernel has no events of system calls"
unset FT_TRACEFS
cd "$T_TMP" || exit 1
modules=$(echo "${FT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ft}"/*/lib/modules/"$(uname -r)"/kernel)
t_tidy() {
	umount disk over memory readonly 2>/dev/null
}

# load NAME...: in this order; what is built in, or not to be had, is left out.
load() {
	local name file

	for name; do
		for file in $modules; do
			file=$(find "$file" -name "$name.ko" -o -name "$name.ko.xz" 2>/dev/null)
			[ -z "$file" ] || insmod $file 2>/dev/null
		done
	done
}

# heavy N: so many system calls.
heavy() {
	echo dd if=/dev/zero of=/dev/null bs=1 count="$1" status=none
}

# take DESC DIR: recordings into that folder, small and large, with both buffers.
take() {
	local desc=$1 dir=$2 count

	for n in 20 150000; do
		t_ok "$desc, $n calls" "$FT" record -a -e raw_syscalls -b 4M -o "$dir/x.dat" -B other -e sched_process_exit -- $(heavy $n)
		count=$(sed -n 's/^ft record: \([0-9,]*\) events in.*/\1/p' <<<"$err" | tr -d ,)
		"$FT" report "$dir/x.dat" >text 2>said
		t_is "$(grep -vc '^cpus=\|EVENTS DROPPED' text)" "$count" "... all of its events are in the file"
		t_is "$(grep -v 'events were lost\|kernel counted' said)" "" "... without a complaint"
		t_ok "... and trace-cmd reads it" sh -c 'trace-cmd report "$0" >theirs 2>/dev/null' "$dir/x.dat"
		t_is "$(grep -c sys_enter: theirs)" "$(grep -c sys_enter: text)" "... as many events"
	done
	t_is "$(ls "$dir" | grep -v '^lost+found$' | tr '\n' ' ')" "x.dat x.dat.old " "... nothing else is there, but the one before"
	rm -f "$dir"/x.dat*
}

# disk KIND MODULE...
disk() {
	local kind=$1

	shift
	load loop "$@"
	if ! command -v mkfs.$kind >/dev/null || ! grep -qw $kind /proc/filesystems; then
		t_skip "no $kind on this kernel, or no mkfs.$kind"
		return
	fi
	rm -f image
	truncate -s 320M image
	mkfs.$kind -q image >/dev/null 2>&1
	mkdir -p disk
	if ! mount -o loop image disk; then
		t_skip "$kind cannot be mounted here"
		return
	fi
	take $kind disk
	umount disk
}

[ -z "${FT_OUT-}" ] || state_save before
mkdir memory
if mount -t tmpfs none memory 2>/dev/null; then
	take tmpfs memory
	umount memory
else
	t_skip "no tmpfs can be mounted here"
fi
take "the folder for temporary files" "$(mktemp -d here.XXX)"
disk ext4 crc32c_generic crc16 mbcache jbd2 ext4
disk xfs libcrc32c xfs
disk btrfs blake2b_generic xor raid6_pq libcrc32c zstd_compress btrfs
mkdir low up work over
if mount -t overlay -o lowerdir=low,upperdir=up,workdir=work none over 2>/dev/null; then
	take overlay over
	umount over
else
	t_skip "no overlay can be mounted here"
fi
if [ -n "${FT_OUT-}" ]; then
	mkdir "$FT_OUT/place"
	t_is "$(df --output=fstype "$FT_OUT/place" | tail -n 1)" 9p "the folder of the host is 9p"
	take 9p "$FT_OUT/place"
	rmdir "$FT_OUT/place"
fi
mkfifo pipe
"$FT" report - <pipe >text 2>said &
t_ok "a FIFO" "$FT" record -a -e raw_syscalls -o pipe -- $(heavy 2000)
wait $!
t_is "$? $(cat said)" "0 " "... is read while it comes"
t_is "$(grep -vc '^cpus=' text)" "$(sed -n 's/^ft record: \([0-9,]*\) events in.*/\1/p' <<<"$err" | tr -d ,)" "... all of it"
t_ok "/dev/null" "$FT" record -a -e raw_syscalls -o /dev/null -- $(heavy 2000)
t_like "$err" "[1-9][0-9,]* events in /dev/null" "... counts all the same"
t_ok "the standard output" sh -c '"$0" record -q -a -e raw_syscalls -o - -- "$@" | "$0" report - >text' "$FT" $(heavy 2000)
t_ok "... is read while it comes" test "$(grep -c sys_enter: text)" -ge 4000
mkdir readonly
if mount -t tmpfs -o ro none readonly 2>/dev/null; then
	t_status 125 "a folder that takes nothing" "$FT" record -e sched -o readonly/x.dat -- true
	t_like "$err" "readonly/x.dat.*Read-only file system" "... is told"
	umount readonly
fi
if [ -n "${FT_OUT-}" ]; then
	state_save after
	state_same before after "the state is as it was"
fi
t_done

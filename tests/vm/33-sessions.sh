#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sessions of the manual: each shows what the manual shows, and is taken back. Kernels before 6.10 let nobody look
# into the buffer without emptying it: there ft report has the kernel's own text, which writes some events in other words.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# A person's words: ft as such, in a shell.
mkdir bin
ln -s "$FT" bin/ft
command -v ping >/dev/null || ln -s "$(command -v busybox)" bin/ping
PATH=$T_TMP/bin:$PATH

# A file system on a file, where this kernel has one; others have the events of the page cache all the same.
mount_disk() {
	modprobe -a loop ext4 2>/dev/null
	truncate -s 32M disk && mkfs.ext4 -q disk && mount -o loop disk /mnt 2>/dev/null
}
cat >nanosleep.c <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct timespec t = {0, 1000000};

	return syscall(SYS_nanosleep, &t, 0);
}
END
cc nanosleep.c -o nanosleep
mount_disk && disk=yes || disk=
ip link set lo up

dirty_state
# What is dirty must not hide what the sessions look for.
ft set clock=local cpus=all tracer=nop events-=all on
ft filter --clear all
state_save before
count=$(find /run/ft/changes -type f | wc -l)

t_ok "the tracers" ft list tracers
t_is "$out" "$(tr ' ' '\n' <$tracing/available_tracers | sed '/^$/d' | sort)" "... are the kernel's"
t_ok "the functions" ft list functions
t_is "$(wc -l <<<"$out")" "$(sed 's/[ \t].*//; /^__ftrace_invalid/d; /^__pfx_/d' $tracing/available_filter_functions | sort -u | wc -l)" \
	"... are as many as the kernel has"

t_ok "a function" ft filter +icmp_rcv
t_ok "a tracer" ft set clear tracer=function_graph
t_ok "read back" ft list tracers -v
t_like "$out" $'(^|\n)function_graph  in use(\n|$)' "... is in use"
t_ok "off" ft set off
t_is "$(cat $tracing/tracing_on)" 0 "... is off"
t_ok "on" ft set on
t_is "$(cat $tracing/tracing_on)" 1 "... is on"
t_ok "three pings" ping -c 3 127.0.0.1
t_ok "the trace" ft report --kernel
t_is "$(grep -c ' us.*icmp_rcv();' <<<"$out")" 6 "... has each, there and back, with its duration"

t_ok "one function tracer after the other" ft set tracer=nop
t_ok "reads and writes" ft filter '!icmp_rcv' +vfs_read +vfs_write
t_ok "... are traced" ft set clear tracer=function
head -c 1 /etc/hosts >/dev/null
t_ok "the trace" ft report --kernel
t_like "$out" " head-[0-9]+ [^"$'\n'"]*: +vfs_read" "... has the reads"
t_like "$out" " head-[0-9]+ [^"$'\n'"]*: +vfs_write" "... and the write"
t_is "$(grep -v -e '^#' -e '^cpus=' -e ': *vfs_read' -e ': *vfs_write' <<<"$out")" "" "... and nothing else"
t_ok "without a tracer" ft set tracer=nop

t_ok "two system calls" ft set clear events+=sys_enter_nanosleep,sys_exit_nanosleep
sleep 0.01
t_ok "the trace of a sleep of the C library" ft report --kernel
t_unlike "$out" " sleep-" "... has nothing of it"
./nanosleep
t_ok "the trace of the system call" ft report --kernel
t_is "$(grep -c ' nanosleep-.* sys_.*nanosleep' <<<"$out")" 2 "... has both its ends"
t_ok "the calls of the C library" ft set events+=sys_enter_clock_nanosleep,sys_exit_clock_nanosleep
sleep 0.01
t_ok "the trace" ft report --kernel
t_is "$(grep -c ' sleep-.* sys_.*clock_nanosleep' <<<"$out")" 2 "... has both its ends"

t_ok "a larger buffer" ft set -v buffer=16M
t_like "$err" "done: ft set buffer=16M" "... is told of"
t_ok "... and is there" test "$(cat $tracing/buffer_size_kb)" -ge 16384

if [ "$disk" ]; then
	t_ok "a page cache and a file system" ft set clear events+=filemap,ext4
	t_is "$(cat $tracing/events/{filemap,ext4}/enable | tr -d '\n')" 11 "... are on, whole"
	echo hello >/mnt/hello
	sync /mnt/hello
	t_ok "the trace" ft report --kernel
	t_like "$out" "ext4_da_write_end: +dev 7,0 ino [0-9]+ pos 0 len 6 copied 6" "... has what was written"
	t_like "$out" " sync-[0-9]+ [^"$'\n'"]*ext4_sync_file_enter: " "... and how it came to the disk"
	t_like "$out" "mm_filemap_add_to_page_cache: dev 7:0" "... and its page"
else
	t_skip "this kernel has no ext4"
	t_ok "a page cache" ft set clear events+=filemap
	t_is "$(cat $tracing/events/filemap/enable)" 1 "... is on, whole"
fi

t_ok "programs that start" ft set events=sched_process_exec on
mkfifo stream
ft report --follow >stream 2>follow.err &
pid=$!
exec 7<stream
read -r _ <&7
setsid true
line=
until [[ $line == *filename=*/true* ]]; do read -r -t 30 line <&7 || break; done
t_like "$line" "sched_process_exec: +filename=[^ ]*/true " "are in the live stream"
kill -INT "$pid"
wait "$pid"
exec 7<&-

[ -z "$disk" ] || umount /mnt
while [ "$(find /run/ft/changes -type f | wc -l)" -gt "$count" ]; do
	ft set --undo || {
		t_fail "taking one back"
		break
	}
done
state_save after
state_same before after "all taken back, all is as it was"
# The events of modules go with them.
[ -z "$disk" ] || modprobe -qr ext4 loop
clean_state
t_done

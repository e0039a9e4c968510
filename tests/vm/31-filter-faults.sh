#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft filter and ft list where the kernel or its rights are not as usual.
# kernels: 6.1 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing

# refused PATTERN CMD...: status 1, stderr says why, stdout is empty.
refused() {
	local pattern=$1

	shift
	t_status 1 "refused: $*" "$@"
	t_like "$err" "$pattern" "... and says why"
	t_is "$out" "" "... and nothing else"
}

# guessed PATTERN CMD...: the same, but what can be known without tracefs is there.
guessed() {
	local pattern=$1

	shift
	t_status 1 "refused: $*" "$@"
	t_like "$err" "$pattern" "... and says why"
	t_like "$out" "[a-z]" "... and shows what can be known"
}

dirty_state
state_save before

mount -o remount,ro $tracing
refused "read-only" "$FT" filter sched_switch 'prev_pid == 7'
refused "read-only" "$FT" filter +vfs_statfs
t_ok "what is in force, read-only" "$FT" filter
t_like "$out" "prev_pid != 1" "... is shown"
mount -o remount,rw $tracing

# Instances of 6.1 have no graphs.
[ -e $tracing/instances/somebodys/set_graph_function ] ||
	refused "instances have no set_graph_function: leave --instance out" "$FT" filter --instance somebodys -g vfs_read

user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
refused "not root" "${user[@]}" "$FT" filter sched_switch 'prev_pid == 7'
refused "not root" "${user[@]}" "$FT" filter
t_run "${user[@]}" "$FT" list support
t_like "$out" "permission +no" "ft list support says what an ordinary user lacks"
guessed "not root" "${user[@]}" "$FT" list events
guessed "not root" "${user[@]}" "$FT" list functions

# A group may read, but not write.
member=(setpriv --reuid 65534 --regid 4242 --clear-groups)
chgrp 4242 $tracing
chmod 750 $tracing
refused "not root|may not|mode" "${member[@]}" "$FT" filter sched_switch 'prev_pid == 7'
refused "not root|may not|mode" "${member[@]}" "$FT" filter --cpu 1
chmod 700 $tracing
chgrp 0 $tracing

unmounted() {
	unshare -m sh -c 'umount -l /sys/kernel/debug; umount -l /sys/kernel/tracing; exec "$@"' sh "$@"
}
refused "mount -t tracefs" unmounted "$FT" filter
refused "mount -t tracefs" unmounted "$FT" filter +vfs_read
guessed "mount -t tracefs" unmounted "$FT" list events
guessed "mount -t tracefs" unmounted "$FT" list functions 'vfs_*'
t_run unmounted "$FT" list support
t_like "$out" "tracefs +no" "ft list support says that it is not mounted"

# Names that there are not.
refused "no event.*sched_swich" "$FT" list events sched_swich
refused "vfs_raed" "$FT" list functions vfs_raed
refused "no instance 'nosuch'" "$FT" list options --instance nosuch
t_status 2 "a noun that there is not" "$FT" list evnts
t_like "$err" "events" "... is guessed"
state_save after
state_same before after "none of these changes anything"
t_is "$(ls /run/ft/changes 2>/dev/null)" "" "... or leaves an entry"
clean_state
t_done

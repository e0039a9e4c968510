#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft marker where all of the kernel's tracing can be used: permissions, user events, and the program of the manual page
# recorded with function_graph.
# kernels: 6.1 6.12 full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing
chmod 755 "$T_TMP"

as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
as_other() { setpriv --reuid=1 --regid=1 --clear-groups "$@"; }
modes() { stat -c '%n %U:%G %a' $tracing $tracing/trace_marker $tracing/trace_marker_raw $tracing/trace $tracing/instances; }
markers() { sed -n 's/.*tracing_mark_write: //p' $tracing/trace; }

# Permission.
modes >before
state_save state.before
t_status 1 "an ordinary user" as_user "$FT" marker text
t_like "$err" "you are not root, and $tracing is root:root with mode 0700 .*as root: ft marker --allow USER" "... is told why not"
t_status 1 "--check" as_user "$FT" marker --check
t_ok "--allow" "$FT" marker --allow nobody
t_like "$out" "$tracing: root:root 0700 -> root:root 0701.*trace_marker: root:root 0220 -> nobody:root 0220" "... tells what it changes"
t_ok "the user can write now" as_user "$FT" marker from the user
t_like "$(markers)" "from the user" "... indeed"
t_ok "--check says so" as_user "$FT" marker --check
t_ok "a section of the user" as_user "$FT" marker run build -- true
t_is "$(find $tracing -maxdepth 3 ! -type d | as_user sh -c 'while read -r f; do if [ -r "$f" ] || [ -w "$f" ]; then echo "$f"; fi; done')" \
	$tracing/trace_marker "... and of all files that there are, nothing else"
t_status 1 "another user" as_other "$FT" marker text
t_ok "--allow once more" "$FT" marker --allow nobody
t_like "$out" "can write .* already" "... has nothing to do"
t_status 1 "a second user" "$FT" marker --allow daemon
t_like "$err" "is given to .* already, and tracefs has room for one" "... has no room"
# The owner may change the mode; that must not keep the right.
as_user chmod 666 $tracing/trace_marker
t_ok "--deny" "$FT" marker --deny nobody
modes >after
t_is "$(cat after)" "$(cat before)" "... puts all back"
t_status 1 "... and the user cannot write" as_user "$FT" marker text
t_status 1 "a second --deny" "$FT" marker --deny nobody
t_like "$err" "ft has allowed nothing to 'nobody'" "... has nothing to take back"

t_ok "a group" "$FT" marker --allow :daemon
t_ok "... can write" as_other "$FT" marker from the group
t_status 1 "... and others cannot" as_user "$FT" marker text
t_ok "--deny" "$FT" marker --deny :daemon
mkdir $tracing/instances/theirs
t_ok "a user in an instance" "$FT" marker --instance theirs --allow nobody
t_ok "... can write there" as_user "$FT" marker --instance theirs hello
t_status 1 "... and not at the top" as_user "$FT" marker hello
rmdir $tracing/instances/theirs
t_ok "--deny after the instance has gone" "$FT" marker --deny nobody
modes >after
t_is "$(cat after)" "$(cat before)" "... puts the rest back"

# Several at a time: each loses what is theirs, and nobody more.
t_ok "a user" "$FT" marker --allow nobody
t_ok "... and a group" "$FT" marker --allow :daemon
t_ok "--deny of the user" "$FT" marker --deny nobody
t_like "$out" "$tracing: stays open for :daemon" "... leaves the way open for the group"
t_status 1 "... the user cannot write" as_user "$FT" marker text
t_ok "... the group can" as_other "$FT" marker text
t_ok "--deny of the group" "$FT" marker --deny :daemon
modes >after
t_is "$(cat after)" "$(cat before)" "... puts the rest back"
t_ok "a group" "$FT" marker --allow :daemon
t_ok "... and a user" "$FT" marker --allow nobody
t_ok "--deny of the user, the last to come" "$FT" marker --deny nobody
t_ok "... the group can write" as_other "$FT" marker text
t_ok "--deny of the group" "$FT" marker --deny :daemon
modes >after
t_is "$(cat after)" "$(cat before)" "... puts all back"
mkdir "$tracing/instances/with a blank"
stat -c '%U:%G %a' "$tracing/instances/with a blank/trace_marker" >before.instance
t_ok "a user in an instance with blanks in its name" "$FT" marker --instance "with a blank" --allow nobody
t_ok "... can write there" as_user "$FT" marker --instance "with a blank" hello
t_ok "... --deny" "$FT" marker --deny nobody
t_is "$(stat -c '%U:%G %a' "$tracing/instances/with a blank/trace_marker")" "$(cat before.instance)" "... puts the file back"
rmdir "$tracing/instances/with a blank"
modes >after
t_is "$(cat after)" "$(cat before)" "... and the directories"
state_save state.after
state_same state.before state.after "no file of tracefs has another content"

# Typed events.
fields='u32 id; s8 small; char what[16]; string path'
if [ -e $tracing/user_events_data ]; then
	t_status 1 "an event that nobody records" "$FT" marker --user-event ft_test "$fields" 7 -1 login /a
	t_like "$err" "nobody records user_events:ft_test, nothing was written" "... is not written, which is told"
	t_ok "--keep" "$FT" marker --user-event ft_test --keep "$fields"
	t_ok "ft record -e user_events:ft_test" "$FT" record -q -a -e user_events:ft_test -o user.dat -- \
		"$FT" marker --user-event ft_test "$fields" 4000000000 -7 login '/some/path with blanks'
	t_like "$("$FT" report user.dat)" "ft_test: +id=4000000000 small=-7 what=login path=/some/path with blanks" "... has its values"
	t_status 1 "other fields" "$FT" marker --user-event ft_test 'u32 id' 1
	t_like "$err" "there is an event user_events:ft_test with other fields" "... are refused"
	t_ok "--remove" "$FT" marker --user-event ft_test --remove
	t_ok "... removes it" test ! -e $tracing/events/user_events/ft_test
	t_status 1 "... once" "$FT" marker --user-event ft_test --remove
else
	t_status 1 "an event on a kernel without them" "$FT" marker --user-event ft_test "$fields" 7 -1 login /a
	t_like "$err" "this kernel has no user events" "... is a clear no"
fi

# The program of the manual page, with all that the kernel does in it.
sed -n '/^\.\\" example sections.c$/,/^\.\\" end$/p' "$T_TOP/man/ft-marker.1" | sed '/^\./d' >sections.c
if command -v cc >/dev/null; then
	t_ok "the program of the manual page" cc -I "$T_TOP/include" -o sections sections.c
	t_ok "... is recorded" "$FT" record -q -p function_graph -g '*_sys_clock_nanosleep' -e '*_clock_nanosleep' -- ./sections
	"$FT" report >text
	t_is "$(grep -oE '[BE]\|[0-9]+(\|work)?$|C\|[0-9]+\|round\|[123]$|sys_(enter|exit)_clock_nanosleep:|_sys_clock_nanosleep\(\)' text |
		sed 's/|[0-9]*/|PID/')" \
		"$(for n in 1 2 3; do
			printf '%s\n' 'B|PID|work' "C|PID|round|$n" sys_enter_clock_nanosleep: '_sys_clock_nanosleep()' sys_exit_clock_nanosleep: 'E|PID'
		done)" "its markers, system calls and functions are in order"
	t_is "$(grep -c 'do_nanosleep()' text)" 3 "... with what the kernel does in each section"
else
	t_skip "there is no compiler"
fi

# The recording of a kernel that copies no markers is at the top level; both get them once.
t_ok "a recording" "$FT" record -q -e sched_process_exit -o once.dat -- sh -c "'$FT' marker only once; seq 3 | '$FT' marker --stdin"
t_is "$("$FT" report once.dat | grep -cE 'mark_write: (only once|[123])$')" 4 "... has each marker once"

# Markers alone: nothing else is recorded, and the names of those who write are known.
state_save state.before
t_ok "a recording of markers alone" "$FT" record -q -o alone.dat -- sh -c "echo of the shell >$tracing/trace_marker; '$FT' marker of ft"
t_is "$("$FT" report alone.dat | sed -n 's/^ *\(.*\)-[0-9]* .*_write: \(of .*\)/\1 \2/p')" $'sh of the shell\nft of ft' \
	"... has the names of those who write"
t_is "$("$FT" report alone.dat | sed 1d | grep -vc ': print: ')" 0 "... and nothing else"
state_save state.after
state_same state.before state.after "... and leaves the kernel as it was"
t_done

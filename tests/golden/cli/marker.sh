#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft marker: what it makes of its arguments, on a directory that looks like tracefs.
. "$(dirname "$0")/../../lib.sh"
cd "$T_TMP" || exit 1
fake=$T_TMP/fake
mkdir -p "$fake"
echo nop >"$fake/current_tracer"
export FT_TRACEFS=$fake

# refused STATUS MESSAGE WORD...: nothing is written, and one sentence says why.
refused() {
	local want=$1 message=$2 shown

	shift 2
	: >"$fake/trace_marker"
	shown=$(printf '%.60q ' "$@")
	t_status "$want" "ft marker ${shown:0:80}" "$FT" marker "$@"
	t_like "$err" "^ft marker: $message" "... says why"
	t_is "$out$(cat "$fake/trace_marker")" "" "... and writes nothing"
}

# writes TEXT WORD...
writes() {
	local text=$1

	shift
	: >"$fake/trace_marker"
	t_ok "ft marker $*" "$FT" marker "$@"
	t_is "$err$(cat "$fake/trace_marker")" "$text" "... writes that alone"
}

writes "hello world" hello world
writes "a  b" 'a  b'
writes "-x --instant" -- -x --instant
writes "text --pid 7" text --pid 7
writes "last line" $'last line\n'
writes "I|7|now" --pid 7 --instant now
writes "I|$$|now" --instant now
writes "C|7|queue|-5" --pid=7 --counter queue=-5
writes "S|7|load|3" --pid 7 --async-begin load --id 3
writes "F|7|load|3" --pid 7 --async-end load --id 3

: >"$fake/trace_marker"
"$FT" marker --begin 'read file'
begun=$(cat "$fake/trace_marker")
t_like "$begun" "^S\|$$\|read file\|[0-9]+$" "--begin is a section of the shell that calls"
writes "F${begun#S}" --end 'read file'

refused 2 "say what to write"
refused 2 "the text is empty" ''
refused 2 "the text holds a newline" $'a\nb'
refused 2 "the name is empty" --begin ''
refused 2 "the name 'a\|b' holds '\|'" --begin 'a|b'
refused 2 "the name holds a newline at byte 2" --end $'a\nb'
refused 2 "the name holds a control character at byte 2" --instant $'a\tb'
refused 2 "--counter takes NAME=VALUE, not 'queue'" --counter queue
refused 2 "the value of a counter is an integer of 64 bits, not '1.5'" --counter queue=1.5
refused 2 "the value of a counter is an integer of 64 bits, not '9223372036854775808'" --counter queue=9223372036854775808
refused 2 "--async-begin and --async-end need --id" --async-begin load
refused 2 "--id takes a number from 0 to 2147483647, not '-1'" --async-end load --id -1
refused 2 "--id takes a number from 0 to 2147483647, not '2147483648'" --async-end load --id 2147483648
refused 2 "--id goes with --async-begin" --id 1 text
refused 2 "--pid takes a process id, not 'me'" --pid me text
refused 2 "--pid takes a process id, not '0'" --pid 0 text
refused 2 "--begin and --end do not go together" --begin a --end a
refused 2 "--begin takes no text, but there is 'b'" --begin a b
refused 2 "--stdin takes no text" --stdin text
refused 2 "run takes a name and a command" run build make
refused 125 "run takes a name and a command" run build --
refused 125 "run: the name 'a\|b' holds '\|'" run 'a|b' -- true
refused 127 "command 'no-such-command' not found" run build -- no-such-command
refused 126 "cannot execute '$fake/current_tracer'" run build -- "$fake/current_tracer"
refused 2 "'a b' cannot be the name of an event" --user-event 'a b' 'u32 id' 1
refused 2 "no type 'u33'" --user-event e 'u33 id' 1
refused 2 "the event has 1 fields, and there are 2 values" --user-event e 'u32 id' 1 2
refused 2 "field id is of type u8, which does not hold '256'" --user-event e 'u8 id' 256
refused 2 "--keep and --remove go with --user-event" --keep text
refused 1 "this kernel has no user events" --user-event e 'u32 id' 1
refused 1 "no instance 'nosuch'" --instance nosuch text
refused 1 "no tracing directory /nonexistent" --tracefs /nonexistent text
refused 1 "standard input holds no text" --stdin
if [ "$(id -u)" = 0 ]; then
	refused 1 "no user 'no-such-user'" --allow no-such-user
	refused 1 "no group 'no-such-group'" --allow :no-such-group
	refused 1 "root is root and needs no permission" --allow root
else
	refused 1 "--allow changes the owner and mode" --allow root
fi

# Long texts: an old kernel takes 1024 bytes, one with buffer_subbuf_size_kb 4054.
long=$(printf 'é%.0s' {1..50000})
for limit in 1024 4054; do
	[ $limit = 4054 ] && : >"$fake/buffer_subbuf_size_kb"
	: >"$fake/trace_marker"
	t_ok "100,000 bytes" "$FT" marker "a$long"
	t_like "$err" "has 100001 bytes, this kernel takes $limit in one marker: it is cut to $((limit - 1))$" "... are cut with a warning"
	t_is "$(wc -c <"$fake/trace_marker") $(iconv -f UTF-8 -t UTF-8 "$fake/trace_marker" | wc -m)" "$((limit - 1)) $((limit / 2))" \
		"... between two characters"
	: >"$fake/trace_marker"
	t_ok "a name of 100,000 bytes" "$FT" marker --pid 7 --counter "$long=12"
	t_like "$(cat "$fake/trace_marker")" '^C\|7\|é+\|12$' "... is cut before its value"
	refused 1 "the text has 100000 bytes, this kernel takes $limit in one marker; nothing was written" --strict "$long"
done
: >"$fake/trace_marker"
t_ok "a text that is no UTF-8" "$FT" marker $'\xff\xfe'
t_like "$err" "the text is not UTF-8; it is written as it is" "... is written with a warning"
t_is "$(od -An -tx1 "$fake/trace_marker")" " ff fe" "... as it is"
refused 1 "the name is not UTF-8; nothing was written" --strict --begin $'\xff'

# --stdin.
stdin() {
	: >"$fake/trace_marker"
	printf "$1" | "$FT" marker --stdin ${2+"$2"} >out 2>err
	status=$?
	out=$(cat out) err=$(cat err)
}
stdin 'one\ntwo\nB|7|x'
t_is "$status$err$(cat "$fake/trace_marker")" "0onetwoB|7|x" "--stdin writes each line, the last one without a newline too"
stdin '\none\n\n'
t_is "$status$err$(cat "$fake/trace_marker")" "0ft marker: empty lines left out: 2one" "... leaves out empty ones"
stdin 'one\ntw\0o\nthree\n'
t_is "$status$(cat "$fake/trace_marker")" "1onethree" "... and what holds a NUL byte, with a failure"
t_like "$err" "line 2 is left out: it holds a NUL byte" "... that names the line"
stdin "a$long\nshort\n"
t_is "$status$(wc -c <"$fake/trace_marker")" "0$((4053 + 5))" "a long line is cut"
t_like "$err" "1 of 2 lines were cut" "... with a warning"
stdin "$long\nshort\n" --strict
t_is "$status$(cat "$fake/trace_marker")" "1short" "... and left out with --strict"

# run: its status, its markers around it. A FIFO keeps what a file would overwrite.
rm "$fake/trace_marker"
mkfifo "$fake/trace_marker"
exec 5<>"$fake/trace_marker"
for n in 0 1 3 255; do
	t_status $n "run with exit $n" "$FT" marker --pid 7 run build -- sh -c "printf '(command)' >>$fake/trace_marker; exit $n"
	got=$(dd bs=65536 count=1 <&5 2>/dev/null)
	t_like "$got" '^S\|7\|build\|[0-9]+\(command\)F\|7\|build\|[0-9]+$' "... begins a section, runs, and ends it"
	[[ $got =~ build\|([0-9]+)\(.*\|([0-9]+)$ ]]
	t_is "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "... the same one"
done
exec 5<&-
rm "$fake/trace_marker"
: >"$fake/trace_marker"
t_status 143 "run tells a signal" "$FT" marker run build -- sh -c 'kill -TERM $$'
t_is "$("$FT" marker run build -- cat <<<'through')" through "run leaves standard input and output alone"
"$FT" marker run build -- sh -c 'trap "exit 9" TERM; : >up; while :; do sleep 0.05; done' &
pid=$!
while [ ! -e up ]; do sleep 0.05; done
kill -TERM $pid
wait $pid
t_is $? 9 "a signal for ft goes to the command, whose end is waited for"

# Without the right to write.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$T_TMP" "$fake"
	chmod 600 "$fake/trace_marker"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$FT" marker "$@"; }
	t_status 1 "without permission" as_nobody text
	t_like "$err" "cannot open $fake/trace_marker: you are not root, and the file is root:root with mode 0600 .*ft marker --allow USER$" "... says why and what helps"
	t_status 1 "... nor can --check" as_nobody --check
	t_status 125 "... nor is the command run" as_nobody run build -- touch ran
	t_ok "... indeed" test ! -e ran
	t_status 1 "... nor may it allow itself" as_nobody --allow nobody
else
	t_skip "not root"
fi
t_ok "--check" "$FT" marker --check
t_like "$out" "^[^ ]+ can write $fake/trace_marker" "... says yes"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a recording is of: filters, triggers, running processes, another user, several buffers, limits; on this machine's own kernel.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || t_skip_all "not root"
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing 2>/dev/null || t_skip_all "tracefs cannot be mounted"
[ -e $tracing/options/copy_trace_marker ] || t_skip_all "this kernel would record at the top level, which is not ours"
[ -e $tracing/events/sched/sched_process_exec ] || t_skip_all "this kernel has no events of the scheduler"
unset FT_TRACEFS
cd "$T_TMP" || exit 1

# Both readers take the file, and find the same number of events in it.
readable() {
	t_ok "... ft report finds $1 sound" "$FT" report --check "$1"
	t_ok "... and reads it" "$FT" report "$1"
	if command -v trace-cmd >/dev/null; then
		t_is "$(trace-cmd report "$1" 2>/dev/null | grep -cE '^ *([a-z0-9-]+: +)?[^ ]+-[0-9]+ +\[')" \
			"$(grep -cE '^ *([a-z0-9-]+: +)?[^ ]+-[0-9]+ +\[' "$T_TMP/.out")" "... trace-cmd reads as many events"
	fi
}
# ends_by_itself DESC: within 30 s.
gone() {
	! kill -0 $pid 2>/dev/null
}
ends_by_itself() {
	wait_for gone && t_pass "$1 ends the recording" || t_fail "$1 ends the recording"
	gone || kill -INT $pid
	wait $pid
	t_is "$?" 0 "... with success"
}

# Filters and triggers, in any order with -e.
t_ok "a filter" "$FT" record -q -o filter.dat -F 'sched_process_exec: filename ~ "*/true"' -e sched_process_exec \
	sh -c '/bin/true; /bin/echo no; /bin/true'
readable filter.dat
t_is "$(grep -c "sched_process_exec:" "$T_TMP/.out")" 2 "... lets in what it says"
t_unlike "$out" "filename=[^ ]*/echo" "... and nothing else"
t_ok "a filter for all of -e" "$FT" record -q -o all.dat -F 'common_pid == 0' -e sched_process_exec -e sched_process_exit true
t_ok "..." "$FT" report all.dat
t_unlike "$out" "sched_process_ex" "... holds for each"
t_ok "a trigger" "$FT" record -q -o trigger.dat -e sched_process_exec --trigger 'sched:sched_process_exec: stacktrace if pid > 0' true
readable trigger.dat
t_like "$out" "sched_process_exec:.*kernel_stack:" "... does it"
t_ok "-T" "$FT" record -q -o stack.dat -e sched_process_exec -T true
readable stack.dat
t_like "$out" "sched_process_exec:.*kernel_stack:" "... shows the way to the event"

# Running processes, with their threads and children.
# shellcheck disable=SC2016 # expanded by the inner shell
sh -c 'while [ ! -e go ]; do sleep 0.05; done; /bin/true; (while [ ! -e end ]; do sleep 0.05; done; /bin/echo child >/dev/null) & wait' &
target=$!
start_recording -e sched_process_exec -P "$target" -o pid.dat
/bin/cat /dev/null
touch go end
wait "$target"
ends_by_itself "the end of the process of --pid"
readable pid.dat
t_like "$out" "filename=[^ ]*/true .*filename=[^ ]*/echo " "... has the process and its child"
t_unlike "$out" "filename=[^ ]*/cat " "... and nobody else"
t_status 1 "--pid of nobody" "$FT" record -e sched_process_exec --pid 999999999
t_like "$err" "no process has the id 999999999" "... is told"

# Another user.
if id nobody >/dev/null 2>&1; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_ok "--user" "$FT" record -q -o user.dat -e sched_process_exec --user nobody -- sh -c 'id -un; id -Gn; echo $USER $LOGNAME $HOME'
	t_is "$out" "nobody
$(id -Gn nobody)
nobody nobody $(getent passwd nobody | cut -d: -f6)" "... runs the command as that user"
	readable user.dat
fi
t_status 125 "--user of nobody known" "$FT" record -e sched_process_exec --user nosuch-user true
t_like "$err" "no user 'nosuch-user' on this machine" "... is told"

# Several buffers in one file.
t_ok "several buffers" "$FT" record -q -o many.dat -e sched_process_exec -B ft-test-$$-a -e sched_process_exit -b 512 \
	-B ft-test-$$-b -e sched_process_fork -F 'sched_process_fork: child_pid > 0' -- sh -c '/bin/true; exit 0'
readable many.dat
t_like "$out" "ft-test-$$-a: [^=]*sched_process_exit:" "... the first instance has its event"
t_like "$out" "ft-test-$$-b: [^=]*sched_process_fork:" "... the second one, too"
t_is "$(grep sched_process_exec: "$T_TMP/.out" | grep -c ft-test)" 0 "... what comes before is ft's own"
t_is "$(grep ft-test-$$-a: "$T_TMP/.out" | grep -c sched_process_fork:)" 0 "... none has another's"
t_is "$(ls $tracing/instances | grep -c "ft-test-$$")" 0 "... the instances are gone"
# One that is there already is used, and stays as it was.
mkdir $tracing/instances/ft-test-$$
echo 600 >$tracing/instances/ft-test-$$/buffer_size_kb
echo 1 >$tracing/instances/ft-test-$$/events/sched/sched_process_fork/enable
theirs() {
	(cd $tracing/instances/ft-test-$$ && head -n 50 buffer_size_kb trace_clock tracing_on set_event set_event_pid options/stacktrace)
}
theirs >before
t_ok "an instance that is there" "$FT" record -q -o theirs.dat -T -B ft-test-$$ -e sched_process_exec true
theirs >after
t_is "$(diff before after)" "" "... is put back"
start_recording -a -B ft-test-$$ -e sched_process_exec -o first.dat
t_status 125 "a second recording in the same instance" "$FT" record -q -B ft-test-$$ -e sched_process_fork -o second.dat true
t_like "$err" "instance ft-test-$$: pid $pid " "... is told who records"
t_ok "... another instance is free" "$FT" record -q -B ft-test-$$-b -e sched_process_fork -o second.dat true
kill -INT $pid
wait $pid
t_is "$?" 0 "... the first one goes on to its end"
theirs >after
t_is "$(diff before after)" "" "... and puts back what it found"
rmdir $tracing/instances/ft-test-$$
readable theirs.dat
t_like "$out" "ft-test-$$: [^=]*sched_process_exec:" "... has what was asked for"
t_unlike "$out" "sched_process_fork:" "... and not what its owner wants"

# Limits.
start_recording -a -e raw_syscalls --max-size 64k -o size.dat
while kill -0 $pid 2>/dev/null; do head -c 4000 /dev/zero | dd bs=1 of=/dev/null 2>/dev/null; done
ends_by_itself "--max-size"
readable size.dat
start_recording -a -e sched_process_exec --until-event 'sched_process_exec: filename ~ "*/true"' -o until.dat
/bin/true
ends_by_itself "--until-event"
/bin/cat /dev/null
readable until.dat
t_like "$(tail -n 1 "$T_TMP/.out")" "filename=[^ ]*/true " "... with the event as the last"

# Open files: some for each CPU of each buffer, whatever the soft limit is.
many() {
	local i

	for ((i = 0; i < 12; i++)); do echo "-B many-$$-$i -e sched_process_exec"; done
}
t_is "$(ulimit -Sn 40 && "$FT" record -q -o many.dat $(many) sh -c 'ulimit -Sn' 2>&1)" 40 \
	"with 12 buffers and a soft limit of 40 open files the command has that limit"
readable many.dat
t_is "$(grep -c "sched_process_exec:" "$T_TMP/.out")" 12 "... and each buffer its event"
start_recording -a $(many) -o bounded.dat
files=$(ls /proc/$pid/fd | wc -l)
threads=$(ls /proc/$pid/task | wc -l)
kill -INT $pid
wait $pid
cpus=$(getconf _NPROCESSORS_CONF)
t_ok "... $files open files are at most 4 for each CPU of each, and few others" test "$files" -le $((12 * (cpus * 4 + 1) + 32))
t_ok "... $threads threads are one for each, and few others" test "$threads" -le $((12 * cpus + 4))
t_status 125 "a hard limit that is too low" sh -c 'ulimit -n 40; exec "$@"' sh "$FT" record -o few.dat $(many) touch ran
t_like "$err" "12 buffers of [0-9]+ CPUs take [0-9]+ open files, and no more than 40 are allowed" "... is told"
t_ok "... before the command runs, and leaves no file" test ! -e ran -a ! -e few.dat
t_is "$(ls $tracing/instances | grep -c "many-$$")" 0 "... and no instance"
t_is "$(pgrep -x ft-guardian -P $$)" "" "no process is left"
t_done

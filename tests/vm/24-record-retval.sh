#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What functions return, as the kernel's own text has it.
# kernels: full
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
tracing=/sys/kernel/tracing
[ -e $tracing/options/funcgraph-retval ] || t_skip_all "this kernel was built without CONFIG_FUNCTION_GRAPH_RETVAL"

echo 1 >$tracing/events/sched/sched_switch/enable
echo 0 >$tracing/events/sched/sched_switch/enable
dirty_state
state_save before
t_ok "with the option" "$FT" record -q -p function_graph -O funcgraph-retval -l vfs_read -o one.dat cat /etc/passwd
t_like "$("$FT" report -R one.dat)" "funcgraph_exit: +func=vfs_read retval=$(printf %x "$(stat -c %s /etc/passwd)") " \
	"... a report of the fields tells how much was read"
state_save after
state_same before after "the state is as it was"
clean_state

echo vfs_read >$tracing/set_ftrace_filter
echo 1 >$tracing/options/funcgraph-retval
echo 1 >$tracing/options/funcgraph-retval-hex
echo function_graph >$tracing/current_tracer
cat /etc/passwd /etc/group >/dev/null
cat /nonexistent /dev/null 2>/dev/null
echo 0 >$tracing/tracing_on
sed -nE 's/.*vfs_read.* = 0x([0-9a-f]+) \*\/$/\1/p' $tracing/trace | sort >want
"$FT" record -q --from-kernel -o all.dat
"$FT" report -R all.dat | sed -nE 's/.*funcgraph_exit: +func=vfs_read retval=([0-9a-f]+) .*/\1/p' | sort >have
t_is "$(cat have)" "$(cat want)" "the values of $(wc -l <want) calls are those of the kernel's text"
t_like "$(wc -l <want)" "^[1-9]" "... of which there are some"
echo nop >$tracing/current_tracer
echo 0 >$tracing/options/funcgraph-retval
echo 0 >$tracing/options/funcgraph-retval-hex
echo >$tracing/set_ftrace_filter
echo 1 >$tracing/tracing_on
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft list where lockdown hides all tracing files.
# kernels: full
# boot: lockdown=confidentiality
. "$(dirname "$0")/../lib.sh"

t_status 1 "support" "$FT" list support
t_like "$out" 'tracefs +no +/sys/kernel/tracing is mounted but empty: lockdown \(confidentiality\)' "names the mode"
t_like "$out" 'lockdown +no +confidentiality.*remedy: boot with lockdown=none' "and the remedy"
t_like "$out" 'function +unknown +built in' "and what the kernel was built with"
t_like "$out" 'record +no' "nothing can be recorded"
t_status 1 "options" "$FT" list options
t_like "$err" 'lockdown \(confidentiality\) forbids all tracing' "the cause is said"
t_status 1 "tracers" "$FT" list tracers
t_like "$out" 'function_graph' "come from the configuration"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft list where lockdown is on but leaves tracing alone.
# kernels: full
# boot: lockdown=integrity
. "$(dirname "$0")/../lib.sh"

t_ok "support" "$FT" list support
t_like "$out" 'lockdown +ok +integrity: does not forbid tracing' "the mode is said"
t_like "$out" 'function_graph +ok' "and does no harm"
t_done

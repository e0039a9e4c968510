#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every event format of the running kernel is read, and printed by its print format.
. "$(dirname "$0")/../lib.sh"

t_run "$T_TOP/build-dev/tests/unit/unit-decode-formats" /sys/kernel/tracing/events
t_is "$status" 0 "no record of any format is more than a line of text" || t_note "$out"
read -r native fallback fields <<<"$(tail -n 1 <<<"$out")"
t_note "$native by ft, $fallback by libtraceevent, $fields by fields only" "$err"
t_ok "there are formats" test "$((native + fallback + fields))" -gt 100
t_is "$fields" 0 "... and none of them has its fields alone"
t_ok "... at most one in a hundred needs libtraceevent" test "$((fallback * 100))" -le "$((native + fallback))"
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tree has the form of .clang-format.
. "$(dirname "$0")/../lib.sh"

command -v clang-format >/dev/null || t_skip_all "clang-format is not installed"
git -C "$T_TOP" rev-parse >/dev/null 2>&1 || t_skip_all "not a git work tree"
t_ok "the tree has the form of .clang-format (./dev format mends it)" "$T_TOP/dev" format --check
t_done

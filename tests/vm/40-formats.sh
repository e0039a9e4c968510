#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The formats of the guest's kernel.
# kernels: 6.1 6.12 full
exec "$(dirname "$0")/../live/formats.sh"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same in a guest, whose folder of the host is a 9p.
# kernels: full
. "$(dirname "$0")/../live/record-places.sh"

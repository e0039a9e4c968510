#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program starts with the C library alone: what few runs need is loaded at its first use.
. "$(dirname "$0")/../lib.sh"

program=$T_TOP/build/ft
command -v readelf >/dev/null || t_skip_all "readelf is not installed"
[ -x "$program" ] || t_skip_all "no build/ft (./dev build)"
needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
t_like "$needed" '(^|\n)libc\.so' "the C library is linked"
t_unlike "$needed" 'libtrace|libzstd|libz\.' "none of the libraries of src/util/library.h is"

# Each name that is loaded is that of a library which the headers' package has installed.
for soname in $(grep -rhoE '"lib[a-z]+\.so\.[0-9]+"' "$T_TOP/src" | tr -d '"' | sort -u); do
	t_ok "$soname can be loaded" python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$soname"
done
t_done

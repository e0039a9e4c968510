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

# Without one it is ft that fails, and not a command that was not found (127).
mkdir "$T_TMP/lib"
for soname in libtracefs.so.1 libzstd.so.1; do
	: >"$T_TMP/lib/$soname"
done
mkdir "$T_TMP/fake"
echo nop >"$T_TMP/fake/current_tracer"
export FT_TRACEFS=$T_TMP/fake
t_status 1 "ft list without libtracefs" env LD_LIBRARY_PATH="$T_TMP/lib" "$FT" list tracers
t_like "$err" "^ft list: cannot load a library: .*libtracefs" "... says what is missing"
t_status 125 "ft record without libtracefs" env LD_LIBRARY_PATH="$T_TMP/lib" "$FT" record --dry-run -e sched true
t_like "$err" "^ft record: cannot load a library: .*libtracefs" "... says what is missing"
t_status 125 "ft record --compress without libzstd" env LD_LIBRARY_PATH="$T_TMP/lib" "$FT" record --dry-run --compress -e sched true
t_like "$err" "^ft record: cannot load a library: .*libzstd" "... says what is missing"
t_done

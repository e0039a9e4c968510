#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The header for programs: compilers and standards take it without a word, and the examples of the manual do what they say.
. "$(dirname "$0")/../lib.sh"
cd "$T_TMP" || exit 1
include=$T_TOP/include
command -v cc >/dev/null || t_skip_all "there is no compiler"

# example FILE: that file from the manual page.
example() {
	sed -n "/^\.\\\\\" example $1\$/,/^\.\\\\\" end\$/p" "$T_TOP/man/ft-marker.1" |
		sed -e '/^\./d' -e 's/\\e/\\/g' -e 's/\\(aq/'"'"'/g' -e 's/\\&//g'
}

cat >all.c <<'END'
#include <ft/marker.h>
#include <ft/marker.h>
int other(void);
#define TWO(a, b) FT_MARK_SCOPE(a); FT_MARK_SCOPE(b)
static int scope(int n)
{
	TWO("first", "second");
	FT_MARK_SCOPE("outer");
	if (n) {
		FT_MARK_SCOPE("inner");
		return n;
	}
	return 0;
}
int main(int argc, char **argv)
{
	int result = ft_marker_init_at(argc > 1 ? argv[1] : "/nonexistent");

	ft_marker_init();
	ft_mark("text %d %s", 1, "two");
	ft_mark("plain");
	ft_mark_begin("section");
	ft_mark_end();
	ft_mark_counter("counter", -7);
	ft_mark_async_begin("async", 3);
	ft_mark_async_end("async", 3);
	ft_mark_instant("instant");
	scope(1);
	other();
	ft_marker_enable(0);
	ft_mark("never");
	ft_marker_fini();
	return argc > 1 && result && !ft_marker_enabled();
}
END
# A second file of the program shares the one state.
cat >other.c <<'END'
#include <ft/marker.h>
int other(void);
int other(void)
{
	return ft_mark("from the other file");
}
END
cp all.c all.cc
cp other.c other.cc
strict="-Wall -Wextra -Werror -pedantic -Wshadow -Wconversion -Wformat=2 -Wundef -Wcast-qual"

# builds COMPILER STANDARD ENDING FLAG...
builds() {
	local compiler=$1 standard=$2 ending=$3

	shift 3
	if ! command -v "$compiler" >/dev/null; then
		t_skip "$compiler is not installed"
		return
	fi
	# shellcheck disable=SC2086 # words
	t_ok "$compiler -std=$standard $*" "$compiler" -std="$standard" $strict "$@" -I "$include" -o all "all.$ending" "other.$ending" ||
		return
	mkfifo marker
	exec 5<>marker
	t_ok "... runs" ./all marker
	got=$(dd bs=65536 count=1 <&5 2>/dev/null)
	pid=${got#*B|} pid=${pid%%|*}
	t_is "${got//$pid/PID}" "$expected" "... and writes what it should"
	exec 5<&-
	rm marker
}

# The writes, one after the other.
expected='text 1 twoplainB|PID|sectionE|PIDC|PID|counter|-7S|PID|async|3F|PID|async|3I|PID|instant'
expected+='B|PID|firstB|PID|secondB|PID|outerB|PID|innerE|PIDE|PIDE|PIDE|PIDfrom the other file'
for standard in c99 c11 gnu17 c2x; do
	builds gcc $standard c -O2 -Wstrict-prototypes -Wmissing-prototypes
	builds clang $standard c -O2 -Wstrict-prototypes
done
for standard in c++11 c++17 c++20; do
	builds g++ $standard cc -O2 -Wold-style-cast -Wzero-as-null-pointer-constant -Wuseless-cast
	builds clang++ $standard cc -O2 -Wold-style-cast -Wzero-as-null-pointer-constant
done

# Compiled out, nothing of it is left: no call, and arguments are not evaluated.
cat >out.c <<'END'
#define FT_MARKER_DISABLED
#include <ft/marker.h>
int left(int x);
int left(int x)
{
	FT_MARK_SCOPE("scope"); FT_MARK_SCOPE("another");
	ft_mark("%d", x++);
	ft_mark_counter("counter", x++);
	ft_mark_begin("section");
	ft_mark_end();
	return x;
}
END
for compiler in gcc clang g++; do
	command -v $compiler >/dev/null || continue
	# shellcheck disable=SC2086 # words
	t_ok "$compiler without markers" $compiler $strict -O2 -I "$include" -c -o out.o out.c
	t_unlike "$(nm out.o)" "ft_mark_|ft_marker_(line|printf|write)|write" "... leaves no call"
done

# The examples of the manual page.
example sections.c >sections.c
t_ok "the program of the manual page is built" cc -Wall -Wextra -Werror -I "$include" -o sections sections.c
fake=$T_TMP/marker
mkfifo "$fake"
exec 5<>"$fake"
for language in python3:py sh:sh bash:sh dash:sh; do
	command -v "${language%:*}" >/dev/null || continue
	example "sections.${language#*:}" >example
	for file in /nonexistent /dev/full; do
		sed "s|/sys/kernel/tracing/trace_marker|$file|" example >here
		t_run "${language%:*}" here
		t_is "$out$err" "" "the example for ${language%:*} is quiet when $file is all there is"
	done
	sed "s|/sys/kernel/tracing/trace_marker|$fake|" example >here
	t_ok "... and on a file that can be written" "${language%:*}" here
	got=$(dd bs=65536 count=1 <&5 2>/dev/null)
	t_like "$got" '^B\|([0-9]+)\|parsehello from (Python|the shell)E\|([0-9]+)$' "... writes its section"
	t_is "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}" "... of one process"
done
t_done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# meson install puts everything where Debian looks for it, and what is installed runs by itself.
. "$(dirname "$0")/../lib.sh"

build=$T_TOP/build
command -v meson >/dev/null || t_skip_all "meson is not installed"
[ -e "$build/build.ninja" ] || t_skip_all "there is no build"
prefix=$(meson introspect --buildoptions "$build" |
	python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
root=$T_TMP/root

t_ok "meson install" env DESTDIR="$root" meson install -C "$build" --no-rebuild --quiet
cd "$root$prefix" || exit 1
t_is "$(find . -type f | grep -v '/man/' | LC_ALL=C sort)" "./bin/ft
./include/ft/marker.h
./share/bash-completion/completions/ft
./share/fish/vendor_completions.d/ft.fish
./share/pkgconfig/ft-marker.pc
./share/zsh/vendor-completions/_ft" "the program, its completions and the header are where they are looked for"
t_is "$(find . -type f -path '*/man/*' | LC_ALL=C sort)" "$(cd "$T_TOP/man" && ls | sed 's/.*\.\([1-8]\)$/.\/share\/man\/man\1\/&/' |
	LC_ALL=C sort)" "so are all manual pages"
t_is "$(cd "$root" && find . -type f ! -path ".$prefix/*")" "" "nothing is put elsewhere"
t_is "$(find . -type f -perm /111)" "./bin/ft" "only the program is executable"
t_is "$(find . -type f ! -perm -444)" "" "everything can be read"
t_is "$(find . -type f -perm /022)" "" "and nothing written by others"

t_ok "the installed program runs" env -i PATH=/usr/bin:/bin ./bin/ft --version
t_is "$out" "$("$FT" --version)" "... and is this one"
t_ok "... with the completion script of its folder" ./bin/ft completion bash
t_is "$out" "$(cat share/bash-completion/completions/ft)" "... that it prints itself"
t_unlike "$(readelf -d bin/ft 2>/dev/null)" "RPATH|RUNPATH" "... and looks for no library in the build"
t_is "$(strings -d bin/ft 2>/dev/null | grep -F "$T_TOP" | head -n 3)" "" "... nor names the folder it was built in"

# A program finds the header through pkg-config alone.
if command -v pkg-config >/dev/null && command -v cc >/dev/null; then
	printf '#include <ft/marker.h>\nint main(void) { ft_marker_enable(0); return ft_mark("%%d", 1); }\n' >"$T_TMP/use.c"
	cflags=$(PKG_CONFIG_PATH=$PWD/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags ft-marker)
	t_like "$cflags" "^-I" "ft-marker.pc says where the header is"
	# shellcheck disable=SC2086 # words
	t_ok "... with which a program is built" cc $cflags -Werror -o "$T_TMP/use" "$T_TMP/use.c"
	t_ok "... and runs" "$T_TMP/use"
else
	t_skip "there is no pkg-config or compiler"
fi

# The shells load them by themselves.
if [ -e /usr/share/bash-completion/bash_completion ]; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_ok "bash-completion finds its script" env XDG_DATA_DIRS="$PWD/share" PATH="$PWD/bin:$PATH" \
		bash --norc -c '. /usr/share/bash-completion/bash_completion; _completion_loader ft; complete -p ft'
	t_like "$out" "complete .*-F _ft ft" "... and it registers itself"
else
	t_skip "bash-completion is not installed"
fi
if command -v zsh >/dev/null; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_ok "zsh finds its script" env ZDOTDIR="$T_TMP" zsh -f -c \
		'fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[ft]' zsh "$PWD/share/zsh/vendor-completions"
	t_is "$out" "_ft" "... for ft"
else
	t_skip "zsh is not installed"
fi
if command -v fish >/dev/null; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	t_ok "fish finds its script" env HOME="$T_TMP" PATH="$PWD/bin:$PATH" fish --no-config -c \
		'set fish_complete_path $argv[1]; complete -C "ft lis"' "$PWD/share/fish/vendor_completions.d"
	t_is "$out" "list" "... and completes with it"
else
	t_skip "fish is not installed"
fi
if command -v man >/dev/null; then
	for page in ft ft-record; do
		t_ok "man finds $page" env MANPATH="$PWD/share/man" man -w "$page"
	done
else
	t_skip "man is not installed"
fi
t_done

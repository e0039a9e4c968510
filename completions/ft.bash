# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of ft. ft itself knows the answers: this script only asks and hands them over.

# Completes the command that begins at word $1, as if it stood alone.
_ft_command()
{
	local rest=${COMP_LINE:0:COMP_POINT} blank nr=0 at

	# bash's own words are cut at ':' and '=' too: find the one where that of ft begins.
	for ((at = 0; at < COMP_CWORD; at++)); do
		blank=${rest%%[![:blank:]]*}
		((at && ${#blank})) && ((nr++))
		((nr == $1)) && break
		rest=${rest#"$blank"}
		rest=${rest#"${COMP_WORDS[at]}"}
	done
	if declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	elif ((at == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		compopt -o default
	fi
}

_ft()
{
	local line=${COMP_LINE:0:COMP_POINT} words=() cur answers=() answer lead='' mark open

	# Split at blanks only: event names hold ':' and options '='.
	read -rd '' -a words <<<"$line"
	[[ $line == *[[:blank:]] ]] && words+=("")
	# A filter in an open quote is one word with blanks in it.
	open=${COMP_WORDS[COMP_CWORD]}
	if [[ $open == [\'\"]*[[:blank:]]* && $line == *"$open" ]]; then
		read -rd '' -a words <<<"${line%"$open"}"
		words+=("$open")
	fi
	cur=${words[-1]}
	# An open quote is not part of the name, and nothing in it ends a word.
	[[ $cur == [\'\"]* ]] && words[-1]=${cur:1}
	mapfile -t answers < <("${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
	COMPREPLY=()
	((${#answers[@]})) || return

	# The last line says what the shell itself shall offer.
	case ${answers[-1]} in
	:file) compopt -o default ;;
	:dir)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "${cur#--*=}")
		;;
	:user) mapfile -t COMPREPLY < <(compgen -u -- "${cur#--*=}") ;;
	:command*)
		_ft_command $((${answers[-1]#:command } + 1))
		return
		;;
	esac
	unset 'answers[-1]'

	# readline replaces only what stands after the last ':' or '=' of the word.
	if [[ $cur != [\'\"]* ]]; then
		for mark in : =; do
			answer=${cur%"${cur##*"$mark"}"}
			[[ $COMP_WORDBREAKS == *$mark* ]] && ((${#answer} > ${#lead})) && lead=$answer
		done
	fi
	for answer in "${answers[@]}"; do
		# What stands behind a tab is for the reader of a list, and must not get into the line.
		((COMP_TYPE == 63 && ${#answers[@]} > 1)) || answer=${answer%%$'\t'*}
		COMPREPLY+=("${answer#"$lead"}")
	done
}
complete -F _ft ft

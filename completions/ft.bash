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

# The words of $line as the shell would hand them over. Of the last one: whether a quote is open in it, what stands
# before that, and whether other quotes or backslashes are in it.
_ft_words()
{
	local at c quote='' word='' any=''

	before='' marked=''
	for ((at = 0; at < ${#line}; at++)); do
		c=${line:at:1}
		if [[ -n $quote && $c == "$quote" ]]; then
			quote=''
			marked=1
		elif [[ -z $quote && $c == [\'\"] ]]; then
			quote=$c any=1 before=$word
		elif [[ $c == \\ && $quote != \' ]]; then
			((at++))
			word+=${line:at:1} any=1 marked=1
		elif [[ -z $quote && $c == [[:blank:]] ]]; then
			[[ -n $any ]] && words+=("$word")
			word='' any='' marked=''
		else
			word+=$c any=1
		fi
	done
	words+=("$word")
	open=$quote
}

_ft()
{
	local line=${COMP_LINE:0:COMP_POINT} words=() cur answers=() answer lead='' mark open before marked

	# bash's own words are cut at ':' and '=' too: event names hold the one, options the other.
	_ft_words
	cur=${words[-1]}
	COMPREPLY=()
	# readline knows how to go on after an open quote, but not which signs need one here.
	[[ -n $marked ]] && return
	mapfile -t answers < <("${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
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

	# After "tracer=" comes more.
	[[ ${#answers[@]} -eq 1 && ${answers[0]} == *= ]] && compopt -o nospace

	# readline replaces only what stands after the open quote, or the last ':' or '=' of the word.
	if [[ -n $open ]]; then
		lead=$before
	else
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

# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of ft. ft itself knows the answers: this script only asks and hands them over.

_ft()
{
	local line=${COMP_LINE:0:COMP_POINT} words=() cur answers=() answer lead rest

	# Split at blanks only: bash's own words are cut at ':' and '=', which event names hold.
	read -ra words <<<"$line"
	[[ $line == *[[:blank:]] ]] && words+=("")
	cur=${words[-1]}
	mapfile -t answers < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
	COMPREPLY=()
	((${#answers[@]})) || return

	# The last line says what the shell itself shall offer.
	case ${answers[-1]} in
	:file) compopt -o default ;;
	:dir) mapfile -t COMPREPLY < <(compgen -d -- "${cur#*=}") ;;
	:command) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	:user) mapfile -t COMPREPLY < <(compgen -u -- "${cur#*=}") ;;
	esac
	unset 'answers[-1]'

	# readline replaces only what stands after the last ':' or '=' of the word.
	lead=
	for rest in : =; do
		if [[ $COMP_WORDBREAKS == *$rest* && $cur == *$rest* ]]; then
			answer=${cur%"${cur##*"$rest"}"}
			((${#answer} > ${#lead})) && lead=$answer
		fi
	done
	for answer in "${answers[@]}"; do
		COMPREPLY+=("${answer#"$lead"}")
	done
	if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]]; then
		compopt -o nospace
	fi
}
complete -F _ft ft

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ft alone, its help texts, and what it says to what it does not know.
. "$(dirname "$0")/../../lib.sh"

mapfile -t verbs < <("$FT" __verbs)
t_ok "there are verbs" test "${#verbs[@]}" -ge 3

# fits TEXT DESC: nothing is wider than a terminal.
fits() {
	t_is "$(awk 'length > 80' <<<"$1")" "" "$2 fits into 80 columns"
}

t_status 2 "ft alone does nothing, so it is no success" "$FT"
t_is "$err" "" "... and no failure to talk of"
overview=$out
for verb in "${verbs[@]}"; do
	t_like "$overview" "
  $verb  +[a-z]" "... it names $verb"
done
t_like "$overview" "Examples:
  ft " "... with examples"
fits "$overview" "... it"
t_ok "... it is one screen" test "$(wc -l <<<"$overview")" -le 40
for word in help --help -h; do
	t_ok "ft $word" "$FT" $word
	t_is "$out" "$overview" "... is the same text"
done

for verb in "${verbs[@]}"; do
	t_ok "ft help $verb" "$FT" help "$verb"
	help=$out
	t_is "$err" "" "... without a word on stderr"
	t_like "$help" "^Usage: ft $verb " "... begins with the usage"
	t_like "$help" "-h, --help .*
Examples:
  ft .*manual page is ft-$verb\(1\)" "... has options, examples, and names the manual page"
	fits "$help" "... it"
	t_ok "ft $verb --help" "$FT" "$verb" --help
	t_is "$out" "$help" "... is the same text"
	t_ok "ft $verb -h after other options" "$FT" "$verb" --tracefs nosuch -h
	t_is "$out" "$help" "... is the same text"
	# Each row of the table is in the text.
	lost=
	while IFS=$'\t' read -r letter name _; do
		if [ "$letter" = - ]; then
			grep -q -- "^      --$name" <<<"$help" || lost+=" --$name"
		else
			grep -q -- "^  -$letter, --$name" <<<"$help" || lost+=" -$letter"
		fi
	done < <("$FT" __options "$verb")
	t_is "$lost" "" "... has every option of ft $verb"
	t_status 2 "ft $verb with an unknown option" "$FT" "$verb" --nosuchoption
	t_is "$out" "" "... prints nothing"
	t_is "$err" "ft $verb: no option --nosuchoption
Try 'ft help $verb'." "... and says which"
	t_status 2 "ft $verb with an unknown letter" "$FT" "$verb" -Z
	t_is "$err" "ft $verb: no option -Z
Try 'ft help $verb'." "... and says which"
done

t_ok "ft --version" "$FT" --version
version=$out
t_like "$version" "^ft [0-9]+\.[0-9]+\.[0-9]+$" "... is one line"
t_ok "ft -V" "$FT" -V
t_is "$out" "$version" "... the same"

unknown() {
	t_status 2 "ft $1" "$FT" $1
	t_is "$out" "" "... prints nothing"
	t_is "$err" "$2
Try 'ft help'." "... and says what is near"
}

unknown recrod "ft: no verb 'recrod' (did you mean record?)"
unknown "help recrod" "ft: no verb 'recrod' (did you mean record?)"
unknown lst "ft: no verb 'lst' (did you mean list?)"
unknown rep "ft: no verb 'rep' (did you mean report?)"
unknown LIST "ft: no verb 'LIST' (did you mean list?)"
unknown xyzzy "ft: no verb 'xyzzy'"
unknown --verison "ft: no option '--verison' (did you mean --version?)"
unknown -Z "ft: no option '-Z'"
t_status 2 "an empty verb" "$FT" ""
t_is "$err" "ft: no verb ''
Try 'ft help'." "... is no verb"
t_status 2 "an abbreviated option" "$FT" record --dry
t_like "$err" "no option --dry .did you mean --dry-run" "... gets its full name"
t_status 2 "an option's near name" "$FT" report --cpux 1
t_like "$err" "no option --cpux .did you mean --cpu" "... is told"

t_status 2 "ft completion without a shell" "$FT" completion
t_is "$out" "" "... prints nothing"
t_done

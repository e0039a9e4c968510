# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion of ft. ft itself knows the answers: this script only asks and hands them over.

function __ft_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    # An open quote is not part of the name.
    set -l bare (string replace -r '^([^\'"]*)[\'"]' '$1' -- "$token")
    set -l program (string replace -r '^~/' ~/ -- $words[1])
    set -e words[1]
    set -l answers ($program __complete $words "$bare" 2>/dev/null)
    test (count $answers) -gt 0; or return
    set -l directive (string split ' ' -- $answers[-1])
    set -e answers[-1]
    test (count $answers) -gt 0; and printf '%s\n' $answers
    # What stands before the name in "--output=name".
    set -l lead (string match -r -- '^--[^=]*=' "$bare")
    set -l name (string replace -r -- '^--[^=]*=' '' "$bare")
    switch $directive[1]
        case :file
            __fish_complete_path "$name" | string replace -r '^' -- "$lead"
        case :dir
            __fish_complete_directories "$name" | string replace -r '^' -- "$lead"
        case :command
            set -a words "$token"
            __fish_complete_subcommand --commandline $words[(math $directive[2] + 1)..-1]
        case :user
            __fish_complete_users | string replace -r '^' -- "$lead"
    end
end

complete -c ft -f -a '(__ft_complete)'

# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion of ft. ft itself knows the answers: this script only asks and hands them over.

function __ft_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answers ($words[1] __complete $words[2..-1] 2>/dev/null)
    test (count $answers) -gt 0; or return
    set -l directive $answers[-1]
    set -e answers[-1]
    printf '%s\n' $answers
    switch $directive
        case :file :dir
            __fish_complete_path (commandline -ct)
        case :command
            __fish_complete_command
        case :user
            __fish_complete_users
    end
end

complete -c ft -f -a '(__ft_complete)'

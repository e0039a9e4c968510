#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands in README.md and the manual pages are ones that ft takes."""

import shlex
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import FT, check, done, lines, run, skip_all, tree_files  # noqa: E402

# What ends the words of one command in a line of shell.
SEPARATORS = {"|", "||", "&&", ";", "&", ">", ">>", "2>", "<", "2>&1", "#"}


def commands(text):
    """The ft commands of one line of shell, as lists of words."""
    words = shlex.split(text.replace(";", " ; "))
    here = []
    for word in [*words, ";"]:
        if word not in SEPARATORS:
            here.append(word)
            continue
        while here and (here[0] == "sudo" or "=" in here[0]):
            here.pop(0)
        if here and here[0] == "ft":
            yield here[1:]
        here = []


def check_command(words, where):
    if not words or words[0] in ("help", "completion") or words[0].startswith("-"):
        r = run(FT, *words)
        check(r.returncode == 0, f"{where}: ft {' '.join(words)}", r.stderr)
        return
    r = run(FT, "__parse", *words)
    check(r.returncode == 0, f"{where}: ft {' '.join(words)}", r.stderr)


if not os.access(FT, os.X_OK):
    skip_all("ft is not built")
documents = tree_files("README.md", "man/*")
if not documents:
    skip_all("there is no README.md yet")
for path in documents:
    for number, line in enumerate(lines(path), 1):
        prompt = re.match(r"\s*[$#] ((?:sudo )?ft .*)", line.replace("\\-", "-"))
        for words in commands(prompt[1]) if prompt else []:
            check_command(words, f"{path}:{number}")
r = run(FT, "__parse", "nosuchverb")
check(r.returncode == 2, "a wrong command would be seen")
done()

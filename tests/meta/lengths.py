#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions fit on a screen or two, files in a head."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import check, done, lines, note, tree_files  # noqa: E402

FUNCTION_MAX, FILE_LONG, FILE_MAX = 80, 600, 900


def long_functions(path, text):
    """By the project's form, a "{" alone at the left edge begins a function, and "}" ends it."""
    begin, name = 0, "?"
    for number, line in enumerate(text, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            if number - begin - 1 > FUNCTION_MAX:
                yield f"{path}:{begin}: {name}: {number - begin - 1} lines, at most {FUNCTION_MAX}"
            begin = 0
        elif not begin and (head := re.match(r"\w.*?(\w+)\(", line)):
            name = head[1]


sources = tree_files("src/*.[ch]", "include/*.h")
functions = [w for path in sources for w in long_functions(path, lines(path))]
check(not functions, f"no function of {len(sources)} files is longer than {FUNCTION_MAX} lines", *functions)

sizes = {path: len(lines(path)) for path in sources}
note(*(f"{path}: {size} lines; a file past {FILE_LONG} is usually two"
       for path, size in sizes.items() if FILE_LONG < size <= FILE_MAX))
files = [f"{path}: {size} lines, at most {FILE_MAX}" for path, size in sizes.items() if size > FILE_MAX]
check(not files, f"no file is longer than {FILE_MAX} lines", *files)

sample = ["int f(void)", "{", *["\tx();"] * (FUNCTION_MAX + 1), "}"]
check(list(long_functions("sample", sample)), "a long function would be seen")
done()

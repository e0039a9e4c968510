#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes each FILE as a C string constant NAME: embed.py OUT NAME=FILE..."""
import sys

ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "?": "\\?"}


def literal(line):
    return '\t"' + "".join(ESCAPES.get(c, c) for c in line.rstrip("\n")) + '\\n"'


with open(sys.argv[1], "w", encoding="utf-8") as out:
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, encoding="utf-8") as source:
            body = "\n".join(literal(line) for line in source)
        out.write(f"static const char {name}[] =\n{body};\n")

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No mutable data outside functions' frames: what a function knows lives in a struct that it is given."""

import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import TOP, check, done, run, skip_all  # noqa: E402

# "object: symbol" pairs that must be: nothing but what a signal handler can reach.
ALLOWED = set()

# Constant tables that hold pointers are in .data.rel.ro: written by the loader, then read-only.
MUTABLE = re.compile(r"\s+\S*\s+(\.t?bss|\.t?data|\*COM\*)(?!\.rel\.ro)(\S*)\s+[0-9a-f]+\s+(?:\.hidden )?([^.\s]\S*)$")


def mutable_symbols(path):
    table = run("objdump", "-t", path).stdout
    for line in table.splitlines():
        symbol = MUTABLE.search(line)
        if symbol:
            yield symbol[3]


def object_name(path):
    return os.path.basename(path).replace("_", "/", 1)


# The optimised build: sanitizers add data of their own.
objects = sorted(glob.glob(TOP + "/build/src/**/*.o", recursive=True) + glob.glob(TOP + "/build/ft.p/*.o"))
if not objects:
    skip_all("build/ has no objects")
found = {f"{object_name(path)}: {name}" for path in objects for name in mutable_symbols(path)}
check(not found - ALLOWED, f"no mutable globals in {len(objects)} objects", *sorted(found - ALLOWED))

SAMPLE = """static int counter; int level = 3; static _Thread_local int mine; extern const char *const names[];
const char *const names[] = {"a", "b"}; static const int table[] = {1, 2};
int f(int i) { static int calls = 7; return counter++ + level++ + mine++ + calls++ + table[i]; }"""
with tempfile.TemporaryDirectory() as work:
    with open(work + "/sample.c", "w") as f:
        f.write(SAMPLE)
    run("cc", "-O2", "-fPIC", "-c", "-o", work + "/sample.o", work + "/sample.c")
    seen = {name.split(".")[0] for name in mutable_symbols(work + "/sample.o")}
check(seen == {"counter", "level", "mine", "calls"}, "every kind of mutable data would be seen", seen)
done()

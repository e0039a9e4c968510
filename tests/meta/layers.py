#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Includes point down the layers (README, "Map"), and each library has one module that may know it."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import check, done, lines, tree_files  # noqa: E402

# A module may include its own headers and those of the modules named here.
ALLOWED = {
    "main": "cli cmd util",
    "cmd": "session record report compat cli tracefs out dat util",
    "cli": "util",
    "session": "tracefs util",
    "record": "session tracefs dat util",
    "report": "decode out compat dat util",
    "out": "decode dat util",
    "compat": "dat util",
    "decode": "dat util",
    "tracefs": "util",
    "dat": "util",
    "util": "",
}
# Single headers of plain types that may be had from the side: a sink is told what a report knows.
TYPES = {"out": {"report"}}
# The header of a library → the modules that may include it.
LIBRARIES = {
    "tracefs.h": {"tracefs"},
    "trace-cmd.h": {"compat"},
    "event-parse.h": {"decode", "compat"},
    "event-utils.h": {"decode", "compat"},
    "kbuffer.h": {"decode", "compat"},
    "zstd.h": {"dat"},
    # tracefs: /proc/config.gz.
    "zlib.h": {"dat", "tracefs"},
}


def module_of(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "main"


def judge(path, number, line):
    """What is wrong with this include, or None."""
    module = module_of(path)
    system = re.match(r"\s*#\s*include\s*<(?:\w+/)?([\w.-]+)>", line)
    if system and module not in LIBRARIES.get(system[1], {module}):
        return f"{path}:{number}: <{system[1]}> is for {' and '.join(sorted(LIBRARIES[system[1]]))}"
    own = re.match(r'\s*#\s*include\s*"([\w-]+)/[\w./-]+"', line)
    if not own or own[1] in (module, "ft"):
        return None
    if module not in ALLOWED:
        return f"{path}: the module {module} is not in the map of layers"
    if own[1] not in {*ALLOWED[module].split(), *TYPES.get(module, ())}:
        return f'{path}:{number}: {module} must not include "{own[1]}/..."'
    return None


sources = tree_files("src/*.[ch]")
wrong = [w for path in sources for n, line in enumerate(lines(path), 1) if (w := judge(path, n, line))]
check(not wrong, f"includes of {len(sources)} files point down", *wrong)
# The rule itself: an arrow that points up is seen.
check(judge("src/util/str.c", 1, '#include "cmd/list.h"'), "an include upwards would be seen")
check(judge("src/record/stream.c", 1, "#include <tracefs.h>"), "a library in the wrong module would be seen")
check(not judge("src/tracefs/names.c", 1, "#include <tracefs.h>"), "the right module may include it")
once = [p for p in sources if p.endswith(".h") and "#pragma once" not in lines(p)]
check(not once, "every header has #pragma once", *once)
done()

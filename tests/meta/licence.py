#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every source file says its licence, and tells nothing of the machine it was written on."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import check, done, lines, tree_files  # noqa: E402

SOURCE = re.compile(r"\.(c|h|sh|py|build|bash|fish|[1-8])$")
# Data that tests read has no room for a comment.
DATA = re.compile(r"^(tests/.*/(data|cases|corpus|files|formats)/|COPYING$)")
LICENCE = "SPDX-License-Identifier: GPL-2.0-or-later"
# What programs include must not tell them their licence.
FREE = {"include/ft/marker.h": "SPDX-License-Identifier: MIT"}


def is_source(path):
    if DATA.match(path):
        return False
    return SOURCE.search(path) or (lines(path) or [""])[0].startswith("#!")


sources = [p for p in tree_files() if is_source(p)]
bare = [p for p in sources if not any(FREE.get(p, LICENCE) in line for line in lines(p)[:5])]
check(sources and not bare, f"{len(sources)} source files have their SPDX line", *bare)

homes = re.compile(r"(?<![\w.~])/(?:home|root|work|Users)/\w")
paths = [f"{p}:{n}: {line.strip()}" for p in sources for n, line in enumerate(lines(p), 1) if homes.search(line)]
check(not paths, "no source names a folder of somebody's machine", *paths)
done()

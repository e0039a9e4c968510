#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clang has nothing to say about the tree either; the build itself is gcc's."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import TOP, check, done, skip_all  # noqa: E402

# What only gcc knows.
GCC_ONLY = {"-Wno-maybe-uninitialized", "-Wno-format-truncation"}


def complaints(entry):
    words = [w for w in shlex.split(entry["command"]) if w not in GCC_ONLY]
    while os.path.basename(words[0]) in ("ccache", "cc", "gcc", "x86_64-linux-gnu-gcc"):
        words.pop(0)
    for flag in "-o", "-MF", "-MQ":
        if flag in words:
            del words[words.index(flag):words.index(flag) + 2]
    r = subprocess.run(["clang", *words, "-fsyntax-only", "-Werror", "-Wno-unused-command-line-argument"],
                       cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return r.stdout if r.returncode else ""


if not shutil.which("clang"):
    skip_all("clang is not installed")
if not os.path.exists(TOP + "/build/compile_commands.json"):
    skip_all("build/ is not set up")
with open(TOP + "/build/compile_commands.json", encoding="utf-8") as f:
    entries = json.load(f)
with ThreadPoolExecutor(os.cpu_count()) as pool:
    said = [text for text in pool.map(complaints, entries) if text]
check(entries and not said, f"clang takes {len(entries)} files without a warning", *said)
done()

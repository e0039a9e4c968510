# SPDX-License-Identifier: GPL-2.0-or-later
"""What Python tests share: results in TAP. Use as `from tap import TOP, FT, check, done, skip_all`
after putting tests/ on sys.path."""

import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FT = os.environ.get("FT", os.path.join(TOP, "build-dev", "ft"))

_count = {"checks": 0, "failed": 0}


def check(good, name, *details):
    """One result; the details are shown when it is bad."""
    _count["checks"] += 1
    _count["failed"] += not good
    print(f"{'' if good else 'not '}ok {_count['checks']} - {name}")
    if not good:
        note(*details)
    return bool(good)


def note(*lines):
    for line in lines:
        print("\n".join("# " + part for part in str(line).splitlines()))


def skip(reason):
    _count["checks"] += 1
    print(f"ok {_count['checks']} # SKIP {reason}")


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def done():
    print(f"1..{_count['checks']}")
    sys.exit(1 if _count["failed"] else 0)


def tree_files(*patterns):
    """The project's own files: what git tracks or would track, else what a release holds."""
    r = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=TOP,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if r.returncode:
        skip_all("not a git work tree")
    return sorted(p for p in set(r.stdout.splitlines()) if os.path.isfile(os.path.join(TOP, p)))


def lines(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
        return f.read().splitlines()


def run(*argv):
    return subprocess.run(argv, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)

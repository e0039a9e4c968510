# SPDX-License-Identifier: GPL-2.0-or-later
"""What the measurements share: the cost of one program, the best of several, and tables."""

import os
import subprocess
import sys
import time

# Nothing that the user's shell has set may change what is printed, or how.
CLEAN = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
for name in "PAGER", "FT_PAGER", "TRACEEVENT_PLUGIN_DIR":
    CLEAN.pop(name, None)


class Cost:
    """CPU seconds of a program and all it waited for, and wall seconds; `end` on the monotonic clock."""

    def __init__(self, cpu, wall, end, status, memory):
        self.cpu, self.wall, self.end, self.status, self.memory = cpu, wall, end, status, memory


def spend(argv, out=os.devnull, errors=os.devnull):
    with open(out, "wb") as o, open(errors, "wb") as e:
        # Not before: to empty a large file takes its time.
        begin = time.monotonic()
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=o, stderr=e, env=CLEAN)
        _, status, usage = os.wait4(child.pid, 0)
    end = time.monotonic()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, end - begin, end, child.returncode, usage.ru_maxrss)


def best(costs, key="cpu"):
    return min(getattr(c, key) for c in costs)


def race(commands, rounds, budget, out=os.devnull):
    """Runs each of {name: argv} in turn, `rounds` times; a slow one fewer times, once `budget` seconds are spent."""
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, argv in commands.items():
            if sum(c.wall for c in costs[name]) > budget:
                continue
            costs[name].append(spend(argv, out))
            if costs[name][-1].status:
                print(f"bench: {' '.join(argv)} ended with {costs[name][-1].status}", file=sys.stderr)
    return costs


def ratio(a, b):
    return f"{a / b:.1f}x" if b > 0 else "-"


def number(value):
    """A count that is easy to compare: 12.3M, 456k, 78."""
    if value >= 1e6:
        return f"{value / 1e6:.2f}M"
    return f"{value / 1e3:.0f}k" if value >= 1e4 else f"{value:.0f}"


class Table:
    """Lines that appear as they are measured; the first column to the left, the others to the right."""

    def __init__(self, title, *columns):
        self.widths = [max(len(c), 18 if i == 0 else 8) for i, c in enumerate(columns)]
        print(f"\n{title}")
        self.row(*columns)

    def row(self, *cells):
        text = [str(c) for c in cells]
        print("  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                               for i, (c, w) in enumerate(zip(text, self.widths))), flush=True)

# SPDX-License-Identifier: GPL-2.0-or-later
"""What markers cost: the header for programs against a bare write(2), and ft marker --stdin."""

import os
import subprocess
import tempfile

from measure import Table, best, number, race

TRACING = "/sys/kernel/tracing"


class Instance:
    """A buffer of our own, so that nobody else's is filled."""

    def __init__(self, name):
        self.name, self.folder = name, f"{TRACING}/instances/{name}"

    def __enter__(self):
        os.mkdir(self.folder)
        return self

    def __exit__(self, *_):
        os.rmdir(self.folder)


def build(top, folder, name, *flags):
    path = f"{folder}/{name}"
    subprocess.run(["cc", "-O2", *flags, "-I", top + "/include", "-o", path, top + "/tests/bench/marker.c"], check=True)
    return path


def nanoseconds(rounds, program, file, way, count):
    return min(float(subprocess.run([program, file, way, str(count)], stdout=subprocess.PIPE, check=True, text=True).stdout)
               for _ in range(rounds))


def measure_header(top, folder, instance, rounds, count):
    file = instance.folder + "/trace_marker"
    with_markers, without = build(top, folder, "with"), build(top, folder, "without", "-DFT_MARKER_DISABLED")
    free = nanoseconds(rounds, with_markers, "", "nothing", count * 100)
    bare = nanoseconds(rounds, with_markers, file, "write", count)
    table = Table(f"marker: ns of CPU a call, best of {rounds}; the loop itself, {free:.2f} ns, taken off", "call", "ns", "of write(2)")
    table.row("write(2) of 15 bytes", f"{bare - free:.1f}", "1x")
    for name, program, path, way in (
            ("ft_mark_begin, enabled", with_markers, file, "section"),
            ("ft_mark, enabled", with_markers, file, "text"),
            ("ft_mark_begin, disabled", with_markers, "", "section"),
            ("ft_mark, disabled", with_markers, "", "text"),
            ("ft_mark, compiled out", without, "", "text")):
        cost = nanoseconds(rounds, program, path, way, count if path else count * 100) - free
        table.row(name, f"{cost:.2f}" if cost < 100 else f"{cost:.1f}", f"{cost / (bare - free):.4f}x")


def measure_stdin(ft, folder, instance, rounds, count):
    path = folder + "/lines"
    with open(path, "w", encoding="ascii") as f:
        f.writelines(f"line {n} of a log that goes into the trace\n" for n in range(count))
    command = ["sh", "-c", 'exec "$0" marker --instance "$1" --stdin <"$2"', ft, instance.name, path]
    costs = race({"ft": command}, rounds, 20)["ft"]
    cpu, wall = best(costs), best(costs, "wall")
    table = Table(f"ft marker --stdin, best of {rounds}", "lines", "CPU s", "wall s", "lines/s CPU", "lines/s wall")
    table.row(number(count), f"{cpu:.3f}", f"{wall:.3f}", number(count / cpu), number(count / wall))


def measure_marker(top, ft, rounds, count):
    if not os.access(TRACING + "/instances", os.W_OK):
        print("\nmarker: needs root and tracefs")
        return
    with tempfile.TemporaryDirectory(prefix="ft-bench-") as folder, Instance(f"ft-bench-{os.getpid()}") as instance:
        measure_header(top, folder, instance, rounds, count)
        measure_stdin(ft, folder, instance, rounds, count)

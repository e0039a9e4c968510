#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs and loses, with ft and trace-cmd in turn; ./dev bench runs it in the guest and here.

usage: tests/bench/record.py FT WORKLOAD FOLDER [--rounds N] [--times N] [--buffers KIB,...] [--no-trace-cmd]
"""

import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from measure import CLEAN, Table, best, number, ratio, spend  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="record.py")
    parser.add_argument("ft")
    parser.add_argument("workload")
    parser.add_argument("folder", help="where the recordings go")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", type=int, default=6000, help="1 MiB taken and given back, on each CPU")
    parser.add_argument("--buffers", default="256,1408", help="sizes in KiB")
    parser.add_argument("--no-trace-cmd", action="store_true")
    return parser.parse_args()


class Recorder:
    """How to ask one program for a recording."""

    def __init__(self, name, argv, own, all_cpus, buffer):
        self.name, self.argv, self.own, self.all, self.buffer = name, argv, own, all_cpus, buffer

    def command(self, out, options, command, kib=None):
        size = self.buffer(kib) if kib else []
        return [*self.argv, *self.all, *size, "-o", out, *options, *command]


def recorders(args):
    ft = Recorder("ft", [args.ft, "record", "-q"], ("ft", "ft-guardian"), ["-a"], lambda kib: ["-b", f"{kib}k"])
    if args.no_trace_cmd:
        return [ft]
    none = Recorder("trace-cmd", ["trace-cmd", "record", "-q", "--compression", "none"], ("trace-cmd",), [],
                    lambda kib: ["-b", str(kib)])
    zstd = Recorder("trace-cmd zstd", ["trace-cmd", "record", "-q", "--compression", "zstd"], ("trace-cmd",), [],
                    lambda kib: ["-b", str(kib)])
    return [ft, none, zstd]


def text_of(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=CLEAN).stdout.decode(
        errors="replace")


def statistics(args, path):
    """Events read, events lost, bytes of trace data, by the kernel's counters that are in the file."""
    text = text_of([args.ft, "report", "--stat", path])

    def total(pattern):
        return sum(int(n) for n in re.findall(pattern, text, re.M))

    return (total(r"^read events: (\d+)"), total(r"^(?:overrun|dropped events): (\d+)"),
            total(r"^\s*(\d+) bytes in size"))


def check(argv, cost, errors):
    if cost.status:
        with open(errors, errors="replace") as f:
            sys.exit(f"bench: {' '.join(argv)} ended with {cost.status}: {f.read()[-1000:]}")


class Loss:
    """One recording of the workload that takes and gives back pages on all CPUs."""

    def __init__(self, args, recorder, kib):
        path, bill, errors = args.folder + "/bench.dat", args.folder + "/bill", args.folder + "/errors"
        argv = recorder.command(path, ["-e", "kmem"], [args.workload, "kmem", str(args.times), "/tmp", bill], kib)
        cost = spend(argv, errors=errors)
        check(argv, cost, errors)
        with open(bill) as f:
            begin, end, work_cpu = map(float, f.read().split())
        self.read, self.lost, self.bytes = statistics(args, path)
        self.cpu = cost.cpu - work_cpu
        self.work = end - begin
        self.finish = cost.end - end
        self.memory = cost.memory
        os.unlink(path)

    def share(self):
        return 100 * self.lost / (self.read + self.lost or 1)


def measure_losses(args):
    table = Table(f"record -e kmem, every CPU takes and gives back 1 MiB {args.times} times; {args.rounds} rounds",
                  "program", "buffer", "events", "lost: of", "min %", "max %", "CPU s", "data MB", "CPU s/GB",
                  "ratio", "start+end", "work s")
    for kib in map(int, args.buffers.split(",")):
        runs = {}
        for _ in range(args.rounds):
            for recorder in recorders(args):
                runs.setdefault(recorder.name, []).append(Loss(args, recorder, kib))
        # What zstd makes of it says nothing about the events' own bytes.
        per_gb = {name: min((r.cpu / (r.bytes / 1e9) for r in all_runs if r.bytes), default=0)
                  for name, all_runs in runs.items() if "zstd" not in name}
        for name, all_runs in runs.items():
            cpu = min(r.cpu for r in all_runs)
            middle = sorted(all_runs, key=lambda r: r.lost)[len(all_runs) // 2]
            shares = [r.share() for r in all_runs]
            size = max(r.bytes for r in all_runs)
            table.row(name, f"{kib}K", number(middle.read), number(middle.lost), f"{min(shares):.2f}",
                      f"{max(shares):.2f}", f"{cpu:.2f}", f"{size / 1e6:.0f}",
                      f"{per_gb[name]:.2f}" if name in per_gb else "-",
                      ratio(per_gb[name], per_gb["ft"]) if name in per_gb else "-",
                      f"{min(r.finish for r in all_runs):.2f}", f"{min(r.work for r in all_runs):.2f}")


def measure_start(args, title, options):
    """A recording in which next to nothing happens: what remains is to begin and to end."""
    table = Table(f"start and stop: record {title}, of true; {args.rounds} rounds", "program", "wall s", "CPU s",
                  "ratio", "peak MB")
    path, errors = args.folder + "/bench.dat", args.folder + "/errors"
    costs = {}
    for _ in range(args.rounds):
        for recorder in recorders(args):
            argv = recorder.command(path, options, ["true"])
            cost = spend(argv, errors=errors)
            check(argv, cost, errors)
            costs.setdefault(recorder.name, []).append(cost)
    ours = best(costs["ft"], "wall")
    for name, all_costs in costs.items():
        wall = best(all_costs, "wall")
        table.row(name, f"{wall:.3f}", f"{best(all_costs):.3f}", ratio(wall, ours),
                  f"{max(c.memory for c in all_costs) / 1024:.0f}")


def own_share(args, path, own):
    lines = mine = 0
    names = re.compile(rf"\s*(?:{'|'.join(own)})-\d+ ")
    with subprocess.Popen([args.ft, "report", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=CLEAN, text=True, errors="replace") as report:
        for line in report.stdout:
            lines += 1
            mine += bool(names.match(line))
    return lines, mine


def measure_own_events(args, title, options):
    table = Table(f"the recorder's own events: record {title}, whole system, of sleep 1", "program", "events", "own",
                  "own %")
    path, errors = args.folder + "/bench.dat", args.folder + "/errors"
    for recorder in recorders(args)[:2]:
        argv = recorder.command(path, options, ["sleep", "1"], 4096)
        check(argv, spend(argv, errors=errors), errors)
        lines, mine = own_share(args, path, recorder.own)
        table.row(recorder.name, number(lines), number(mine), f"{100 * mine / (lines or 1):.1f}")


def has_tracer(name):
    """Listed and allowed: a locked-down kernel lists it and refuses the rest."""
    tracing = "/sys/kernel/tracing/"
    try:
        with open(tracing + "available_tracers") as f, open(tracing + "available_filter_functions"):
            return name in f.read().split()
    except OSError:
        return False


def main():
    args = arguments()
    measure_start(args, "-e sched_process_exec", ["-e", "sched_process_exec"])
    if has_tracer("function"):
        measure_start(args, "-p function -l vfs_statx", ["-p", "function", "-l", "vfs_statx"])
    # Told by the name: not where other people's ft may run.
    if not args.no_trace_cmd:
        measure_own_events(args, "-e sched -e syscalls", ["-e", "sched", "-e", "syscalls"])
    measure_losses(args)
    # Last: in an emulated guest trace-cmd may be busy for ever with recording what it does itself.
    if has_tracer("function") and not args.no_trace_cmd:
        measure_own_events(args, "-p function", ["-p", "function"])


if __name__ == "__main__":
    main()

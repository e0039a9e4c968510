#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections, profiles and filters of markers in files of both byte orders and sizes of a long: the same numbers."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import FT, check, done  # noqa: E402
from tracedat import TraceFile  # noqa: E402

KERNELS = (("le64", "<", 8), ("be64", ">", 8), ("le32", "<", 4), ("be32", ">", 4))


def make(order, long_size):
    t = TraceFile(order, long_size, cpus=2)
    t.add_print()
    t.add_format("lab", "lab_ev", 77, [("u16 port", 8, 2, 0), ("s16 delta", 10, 2, 1), ("u32 n", 12, 4, 0)],
                 '"port=%u delta=%d n=%u", REC->port, REC->delta, REC->n')
    t.cmdlines = "100 lab-a\n200 lab b\n"
    for i in range(5):
        start = 1000000000 + i * 1000000
        t.mark(0, start, 100, "B|100|decode\n")
        t.mark(0, start + 1000, 100, "B|100|inner\n")
        t.add(0, start + 1500, 100, 77, t.pack("HhI", 443 + i, -i, 3000000000 + i))
        t.mark(0, start + 2000, 100, "E|100\n")
        t.mark(0, start + 10000 * (i + 1), 100, "E|100\n")
        t.mark(1, start, 200, f"S|200|async|{i}\n")
        t.mark(1, start + 500000, 200, f"F|200|async|{i}\n")
    return t


def ask(path, *options):
    r = subprocess.run([FT, "report", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    return r.stdout, r.stderr, r.returncode


def check_stack(name, order, long_size, path):
    """The kernel declares eight frames and stores two: what lies behind them is none. Of two names the first holds."""
    f = TraceFile(order, long_size)
    first = 12 if long_size == 4 else 16
    f.add_format("ftrace", "kernel_stack", 4, [("int size", 8, 4, 1), ("unsigned long caller[8]", first, 8 * long_size, 0)],
                 '"\\t=> %ps", (void *)REC->caller[0]')
    f.cmdlines = "7 one\n9 other\n7 two\n"
    frames = f.pack("LL", 0x11223344, 0x55667788)
    f.add(0, 1000000000, 7, 4, f.pack("i", 2) + bytes(first - 12) + frames)
    f.write(path)
    line = ask(path, "-R")[0].splitlines()[1]
    want = f"size=2 caller=ARRAY[{', '.join(f'{b:02x}' for b in frames)}]"
    check(line.endswith(want) and line.split("-7 ")[0].strip() == "one", f"{name}: the frames that are there", line, want)


def main():
    questions = (("--sections", "--tsv"), ("--sections", "--json"), (), ("-R",), ("-t", "-e", "lab"),
                 ("-F", "lab_ev: delta < -2 || n == 3000000001"), ("--inside", "inner"), ("--between", "lab_ev", "lab_ev", "--tsv"),
                 ("--stats",), ("--first-event", "--last-event"))
    first = {}
    with tempfile.TemporaryDirectory(prefix="ft-orders-") as folder:
        for name, order, long_size in KERNELS:
            path = os.path.join(folder, "trace.dat")
            make(order, long_size).write(path)
            for question in questions:
                answer = ask(path, *question)
                if name == "le64":
                    first[question] = answer
                    check(answer[2] == 0 and answer[0], f"ft report {' '.join(question)}", *answer)
                check(answer == first[question], f"{name}: ft report {' '.join(question)}", *answer, "le64:", *first[question])
            rows = json.loads(ask(path, "--sections", "--json")[0])
            check("decode" in json.dumps(rows), f"{name}: the JSON is valid")
            check(ask(path, "--check")[2] == 0, f"{name}: the file is sound", *ask(path, "--check"))
            check_stack(name, order, long_size, path)
    text = first[("-F", "lab_ev: delta < -2 || n == 3000000001")][0]
    check([line.split("port=")[1] for line in text.splitlines()[1:]] ==
          ["444 delta=-1 n=3000000001", "446 delta=-3 n=3000000003", "447 delta=-4 n=3000000004"], "the filter is right", text)
    rows = [line.split("\t") for line in first[("--sections", "--tsv")][0].splitlines()]
    at = {name: i for i, name in enumerate(rows[0])}
    got = {row[at["name"]]: (int(row[at["count"]]), int(row[at["total_ns"]])) for row in rows[1:] if row[0]}
    check(got == {"decode": (5, 150000), "inner": (5, 5000), "async": (5, 2500000)}, "the sections are right", got)
    done()


main()

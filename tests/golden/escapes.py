#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and texts with control bytes, as any task or file can have: none reaches the terminal, JSON stays JSON."""

import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import FT, TOP, check, done  # noqa: E402
from tracedat import TraceFile  # noqa: E402

DAT_CPUSTAT, DAT_UNAME = 2, 5


def make(path):
    t = TraceFile()
    t.add_print()
    t.add_format("sched", "sched_switch", 9, [
        ("char prev_comm[16]", 8, 16, 0), ("pid_t prev_pid", 24, 4, 1), ("int prev_prio", 28, 4, 1),
        ("long prev_state", 32, 8, 1), ("char next_comm[16]", 40, 16, 0), ("pid_t next_pid", 56, 4, 1),
        ("int next_prio", 60, 4, 1)], '"prev_comm=%s", REC->prev_comm')
    t.add_format("lab", "ev", 10, [("int a", 8, 4, 1), ("char raw[8]", 12, 8, 0)], '"a=%d \x1b[31m%s", REC->a, REC->raw')
    t.add(0, 1000000000, 7, 9, b"new\nline".ljust(16, b"\0") + struct.pack("<iiq", 7, 120, 0)
          + b"red\x1b[31m\xff\xc2\x9b".ljust(16, b"\0") + struct.pack("<ii", 8, 120))
    for at, pid in enumerate((7, 8, 100)):
        t.mark(0, 1000001000 + at * 10, pid, "B|1|a\"\x1b\\\x07")
        t.mark(0, 1000001005 + at * 10, pid, "E|1")
    t.add(0, 1000003000, 8, 10, struct.pack("<i", 5) + b"\r\x7f\x1bc\xe9\n\0\0")
    t.cmdlines = '100 we"ird\x1b\\\t\n'
    t.options = [(DAT_CPUSTAT, b"CPU: 0\nentries: 0\x1b[31m\n\0"), (DAT_UNAME, b"Linux \x1b[31m host\0")]
    t.write(path)


def is_safe(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any((c < " " and c not in "\n\t") or "\x7f" <= c < "\xa0" for c in text)


def main():
    with tempfile.TemporaryDirectory(prefix="ft-escapes-") as folder:
        path = os.path.join(folder, "trace.dat")
        make(path)
        for option in ("", "-R", "-l", "-t", "--ts-diff", "--events", "--stat", "--uname", "--stats", "--first-event",
                       "--sections", "--sections --tsv", "--sections --json", "--profile --json", "--check",
                       "--between print print --json", "--between print print"):
            r = subprocess.run([FT, "report", *option.split(), path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            check(r.returncode in (0, 1) and r.stdout and is_safe(r.stdout) and is_safe(r.stderr),
                  f"ft report {option}", r.returncode, r.stdout, r.stderr)
            if "json" in option:
                check(json.loads(r.stdout), "... is JSON")
            if option in ("", "-R", "-l"):
                check(r.stdout.count(b"\n") == 9, "... has one line for each event", r.stdout)
            if option == "":
                for part in (rb"new\nline-7 ", rb"red\x1b[31m\xff\xc2\x9b-8 ", rb'we"ird\x1b\	-100 ',
                             rb"a=5 \x1b[31m\r\x7f\x1bc\xe9" b"\n"):
                    check(part in r.stdout, f"... has {part}", r.stdout)
        with open(os.path.join(TOP, "tests/golden/files/le64-latency.dat"), "rb") as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data.replace(b"latency trace v1", b"laten\x1by trace v1"))
        r = subprocess.run([FT, "report", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(rb"laten\x1by trace" in r.stdout and is_safe(r.stdout), "the text of a latency tracer", r.stdout, r.stderr)
    done()


main()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of version 7, plain and compressed: what lies before a cut is printed, and counts and sizes that cannot be are told."""

import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import FT, check, done  # noqa: E402
from tracedat import BUFFER, TraceFile  # noqa: E402

PAGE, EVENTS = 4096, 400
RECORD = 24  # bytes of an event, with its header


def recording(order, long_size):
    f = TraceFile(order, long_size, cpus=2, page_size=PAGE)
    f.add_print()
    f.add_format("test", "num", 10, [("int a", 8, 4, 1), ("char b[8]", 12, 8, 0)], '"a=%d b=%s", REC->a, REC->b')
    f.cmdlines = "100 lab alpha\n200 beta\n"
    for cpu in (0, 1):
        for i in range(EVENTS):
            f.add(cpu, 1000000000 + i * 1000 + cpu * 500, 100 + cpu * 100, 10, f.pack("i8s", i, b"x%d" % i))
    return f


def sections(data, order):
    """Kind, offset and end of each."""
    at = data.index(b"\0", data.index(b"\0", 18) + 1) + 9
    found = []
    while at < len(data):
        kind, _, _, size = struct.unpack_from(order + "HHiQ", data, at)
        found.append((kind, at, at + 16 + size))
        at += 16 + size
    return found


def places(data, compression, buffer, pages, pack):
    """How many events lie before which offset: the end of each page or chunk."""
    ends, total = [], 0
    at = buffer + 16 + -(buffer + 16) % PAGE
    for of_cpu in pages:
        step = 1 if compression == "none" else 2
        at += 0 if compression == "none" else 4
        for first in range(0, len(of_cpu), step):
            total += sum(of_cpu[first:first + step])
            at += PAGE if compression == "none" else 8 + struct.unpack_from(pack, data, at)[0]
            ends.append((at, total))
        at += -at % PAGE
    return ends


def report(data):
    with tempfile.NamedTemporaryFile(suffix=".dat") as file:
        file.write(data)
        file.flush()
        ran = subprocess.run([FT, "report", file.name], capture_output=True, text=True, timeout=60, check=False)
    events = [line for line in ran.stdout.splitlines() if " num: " in line]
    return ran.returncode, events, ran.stderr


def check_cuts(name, f, data, compression):
    parts = sections(data, f.order)
    buffer = next(at for kind, at, _ in parts if kind == BUFFER)
    pages = [[struct.unpack_from(f.order + ("Q" if f.long_size == 8 else "I"), of_cpu, at + 8)[0] // RECORD
              for at in range(0, len(of_cpu), PAGE)] for of_cpu in map(f.pages, f.records)]
    ends = places(data, compression, buffer, pages, f.order + "I")
    _, whole, _ = report(data)
    check(len(whole) == ends[-1][1], f"{name}: the pages have its events")
    wrong = []
    cuts = {at for kind, at, _ in parts} | {at + 8 for _, at, _ in parts} | {end - 1 for _, _, end in parts}
    cuts |= {at + d for at, _ in ends for d in (-1, 0, 1)}
    for cut in sorted(cuts):
        # Nothing that is printed is in the last section, the names of the others.
        if cut >= len(data) or cut >= parts[-1][1]:
            continue
        least = max([n for at, n in ends if at <= cut], default=0)
        status, events, said = report(data[:cut])
        if status != 1 or len(events) < least or not said or set(events) - set(whole):
            wrong.append(f"cut at {cut} of {len(data)}: status {status}, {len(events)} events of {least}: {said[:300]}")
    check(not wrong, f"{name}: {len(cuts)} cuts", *wrong)


def put(data, at, *, order, number, letter="I"):
    raw = struct.pack(order + letter, number)
    return data[:at] + raw + data[at + len(raw):]


def check_numbers(name, data, order, compression):
    """A number of the container that cannot be: status 1 and a line, or all events all the same."""
    parts = sections(data, order)
    wrong, tried = [], 0
    _, whole, _ = report(data)
    fields = []
    for kind, at, end in parts:
        fields += [(at + 8, "Q"), (at, "H"), (at + 2, "H")]
        if kind != BUFFER:
            fields += [(at + 16, "I"), (at + 20, "I")]
        elif compression != "none":
            first = at + 16 + -(at + 16) % PAGE
            fields += [(first, "I"), (first + 4, "I"), (first + 8, "I")]
    # Not the size of a CPU's data: one without any is no fault.
    option = data.rindex(b"\0local\0") + 7
    fields += [(option, "I"), (option + 4, "I"), (option + 8, "I"), (option + 12, "Q")]
    for at, letter in fields:
        old = struct.unpack_from(order + letter, data, at)[0]
        top = (1 << 8 * struct.calcsize(letter if letter != "Q" else "<Q")) - 1
        for number in {0, top, top >> 1, old + 1 & top, old - 1 & top} - {old}:
            changed = put(data, at, order=order, number=number, letter=letter)
            status, events, said = report(changed)
            tried += 1
            if status not in (0, 1) or (status == 1) != bool(said) or (status == 0 and events != whole):
                wrong.append(f"{letter} at {at}: {old} as {number}: status {status}, {len(events)} events: {said[:300]}")
    check(not wrong, f"{name}: {tried} wrong numbers", *wrong)


for kind in ("none", "zlib", "zstd"):
    for order, long_size in (("<", 8), (">", 4)):
        name = f"{kind}, {'little' if order == '<' else 'big'} endian, {long_size * 8} bits"
        file = recording(order, long_size)
        data = file.to_bytes7(kind)
        status, events, said = report(data)
        check(status == 0 and len(events) == 2 * EVENTS and not said, f"{name}: whole", said)
        if order == "<":
            check_cuts(name, file, data, kind)
            check_numbers(name, data, order, kind)
done()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random flags, widths and precisions of numbers: a model of the kernel's vsnprintf() against the decoder.

usage: conversions.py [CASES [SEED]]    1500 cases, the same ones each time
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import TOP, check, done, skip_all  # noqa: E402

CASES = os.path.join(TOP, "build-dev", "tests", "unit", "unit-decode-cases")
FORMAT = """name: lab
ID: 77
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:u64 value;	offset:8;	size:8;	signed:0;
	field:s32 width;	offset:16;	size:4;	signed:1;
	field:s32 precision;	offset:20;	size:4;	signed:1;

print fmt: """
VALUES = [0, 1, 7, 8, 9, 255, 256, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 5]
LENGTHS = [("", 4), ("hh", 1), ("h", 2), ("l", 8), ("ll", 8), ("z", 8), ("L", 8), ("t", 8)]


def expected(value, size, conversion, flags, width, precision):
    """Step by step what number() of lib/vsprintf.c does."""
    value &= (1 << size * 8) - 1
    sign = prefix = ""
    if conversion in "di":
        if value >> (size * 8 - 1):
            sign, value = "-", (1 << size * 8) - value
        elif "+" in flags or " " in flags:
            sign = "+" if "+" in flags else " "
    if "#" in flags and conversion in "xX":
        prefix = "0" + conversion
    elif "#" in flags and conversion == "o" and value:
        prefix = "0"
    digits = format(value, conversion if conversion in "xXo" else "d").rjust(precision, "0")
    room = width - len(sign) - len(prefix) - len(digits)
    if "-" in flags:
        return sign + prefix + digits + " " * room
    if "0" in flags:
        return sign + prefix + "0" * room + digits
    return " " * room + sign + prefix + digits


def make_case(rng):
    """A print format, its record, and the text."""
    value = rng.choice(VALUES + [rng.getrandbits(64)])
    conversion, (length, size) = rng.choice("diuxXo"), rng.choice(LENGTHS)
    flags = "".join(rng.sample("-+ #0", rng.randrange(4)))
    field_width, field_precision = rng.choice([-12, -3, 0, 1, 5, 20]), rng.choice([-4, 0, 1, 3, 12])
    spec, arguments, width, precision, all_flags = "%" + flags, [], 0, 0, flags
    how = rng.randrange(3)
    if how == 1 and field_width:
        width = abs(field_width)
        spec += str(width)
    elif how == 2:
        width = abs(field_width)
        all_flags += "-" if field_width < 0 else ""
        spec += "*"
        arguments.append("REC->width")
    how = rng.randrange(4)
    if how == 1:
        precision = abs(field_precision)
        spec += f".{precision}"
    elif how == 2:
        precision = max(field_precision, 0)
        spec += ".*"
        arguments.append("REC->precision")
    elif how == 3 and rng.randrange(3) == 0:
        spec += "."
    print_format = ", ".join([f'"<{spec}{length}{conversion}>"', *arguments, "REC->value"])
    record = struct.pack("<HBBiQii", 77, 0, 0, 1, value, field_width, field_precision)
    return print_format, record, f"<{expected(value, size, conversion, all_flags, width, precision)}>"


def main():
    if not os.access(CASES, os.X_OK):
        skip_all(f"{CASES} is not built")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    cases = [make_case(rng) for _ in range(count)]
    with tempfile.TemporaryDirectory(prefix="ft-conversions-") as folder:
        for number, (print_format, record, text) in enumerate(cases):
            case = os.path.join(folder, f"{number:05}")
            os.mkdir(case)
            for part, content in (("format", FORMAT + print_format + "\n"), ("record.hex", record.hex()),
                                  ("expected", text + "\n"),
                                  ("notes", "endian: little\nlong: 8 bytes\nkind: value\n")):
                with open(os.path.join(case, part), "w", encoding="ascii") as f:
                    f.write(content)
        r = subprocess.run([CASES, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="ascii",
                           errors="replace")
    lines = r.stdout.splitlines()
    good = sum(line.startswith("ok ") for line in lines)
    wrong = ["\n".join([cases[int(line.split()[2])][0], *lines[at + 1:at + 3]])
             for at, line in enumerate(lines) if line.startswith("not ok ")]
    check(r.returncode in (0, 1), "no case ends the decoder", r.stderr)
    check(good + len(wrong) == count, f"all {count} cases are answered", r.stdout[-300:])
    check(not wrong, "the decoder prints what the kernel does", *wrong[:20])
    done()


main()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print formats in all their variety: each line of prints.txt against one record with fields of every kind."""

import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import TOP, check, done, skip_all  # noqa: E402

CASES = os.path.join(TOP, "build-dev", "tests", "unit", "unit-decode-cases")
COMMON = (("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
          ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1))
KALLSYMS = "ffffffff81000000 T lab_start\nffffffff81001000 T lab_end\n"
# Declaration, signed, bytes; those of dynamic fields lie behind the others.
FIELDS = (
    ("s8 a8", 1, struct.pack("<b", -5)), ("u8 b8", 0, b"\xf0"), ("s16 a16", 1, struct.pack("<h", -300)),
    ("u16 b16", 0, struct.pack("<H", 40000)), ("int a32", 1, struct.pack("<i", -70000)),
    ("u32 b32", 0, struct.pack("<I", 3000000000)), ("s64 a64", 1, struct.pack("<q", -5000000000)),
    ("u64 b64", 0, struct.pack("<Q", 0x8000000000000001)), ("char name[8]", 0, b"abc\0xyz\0"),
    ("u8 mac[6]", 0, bytes((0, 0x1b, 0x21, 0xaa, 0xbb, 0xcc))), ("u16 arr16[3]", 0, struct.pack("<3H", 1, 2, 65535)),
    ("int arr32[2]", 0, struct.pack("<2i", -1, 7)), ("__u8 ip4[4]", 0, bytes((10, 0, 0, 1))), ("bool flag", 0, b"\1"),
    ("u8 zero", 0, b"\0"), ("void * ptr", 0, struct.pack("<Q", 0xffffffff81000010)),
    ("__u8 uuid[16]", 0, bytes(range(16))), ("u32 dev", 0, struct.pack("<I", 8 << 20 | 1)), ("char ch", 1, b"Q"),
    ("unsigned long ul", 0, struct.pack("<Q", 1 << 40)),
    ("__data_loc char[] dyn", 0, b"hello\0"), ("__data_loc u32[] darr", 0, struct.pack("<3I", 1, 0x10, 4294967295)),
    ("__rel_loc char[] rel", 0, b"relative\0"), ("__data_loc u8[] bytes", 0, bytes((0xde, 0xad, 0xbe, 0xef))),
    ("__rel_loc u16[] relarr", 0, struct.pack("<2H", 5, 6)),
)


def is_dynamic(declaration):
    return declaration.startswith(("__data_loc", "__rel_loc"))


def make_record():
    """The fields as lines of a format, and the record."""
    rows, record, places = list(COMMON), bytearray(struct.pack("<HBBi", 77, 0, 0, 225)), []
    for declaration, signed, data in FIELDS:
        if is_dynamic(declaration):
            record += bytes(-len(record) % 4)
            places.append((len(record), declaration.startswith("__rel_loc"), data))
            data = bytes(4)
        elif "[" not in declaration:
            record += bytes(-len(record) % len(data))
        rows.append((declaration, len(record), len(data), signed))
        record += data
    for at, relative, data in places:
        offset = len(record) - (at + 4 if relative else 0)
        record[at:at + 4] = struct.pack("<I", len(data) << 16 | offset)
        record += data
    lines = [f"\tfield:{d};\toffset:{o};\tsize:{s};\tsigned:{n};\n" for d, o, s, n in rows]
    return "".join(lines[:4]) + "\n" + "".join(lines[4:]), bytes(record)


def write_case(folder, number, print_format, text):
    fields, record = make_record()
    folder = os.path.join(folder, f"{number:03}")
    os.mkdir(folder)
    for name, content in (("format", f"name: lab\nID: 77\nformat:\n{fields}\nprint fmt: {print_format}\n"),
                          ("record.hex", record.hex()), ("expected", text + "\n"), ("kallsyms", KALLSYMS),
                          ("notes", "endian: little\nlong: 8 bytes\nkind: value\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(content)


def main():
    if not os.access(CASES, os.X_OK):
        skip_all(f"{CASES} is not built")
    with open(os.path.join(TOP, "tests/golden/prints.txt"), encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if line[0] == '"']
    with tempfile.TemporaryDirectory(prefix="ft-prints-") as folder:
        for number, line in enumerate(lines):
            write_case(folder, number, *line.split(" ==> "))
        r = subprocess.run([CASES, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                           errors="replace")
    said = {int(line.split(" (")[0].split()[-1]): line for line in r.stdout.splitlines()
            if line.startswith(("ok ", "not ok "))}
    for number, line in enumerate(lines):
        check(said.get(number, "").startswith("ok "), line, *([] if number else [r.stderr]))
    check(r.returncode in (0, 1), "no case ends the program", r.stderr)
    if r.returncode:
        print("\n".join("# " + line for line in r.stdout.splitlines() if not line.startswith("ok")))
    done()


main()

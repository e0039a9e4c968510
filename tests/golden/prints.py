#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print formats in all their variety: each line of prints.txt against one record with fields of every kind, of kernels of
both byte orders and sizes of a long."""

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
# The kernels that record: name, byte order, bytes of a long.
KERNELS = (("le64", "<", 8), ("be64", ">", 8), ("le32", "<", 4), ("be32", ">", 4))
START = 0xffffffff81000000
# Declaration, signed, and the value: the letters of struct.pack() with numbers, or bytes; L is the kernel's long.
# Those of dynamic fields lie behind the others.
FIELDS = (
    ("s8 a8", 1, "b", -5), ("u8 b8", 0, "B", 0xf0), ("s16 a16", 1, "h", -300), ("u16 b16", 0, "H", 40000),
    ("int a32", 1, "i", -70000), ("u32 b32", 0, "I", 3000000000), ("s64 a64", 1, "q", -5000000000),
    ("u64 b64", 0, "Q", 0x8000000000000001), ("char name[8]", 0, b"abc\0xyz\0"),
    ("u8 mac[6]", 0, bytes((0, 0x1b, 0x21, 0xaa, 0xbb, 0xcc))), ("u16 arr16[3]", 0, "3H", 1, 2, 65535),
    ("int arr32[2]", 0, "2i", -1, 7), ("__u8 ip4[4]", 0, bytes((10, 0, 0, 1))), ("bool flag", 0, b"\1"),
    ("u8 zero", 0, b"\0"), ("void * ptr", 0, "L", START + 0x10), ("__u8 uuid[16]", 0, bytes(range(16))),
    ("u32 dev", 0, "I", 8 << 20 | 1), ("char ch", 1, b"Q"), ("unsigned long ul", 0, "L", 1 << 40),
    ("__data_loc char[] dyn", 0, b"hello\0"), ("__data_loc u32[] darr", 0, "3I", 1, 0x10, 4294967295),
    ("__rel_loc char[] rel", 0, b"relative\0"), ("__data_loc u8[] bytes", 0, bytes((0xde, 0xad, 0xbe, 0xef))),
    ("__rel_loc u16[] relarr", 0, "2H", 5, 6),
    ("struct rtc_time tm", 0, "9i", 7, 34, 2, 3, 10, 126, 0, 0, 0), ("time64_t t64", 1, "q", 1764729247),
    ("struct timespec64 ts", 0, "qL", 1764729247, 5000000), ("time64_t before", 1, "q", -1),
    ("struct rtc_time odd", 0, "9i", 100, -1, 2, 3, 10, 20000, 0, 0, 0),
    ("u8 raw[12]", 0, b'ab\n\t\\"\x1b\0\x80\x01zz'), ("void * dentry", 0, "L", 0xffff888012345678),
)


def is_dynamic(declaration):
    return declaration.startswith(("__data_loc", "__rel_loc"))


def pack(order, long_size, value):
    if isinstance(value[0], bytes):
        return value[0]
    letters, numbers = value[0], tuple(value[1:])
    if "L" in letters:
        letters = letters.replace("L", "Q" if long_size == 8 else "I")
        numbers = numbers[:-1] + (numbers[-1] & ((1 << long_size * 8) - 1),)
    return struct.pack(order + letters, *numbers)


def make_record(order, long_size):
    """The fields as lines of a format, and the record."""
    rows, record, places = list(COMMON), bytearray(struct.pack(order + "HBBi", 77, 0, 0, 225)), []
    for declaration, signed, *value in FIELDS:
        data = pack(order, long_size, value)
        if is_dynamic(declaration):
            record += bytes(-len(record) % 4)
            places.append((len(record), declaration.startswith("__rel_loc"), data))
            data = bytes(4)
        elif "[" not in declaration:
            record += bytes(-len(record) % (len(data) if len(data) <= 8 else 4))
        rows.append((declaration, len(record), len(data), signed))
        record += data
    for at, relative, data in places:
        offset = len(record) - (at + 4 if relative else 0)
        record[at:at + 4] = struct.pack(order + "I", len(data) << 16 | offset)
        record += data
    lines = [f"\tfield:{d};\toffset:{o};\tsize:{s};\tsigned:{n};\n" for d, o, s, n in rows]
    return "".join(lines[:4]) + "\n" + "".join(lines[4:]), bytes(record)


def read_lines(path):
    """Print formats with a text for each kernel, and the line itself."""
    cases = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line[0] == '"':
                print_format, text = line.rstrip("\n").split(" ==> ")
                cases.append((print_format, {kernel: text for kernel, _, _ in KERNELS}))
            elif line[0] == "@":
                names, text = line[1:].rstrip("\n").split(" ==> ")
                cases[-1][1].update((kernel, text) for kernel, _, _ in KERNELS
                                    if any(name in kernel for name in names.split()))
    return cases


def write_case(folder, kernel, print_format, text):
    name, order, long_size = kernel
    fields, record = make_record(order, long_size)
    start = START & ((1 << long_size * 8) - 1)
    kind = "contains:" + text[1:] if text[0:1] == "~" else "value"
    os.mkdir(folder)
    for part, content in (("format", f"name: lab\nID: 77\nformat:\n{fields}\nprint fmt: {print_format}\n"),
                          ("record.hex", record.hex()), ("expected", text + "\n"),
                          ("kallsyms", f"{start:x} T lab_start\n{start + 0x1000:x} T lab_end\n"),
                          ("notes", f"endian: {'big' if order == '>' else 'little'}\nlong: {long_size} bytes\nkind: {kind}\n")):
        with open(os.path.join(folder, part), "w", encoding="utf-8") as f:
            f.write(content)


def run_cases(cases, kernel):
    with tempfile.TemporaryDirectory(prefix="ft-prints-") as folder:
        for number, (print_format, texts) in enumerate(cases):
            if texts[kernel[0]] == "-":
                continue
            write_case(os.path.join(folder, f"{number:03}"), kernel, print_format, texts[kernel[0]])
        r = subprocess.run([CASES, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                           errors="replace")
    said = {}
    for line in r.stdout.splitlines():
        if line.startswith(("ok ", "not ok ")):
            number = int(line.split(" (")[0].split()[-1])
            said[number] = [line]
        elif said:
            said[number].append(line)
    for number, (print_format, texts) in enumerate(cases):
        if texts[kernel[0]] == "-":
            continue
        lines = said.get(number, [""])
        check(lines[0].startswith("ok "), f"{kernel[0]}: {print_format} ==> {texts[kernel[0]]}", *lines[1:])
    check(r.returncode in (0, 1), f"{kernel[0]}: no case ends the program", r.stderr)


def main():
    if not os.access(CASES, os.X_OK):
        skip_all(f"{CASES} is not built")
    cases = read_lines(os.path.join(TOP, "tests/golden/prints.txt"))
    for kernel in KERNELS:
        run_cases(cases, kernel)
    done()


main()

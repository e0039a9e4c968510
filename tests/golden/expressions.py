#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random print formats, as C: the compiler's own evaluation against that of the decoder.

usage: expressions.py [CASES [SEED]]    1500 cases, the same ones each time
"""

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import TOP, check, done, skip_all  # noqa: E402

CASES = os.path.join(TOP, "build-dev", "tests", "unit", "unit-decode-cases")
COMMON = (("unsigned short", "common_type", "", 2, 0), ("unsigned char", "common_flags", "", 1, 0),
          ("unsigned char", "common_preempt_count", "", 1, 0), ("int", "common_pid", "", 4, 1))
# Type, name, what follows the name, bytes, signed.
FIELDS = (
    ("s8", "a8", "", 1, 1), ("u8", "b8", "", 1, 0), ("s16", "a16", "", 2, 1), ("u16", "b16", "", 2, 0),
    ("int", "a32", "", 4, 1), ("u32", "b32", "", 4, 0), ("s64", "a64", "", 8, 1), ("u64", "b64", "", 8, 0),
    ("long", "al", "", 8, 1), ("unsigned long", "bl", "", 8, 0), ("char", "ch", "", 1, 1), ("bool", "flag", "", 1, 0),
    ("short", "as", "", 2, 1), ("unsigned int", "bi", "", 4, 0), ("size_t", "bz", "", 8, 0), ("pid_t", "pid", "", 4, 1),
    ("u8", "v8", "[4]", 4, 0), ("s16", "v16", "[4]", 8, 1), ("u32", "v32", "[4]", 16, 0), ("s64", "v64", "[4]", 32, 1),
    ("char", "name", "[8]", 8, 1), ("u32", "__data_loc_dyn", "", 4, 0), ("u32", "__data_loc_list", "", 4, 0),
)
NUMBERS = [f[1] for f in FIELDS if not f[2] and not f[1].startswith("__")]
ARRAYS = ["v8", "v16", "v32", "v64"]
TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "int", "unsigned int", "long", "unsigned long", "char",
         "unsigned char", "bool", "size_t", "short", "unsigned short", "long long", "unsigned long long", "pid_t"]
EDGES = [0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 64, 100, 127, 128, 200, 255, 256, 1000, 32767, 32768, 40000, 65535,
         65536, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
         0xffffffffffffffff, 0xfffffffffffffffb, 0xffffffff80000000]

PRELUDE = r"""
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
typedef uint8_t u8; typedef int8_t s8; typedef uint16_t u16; typedef int16_t s16;
typedef uint32_t u32; typedef int32_t s32; typedef unsigned long long u64; typedef long long s64;
struct name { unsigned long mask; const char *text; };
static char room[8][512];
static unsigned int turn;
static char *take(void) { char *at = room[turn++ % 8]; *at = 0; return at; }
/* What the kernel's trace_print_flags_seq() and trace_print_symbols_seq() do. */
static const char *flags(const char *delimiter, unsigned long left, const struct name *name)
{
	char *out = take();
	bool first = true;

	for (; name->text && left; name++) {
		if ((left & name->mask) != name->mask)
			continue;
		if (!first) strcat(out, delimiter);
		first = false;
		strcat(out, name->text);
		left &= ~name->mask;
	}
	if (left) {
		if (!first) strcat(out, delimiter);
		sprintf(out + strlen(out), "0x%lx", left);
	}
	return out;
}
static const char *symbol(unsigned long value, const struct name *name)
{
	char *out = take();

	for (; name->text; name++)
		if (value == name->mask) { strcpy(out, name->text); break; }
	if (!*out) sprintf(out, "0x%lx", value);
	return out;
}
static const char *numbers(const void *at, int count, int size)
{
	char *out = take();
	const char *prefix = "";

	strcat(out, "{");
	for (int i = 0; i < count; i++, at += size, prefix = ",") {
		u64 v = size == 1 ? *(u8 *)at : size == 2 ? *(u16 *)at : size == 4 ? *(u32 *)at : *(u64 *)at;
		sprintf(out + strlen(out), "%s0x%llx", prefix, v);
	}
	return strcat(out, "}");
}
static const char *hex(const u8 *at, int count, const char *between)
{
	char *out = take();

	for (int i = 0; i < count; i++)
		sprintf(out + strlen(out), "%s%02x", i ? between : "", at[i]);
	return out;
}
#define __print_flags(v, d, ...) flags(d, v, (struct name[]){__VA_ARGS__, {0, 0}})
#define __print_symbolic(v, ...) symbol(v, (struct name[]){__VA_ARGS__, {0, 0}})
#define __print_array(a, n, s) numbers(a, n, s)
#define __print_hex(a, n) hex((const u8 *)(a), n, " ")
#define __print_hex_str(a, n) hex((const u8 *)(a), n, "")
#define __get_dynamic_array(f) ((void *)((char *)REC + (REC->__data_loc_##f & 0xffff)))
#define __get_dynamic_array_len(f) (REC->__data_loc_##f >> 16)
#define __get_str(f) ((char *)__get_dynamic_array(f))
#define abs1(x, t, other) __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(x), signed t) || \
	__builtin_types_compatible_p(__typeof__(x), unsigned t), ({ signed t __x = (x); __x < 0 ? -__x : __x; }), other)
#define abs(x) abs1(x, long long, abs1(x, long, abs1(x, int, abs1(x, short, abs1(x, char, \
	__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(x), char), \
	(char)({ signed char __x = (x); __x < 0 ? -__x : __x; }), ({ int __x = (x); __x < 0 ? -__x : __x; })))))))
"""


class Maker:
    """Makes expressions that C defines, given that numbers wrap around."""

    def __init__(self, rng):
        self.rng = rng

    def literal(self):
        rng = self.rng
        n = rng.choice(EDGES)
        kind = rng.randrange(8)
        if kind == 0:
            return "'" + rng.choice("aZ0 ~") + "'"
        suffix = rng.choice(["", "", "", "U", "L", "UL", "ULL", "LL", "u"])
        if n > 0x7fffffffffffffff and "U" not in suffix.upper():
            suffix = "ULL"
        return (hex(n) if kind < 4 else "0" + oct(n)[2:] if kind == 4 and n else str(n)) + suffix

    def leaf(self, depth):
        rng = self.rng
        kind = rng.randrange(14)
        if kind < 7:
            return "REC->" + rng.choice(NUMBERS)
        if kind < 10:
            return self.literal()
        if kind == 10:
            return f"REC->{rng.choice(ARRAYS)}[{rng.randrange(4)}]"
        if kind == 11:
            return f"REC->{rng.choice(ARRAYS)}[({self.number(depth - 1)}) & 3]" if depth > 0 else "REC->v8[1]"
        if kind == 12:
            return rng.choice([f"sizeof({rng.choice(TYPES)})", f"sizeof(REC->{rng.choice(NUMBERS + ARRAYS)})",
                               "__get_dynamic_array_len(dyn)", "__get_dynamic_array_len(list)"])
        return rng.choice([f"((u32 *)__get_dynamic_array(list))[{rng.randrange(3)}]",
                           f"((s16 *)__get_dynamic_array(list))[{rng.randrange(6)}]",
                           f"*(u16 *)&REC->v16[{rng.randrange(4)}]", f"*((s8 *)REC->name + {rng.randrange(8)})",
                           "*(s32 *)REC->v32", f"REC->name[{rng.randrange(8)}]"])

    def number(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.leaf(0)
        a = self.number(depth - 1)
        kind = rng.randrange(20)
        if kind < 3:
            return self.leaf(depth)
        if kind == 3:
            return rng.choice(["-", "~", "!", "+", "- ", "!!"]) + self.operand(depth - 1)
        if kind == 4:
            return f"({rng.choice(TYPES)}){self.operand(depth - 1)}"
        if kind == 5:
            return f"({a} {rng.choice(['<<', '>>'])} (({self.number(depth - 1)}) & {rng.choice([7, 15, 31])}))"
        if kind == 6:
            return f"({a} {rng.choice('/%')} ((({self.number(depth - 1)}) & 15) + 1))"
        if kind == 7:
            return f"({a} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
        if kind == 8:
            return f"({a} ?: {self.number(depth - 1)})"
        if kind == 9:
            return f"({a})"
        if kind == 10:
            return f"({a} ? {self.number(depth - 1)} : {self.number(depth - 1)} ? {self.number(depth - 1)} : {self.literal()})"
        if kind == 11:
            return f"abs({a})"
        op = rng.choice(["+", "-", "*", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "-", "+", "&"])
        return f"{a} {op} {self.number(depth - 1)}"

    def operand(self, depth):
        """What a unary operator or a cast binds to."""
        return self.leaf(depth) if self.rng.randrange(3) else f"({self.number(depth)})"

    def table(self, is_flags):
        rows, seen = [], set()
        for i in range(self.rng.randrange(1, 5)):
            value = self.rng.choice([1 << self.rng.randrange(32), self.rng.choice(EDGES[1:])])
            if value in seen or (is_flags and not value):
                continue
            seen.add(value)
            rows.append(f"{{ {hex(value)}{'UL' if value > 0x7fffffff else ''}, \"{self.rng.choice(['UP', 'a b', 'x|y', 'N'])}{i}\" }}")
        return ", ".join(rows)

    def text(self, depth):
        rng = self.rng
        kind = rng.randrange(10)
        if kind == 0:
            return f"({self.number(2)}) ? {self.text(depth - 1)} : {self.text(depth - 1)}" if depth > 0 else '"end"'
        if kind == 1:
            delimiter = rng.choice(["|", "", ", "])
            return f"__print_flags({self.number(2)}, \"{delimiter}\", {self.table(True)})"
        if kind == 2:
            return f"__print_symbolic({self.number(2)}, {self.table(False)})"
        if kind == 3:
            array, size = rng.choice([("v8", 1), ("v16", 2), ("v32", 4), ("v64", 8)])
            return f"__print_array(REC->{array}, {rng.randrange(5)}, {rng.choice([str(size), f'sizeof(REC->{array}[0])'])})"
        if kind == 4:
            return f"__print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / 4, 4)"
        if kind == 5:
            return f"__print_hex{rng.choice(['', '_str'])}(REC->{rng.choice(['v8', 'v16', 'v32'])}, {rng.randrange(1, 4)})"
        if kind == 6:
            return rng.choice(['"lit"', '"a" "b"', "__get_str(dyn)", "__get_str(dyn)"])
        return "REC->name"

    def bits(self):
        """Some bits of a field, as the kernel's MAJOR() and MINOR() take them."""
        rng = self.rng
        value = "REC->" + rng.choice(NUMBERS)
        for _ in range(rng.randrange(1, 4)):
            count = rng.choice([1, 4, 8, 15, 16, 20, 31])
            value = rng.choice([f"({value} >> {count})", f"({value} & ((1U << {count}) - 1))", f"({self.literal()} & {value})",
                                f"({value} & {self.literal()})", f"(({rng.choice(TYPES)}){value})"])
        return rng.choice([value, f"((unsigned int) {value})"])

    def conversion(self):
        """A conversion and its arguments."""
        rng = self.rng
        kind = rng.randrange(12)
        if kind < 3:
            flags = rng.choice(["", "", "", "-", "8", "-12", "10.3", ".4", "*", "-*", ".*"])
            stars = [f"(({self.number(1)}) & 15)"] * flags.count("*")
            return f"%{flags}s", stars + [self.text(2)]
        if kind == 3:
            return rng.choice(["%c", "%3c", "%-3c"]), [f"(({self.number(2)}) & 15) + 'a'"]
        if kind == 4:
            length, cast = rng.choice([("hh", "int"), ("", "int"), ("l", "s64"), ("ll", "u64")])
            return f"%{length}{rng.choice('duxX')}", [f"({cast}){self.bits()}" if length else self.bits()]
        length, letter = rng.choice(["", "", "", "hh", "h", "l", "ll", "z"]), rng.choice("duxXoi")
        flags = rng.choice(["", "", "", "", "5", "08", "-12", "+", " ", "020", ".5", "12.5", "-+9", "*", "-*"])
        if letter not in "di" and ("+" in flags or " " in flags):
            flags = ""
        value = self.number(rng.randrange(1, 5))
        if length in ("l", "ll", "z"):
            cast = "s64" if letter in "di" else "u64"
            value = f"({cast})({value})" if rng.randrange(2) else f"({cast}){self.operand(2)}"
        return f"%{flags}{length}{letter}", [f"(int)(({self.number(1)}) & 15)"] * flags.count("*") + [value]

    def print_format(self):
        text, arguments = "", []
        for i in range(self.rng.randrange(1, 4)):
            conversion, more = self.conversion()
            text += self.rng.choice(["", "v=", "[", "100%% "]) + conversion + self.rng.choice(["", "]", " ", "|"])
            arguments += more
        return ", ".join(['"<' + text + '>"'] + arguments)

    def record(self):
        rng = self.rng
        out = bytearray(struct.pack("<HBBi", 77, 0, 0, 225))
        for kind, name, _, size, _ in FIELDS:
            if kind == "bool":
                out += bytes([rng.randrange(2)])
            elif name == "name":
                out += (b"".join(bytes([rng.choice(b"abcXYZ _-")]) for _ in range(rng.randrange(8)))).ljust(8, b"\0")
            elif name.startswith("__data_loc"):
                out += bytes(4)
            else:
                step = size if size <= 8 else {"v32": 4, "v64": 8}[name]
                step = {"v8": 1, "v16": 2}.get(name, step)
                for _ in range(size // step):
                    value = rng.choice(EDGES) if rng.randrange(2) else rng.getrandbits(64)
                    out += (value & ((1 << step * 8) - 1)).to_bytes(step, "little")
        text = "".join(rng.choice("abc def") for _ in range(rng.randrange(6))).encode() + b"\0"
        for name, data in (("__data_loc_dyn", text), ("__data_loc_list", rng.randbytes(12))):
            at = OFFSETS[name]
            out[at:at + 4] = struct.pack("<I", len(data) << 16 | len(out))
            out += data
        return bytes(out)


def lay_out():
    """Each field's place, and the lines of the format."""
    offsets, lines, at = {}, [], 0
    for kind, name, dims, size, signed in COMMON + FIELDS:
        offsets[name] = at
        shown, shown_kind = name, kind
        if name.startswith("__data_loc_"):
            shown = name[len("__data_loc_"):]
            shown_kind = "__data_loc " + ("char[]" if shown == "dyn" else "u32[]")
        lines.append(f"\tfield:{shown_kind} {shown}{dims};\toffset:{at};\tsize:{size};\tsigned:{signed};\n")
        if name == "common_pid":
            lines.append("\n")
        at += size
    return offsets, "".join(lines)


OFFSETS, LINES = lay_out()


def c_program(cases):
    out = [PRELUDE, "struct __attribute__((packed)) record {\n"]
    out += [f"\t{kind} {name}{dims};\n" for kind, name, dims, _, _ in COMMON + FIELDS]
    out.append("};\n")
    for number, (print_format, record) in enumerate(cases):
        data = ", ".join(str(b) for b in record)
        out.append(f"static void case{number}(void)\n{{\n\tstatic u8 data[] = {{{data}, 0}};\n"
                   f"\tconst struct record *REC = (void *)data;\n\tprintf({print_format});\n\tputchar('\\n');\n}}\n")
    out.append("int main(void)\n{\n" + "".join(f"\tcase{i}();\n" for i in range(len(cases))) + "}\n")
    return "".join(out)


def expected(cases, folder):
    source, program = os.path.join(folder, "cases.c"), os.path.join(folder, "program")
    with open(source, "w", encoding="ascii") as f:
        f.write(c_program(cases))
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-w", "-fwrapv", "-fno-builtin", "-o", program, source], check=True)
    r = subprocess.run([program], stdout=subprocess.PIPE, check=True)
    return r.stdout.decode("latin-1").split("\n")


def main():
    if not os.access(CASES, os.X_OK):
        skip_all(f"{CASES} is not built")
    if not shutil.which("gcc") or sys.byteorder != "little" or struct.calcsize("l") != 8:
        skip_all("no gcc for a 64-bit little-endian machine")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    maker = Maker(random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1))
    cases = [(maker.print_format(), maker.record()) for _ in range(count)]
    with tempfile.TemporaryDirectory(prefix="ft-expressions-") as folder:
        texts = expected(cases, folder)
        for number, (print_format, record) in enumerate(cases):
            case = os.path.join(folder, "cases", f"{number:05}")
            os.makedirs(case)
            for part, content in (
                    ("format", f"name: lab\nID: 77\nformat:\n{LINES}\nprint fmt: {print_format}\n"),
                    ("record.hex", record.hex()), ("expected", texts[number] + "\n"),
                    ("notes", "endian: little\nlong: 8 bytes\nkind: value\n")):
                with open(os.path.join(case, part), "w", encoding="utf-8") as f:
                    f.write(content)
        r = subprocess.run([CASES, os.path.join(folder, "cases")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           encoding="utf-8", errors="replace")
    wrong, good = [], 0
    lines = r.stdout.splitlines()
    for at, line in enumerate(lines):
        good += line.startswith("ok ")
        if line.startswith("not ok "):
            number = int(line.split()[2])
            wrong.append(f"{cases[number][0]}\n" + "\n".join(lines[at + 1:at + 3]))
    check(r.returncode in (0, 1), "no case ends the decoder", r.stderr)
    check(good + len(wrong) == count, f"all {count} cases are answered", r.stdout[-300:])
    check(not wrong, "the decoder computes and prints what C does", *wrong[:20])
    done()


main()

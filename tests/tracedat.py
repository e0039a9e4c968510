# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small trace.dat files of version 6, of any byte order and size of a long."""

import struct

COMMON = (("unsigned short", "common_type", 2, 0), ("unsigned char", "common_flags", 1, 0),
          ("unsigned char", "common_preempt_count", 1, 0), ("int", "common_pid", 4, 1))


class TraceFile:
    """Events by CPU. Times are in ns and must not go back on a CPU."""

    def __init__(self, order="<", long_size=8, cpus=1, page_size=4096):
        self.order, self.long_size, self.page_size = order, long_size, page_size
        self.records = [[] for _ in range(cpus)]
        self.formats, self.cmdlines, self.kallsyms, self.printk = [], "", "", ""
        self.options = []

    def pack(self, letters, *numbers):
        """As struct.pack(); L is the recorded kernel's long."""
        return struct.pack(self.order + letters.replace("L", "Q" if self.long_size == 8 else "I"), *numbers)

    def add_format(self, system, name, number, fields, print_format):
        """@fields: declaration, offset, size, signed; the common ones are added."""
        lines, at = [], 0
        for kind, field, size, signed in COMMON:
            lines.append(f"\tfield:{kind} {field};\toffset:{at};\tsize:{size};\tsigned:{signed};\n")
            at += size
        lines.append("\n")
        lines += [f"\tfield:{d};\toffset:{o};\tsize:{s};\tsigned:{n};\n" for d, o, s, n in fields]
        self.formats.append((system, f"name: {name}\nID: {number}\nformat:\n{''.join(lines)}\nprint fmt: {print_format}\n"))

    def add_print(self, number=5):
        size = self.long_size
        self.add_format("ftrace", "print", number, [("unsigned long ip", 8, size, 0), ("char buf[]", 8 + size, 0, 0)],
                        '"%ps: %s", (void *)REC->ip, REC->buf')

    def add(self, cpu, ts, pid, number, data):
        self.records[cpu].append((ts, self.pack("HBBi", number, 0, 0, pid) + data))

    def mark(self, cpu, ts, pid, text, number=5):
        self.add(cpu, ts, pid, number, self.pack("L", 0) + text.encode() + b"\0")

    def header_page(self):
        size = self.long_size
        return (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                f"\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n"
                f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                f"\tfield: char data;\toffset:{8 + size};\tsize:{self.page_size - 8 - size};\tsigned:0;\n")

    def event(self, delta, data):
        data += bytes(-len(data) % 4)
        small = len(data) <= 28 * 4
        length = len(data) // 4 if small else 0
        word = delta << 5 | length if self.order == "<" else length << 27 | delta
        return self.pack("I", word) + (b"" if small else self.pack("I", len(data) + 4)) + data

    def pages(self, records):
        out, room, at = [], b"", 0
        most = self.page_size - 8 - self.long_size

        def close(room, start):
            return (self.pack("QL", start, len(room)) + room).ljust(self.page_size, b"\0")

        start = last = 0
        for at, (ts, data) in enumerate(records):
            if room and (len(room) + len(data) + 12 > most or ts - last >= 1 << 27):
                out.append(close(room, start))
                room = b""
            if not room:
                start = last = ts
            room += self.event(ts - last, data)
            last = ts
        if room:
            out.append(close(room, start))
        return b"".join(out)

    def sized(self, letter, text):
        data = text.encode() if isinstance(text, str) else text
        return self.pack(letter, len(data)) + data

    def to_bytes(self):
        out = b"\x17\x08\x44tracing6\0" + bytes([self.order == ">", self.long_size]) + self.pack("I", self.page_size)
        out += b"header_page\0" + self.sized("Q", self.header_page())
        out += b"header_event\0" + self.sized("Q", "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n")
        systems = sorted({s for s, _ in self.formats} - {"ftrace"})
        ftrace = [text for s, text in self.formats if s == "ftrace"]
        out += self.pack("I", len(ftrace)) + b"".join(self.sized("Q", t) for t in ftrace)
        out += self.pack("I", len(systems))
        for system in systems:
            texts = [text for s, text in self.formats if s == system]
            out += system.encode() + b"\0" + self.pack("I", len(texts)) + b"".join(self.sized("Q", t) for t in texts)
        out += self.sized("I", self.kallsyms) + self.sized("I", self.printk) + self.sized("Q", self.cmdlines)
        out += self.pack("I", len(self.records)) + b"options  \0"
        for number, data in self.options:
            out += self.pack("H", number) + self.sized("I", data)
        out += self.pack("H", 0) + b"flyrecord\0"
        at = len(out) + 16 * len(self.records)
        at += -at % self.page_size
        body = b""
        for records in self.records:
            data = self.pages(records)
            out += self.pack("QQ", at + len(body), len(data))
            body += data
        return out.ljust(at, b"\0") + body

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.to_bytes())

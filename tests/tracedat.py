# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small trace.dat files of versions 6 and 7, of any byte order and size of a long."""

import ctypes
import struct
import zlib

COMMON = (("unsigned short", "common_type", 2, 0), ("unsigned char", "common_flags", 1, 0),
          ("unsigned char", "common_preempt_count", 1, 0), ("int", "common_pid", 4, 1))


HEADER_EVENT = "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n"
# Kinds of sections and options of version 7.
OPTIONS, BUFFER, BUFFER_TEXT = 0, 3, 22
STRINGS, HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK, CMDLINES = range(15, 22)


def compress(kind, data):
    """One block, by zlib or zstd."""
    if kind == "zlib":
        return zlib.compress(data)
    zstd = ctypes.CDLL("libzstd.so.1")
    for function in (zstd.ZSTD_compressBound, zstd.ZSTD_compress):
        function.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(data)))
    size = zstd.ZSTD_compress(room, len(room), data, len(data), 3)
    return room.raw[:size]


class TraceFile:
    """Events by CPU. Times are in ns and must not go back on a CPU."""

    def __init__(self, order="<", long_size=8, cpus=1, page_size=4096):
        self.order, self.long_size, self.page_size = order, long_size, page_size
        self.records = [[] for _ in range(cpus)]
        self.formats, self.cmdlines, self.kallsyms, self.printk = [], "", "", ""
        self.options = []
        self.instances = []  # of version 7: name and, for each CPU, records
        self.text = ""  # of version 7: that of a latency tracer

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

    def head(self, version):
        return (b"\x17\x08\x44tracing" + str(version).encode() + b"\0" + bytes([self.order == ">", self.long_size]) +
                self.pack("I", self.page_size))

    def metadata(self):
        """The parts that both versions have, by the kind of section in version 7, in order."""
        systems = sorted({s for s, _ in self.formats} - {"ftrace"})
        ftrace = [text for s, text in self.formats if s == "ftrace"]
        events = self.pack("I", len(systems))
        for system in systems:
            texts = [text for s, text in self.formats if s == system]
            events += system.encode() + b"\0" + self.pack("I", len(texts)) + b"".join(self.sized("Q", t) for t in texts)
        return {
            HEADER_INFO: b"header_page\0" + self.sized("Q", self.header_page()) +
            b"header_event\0" + self.sized("Q", HEADER_EVENT),
            FTRACE_EVENTS: self.pack("I", len(ftrace)) + b"".join(self.sized("Q", t) for t in ftrace),
            EVENT_FORMATS: events,
            KALLSYMS: self.sized("I", self.kallsyms),
            PRINTK: self.sized("I", self.printk),
            CMDLINES: self.sized("Q", self.cmdlines),
        }

    def section(self, kind, body, compression="none"):
        if compression != "none":
            packed = compress(compression, body)
            body = self.pack("II", len(packed), len(body)) + packed
        return self.pack("HHiQ", kind, compression != "none", -1, len(body)) + body

    def chunks(self, compression, data, pages=2):
        """What a compressed buffer has for one CPU."""
        step = pages * self.page_size
        parts = [data[at:at + step] for at in range(0, len(data), step)]
        out = self.pack("I", len(parts))
        for part in parts:
            packed = compress(compression, part)
            out += self.pack("II", len(packed), len(part)) + packed
        return out

    def buffer7(self, at, name, records, compression):
        """The section of a buffer that begins at @at, and the option for it."""
        table, body = b"", b""
        start = at + 16 + -(at + 16) % self.page_size
        for cpu, of_cpu in enumerate(records):
            data = self.pages(of_cpu)
            if compression != "none":
                data = self.chunks(compression, data)
            table += self.pack("IQQ", cpu, start + len(body), len(data))
            body += data + bytes(-len(data) % self.page_size)
        body = bytes(start - at - 16) + body
        option = (self.pack("Q", at) + name.encode() + b"\0local\0" + self.pack("II", self.page_size, len(records)) + table)
        return self.pack("HHiQ", BUFFER, compression != "none", -1, len(body)) + body, (BUFFER, option)

    def text7(self, at, compression):
        body = self.text.encode()
        if compression != "none":
            body = self.chunks(compression, body)
        return (self.pack("HHiQ", BUFFER_TEXT, compression != "none", -1, len(body)) + body,
                (BUFFER_TEXT, self.pack("Q", at) + b"\0local\0"))

    def options7(self, options, following=0):
        framed = [*options, (OPTIONS, self.pack("Q", following))]
        return self.section(OPTIONS, b"".join(self.pack("H", n) + self.sized("I", d) for n, d in framed))

    def to_bytes7(self, compression="none"):
        """Of version 7, in the order in which trace-cmd writes; compression: none, zlib or zstd."""
        out = self.head(7) + (b"none\0\0" if compression == "none" else compression.encode() + b"\0" + b"1\0")
        options = [(8, self.pack("I", len(self.records))), *self.options]
        word = len(out)
        out += bytes(8)
        for kind, body in self.metadata().items():
            options.append((kind, self.pack("Q", len(out))))
            out += self.section(kind, body, compression)
        out = out[:word] + self.pack("Q", len(out)) + out[word + 8:]
        first = self.options7(options)
        buffers_at = len(out) + len(first)
        buffers, of_buffers = b"", []
        for name, records in [("", self.records), *self.instances]:
            section, option = self.buffer7(buffers_at + len(buffers), name, records, compression)
            buffers += section
            of_buffers.append(option)
        if self.text:
            section, option = self.text7(buffers_at + len(buffers), compression)
            buffers, of_buffers = buffers + section, [option]
        out += self.options7(options, buffers_at + len(buffers)) + buffers + self.options7(of_buffers)
        return out + self.section(STRINGS, b"made up\0", compression)

    def to_bytes(self):
        out = self.head(6) + b"".join(self.metadata().values())
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

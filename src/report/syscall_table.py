#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the numbers of system calls and errors as tables in C: syscall_table.py OUT HOST-MACHINE CC...

They come from the headers of the kernel's interface that the compiler finds. A table whose header is not there stays
empty: reports say of such calls that no name is known."""
import re
import subprocess
import sys

# What arm64 and other new architectures define before they include the generic list.
GENERIC = ["-D__BITS_PER_LONG=64"] + ["-D__ARCH_WANT_" + name for name in (
    "RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT", "TIME32_SYSCALLS", "SYS_CLONE3", "MEMFD_SECRET")]
TABLES = {
    "x86_64": ("asm/unistd_64.h", []),
    "i386": ("asm/unistd_32.h", []),
    "aarch64": ("asm-generic/unistd.h", GENERIC),
}
# What the kernel uses inside and traces all the same.
RESTARTS = {"ERESTARTSYS": 512, "ERESTARTNOINTR": 513, "ERESTARTNOHAND": 514, "ENOIOCTLCMD": 515,
            "ERESTART_RESTARTBLOCK": 516}


def macros(compiler, header, flags):
    """All macros of a header; none when it is not there."""
    run = subprocess.run([*compiler, "-E", "-dM", *flags, "-include", header, "-x", "c", "/dev/null"],
                         capture_output=True, text=True, check=False)
    found = re.findall(r"^#define (\w+) (.+)$", run.stdout, re.M) if run.returncode == 0 else []
    return dict(found)


def number(value, known):
    """The number that a macro stands for, through other macros and sums; None when it is none."""
    terms = [known.get(term, term).strip() for term in value.strip("()").split("+")]
    terms = [known.get(term, term) for term in terms]
    try:
        return sum(int(term, 0) for term in terms)
    except ValueError:
        return None


def numbers(compiler, header, flags, prefix):
    known = macros(compiler, header, flags)
    found = {name: number(value, known) for name, value in known.items() if re.match(prefix + "[a-zA-Z]", name)}
    return {name[len(prefix) - 1 if prefix == "E" else len(prefix):]: n for name, n in found.items()
            if n is not None and 0 <= n < 8192}


def c_table(name, numbered):
    rows = "".join(f'\t[{n}] = "{text}",\n' for text, n in sorted(numbered.items(), key=lambda item: (item[1], item[0]),
                                                                 reverse=True))
    return f"static const char *const {name}[] = {{\n{rows or chr(9) + 'NULL,' + chr(10)}}};\n"


def main():
    out, host, *compiler = sys.argv[1:]
    tables = dict(TABLES)
    tables.setdefault(host, ("asm/unistd.h", []))
    parts = []
    for machine, (header, flags) in tables.items():
        found = numbers(compiler, header, flags, "__NR_")
        # Aliases and limits, not calls.
        calls = {name: n for name, n in found.items() if name not in ("syscalls", "arch_specific_syscall")}
        parts.append(c_table(f"calls_{machine}", calls))
    errors = numbers(compiler, "asm/errno.h", [], "E")
    for alias in ("EWOULDBLOCK", "EDEADLOCK", "ENOTSUP"):
        errors.pop(alias, None)
    parts.append(c_table("errors", {**errors, **RESTARTS}))
    rows = "".join(f'\t{{"{machine}", calls_{machine}, array_size(calls_{machine})}},\n' for machine in tables)
    parts.append(f"static const struct machine machines[] = {{\n{rows}}};\n")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


main()

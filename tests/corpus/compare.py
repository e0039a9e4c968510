#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what ft report and trace-cmd report print of one recording.

usage: tests/corpus/compare.py [--compat] [--text TEXT.xz] [-v] FILE [REPORT-OPTION...]

With --compat the two must be the same bytes, or differ as leaves of the graph do where trace-cmd's own text changes
with the allocator. Without it they may differ in the kinds of KINDS, below: the places where trace-cmd is known to be
wrong. With --text trace-cmd does not run, TEXT is what it once said. Prints one line with the number of each kind,
then what is of no known kind. Exit status 0, or 1 when something is. $FT is the program under test.
"""

import argparse
import collections
import filecmp
import lzma
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
FT = os.environ.get("FT", TOP + "/build/ft")
SHOW = 12

# The plain layout and that of -l, with or without --ts-diff.
WHERE = r" +(?:\[(?P<cpu>\d+)\]|(?P<cpu_l>\d+)[dX.][^ ]{4,8} )"
HEADER = re.compile(r"(?P<who>.*?-\d+)" + WHERE + r" *(?P<time>\d+(?:\.\d+)?):(?: \(\+[^)]*\))? +"
                    r"(?P<event>[^ :]+): *(?P<info>.*)", re.S)
DROPPED = re.compile(r".*CPU:\d+ \[(\d+ )?EVENTS DROPPED\]")
DURATION = re.compile(r"(\d+\.\d+) us +\|")


class Line:
    """One event with the lines that continue it (joined by a vertical tab), or one line of another sort."""

    def __init__(self, text):
        self.text = text
        m = HEADER.match(text)
        self.who, self.cpu, self.time, self.event, self.info = (
            m["who"], m["cpu"] or m["cpu_l"], m["time"], m["event"], m["info"]) if m else ("", "", "", "", text)
        self.is_event = bool(m)
        self.is_loss = not m and bool(DROPPED.match(text))

    def key(self):
        return (self.cpu, self.time, self.event) if self.is_event else (self.text,)

    def duration(self):
        m = DURATION.search(self.info)
        return m[1] if m else None

    def is_leaf(self):
        return self.event == "funcgraph_entry" and self.info.endswith(";")

    def is_open(self):
        return self.event == "funcgraph_entry" and self.info.endswith("{")

    def is_idle(self):
        return self.who.endswith("<idle>-0")


def masked(pattern):
    """The two infos are equal outside what the pattern's first group matches."""
    regex = re.compile(pattern)

    def cut(info):
        m = regex.search(info)
        return (info[:m.start(1)], info[m.end(1):]) if m else None

    return lambda theirs, ours: cut(theirs.info) is not None and cut(theirs.info) == cut(ours.info)


def named(*events):
    """Is the event one of these, by its name?"""
    regex = re.compile("|".join(f"(?:{event})" for event in events) + r"\Z")
    return lambda theirs, ours: bool(regex.match(theirs.event))


def both(*tests):
    return lambda theirs, ours: all(test(theirs, ours) for test in tests)


def is_well_printed(line):
    return "[FAILED TO PARSE]" not in line.info and "<error" not in line.info


def same_numbers(theirs, ours):
    """The same fields with the same values, each in a notation of its own; functions by name or address."""
    fields = [re.findall(r"(\w+)=(\S+)", line.info) for line in (theirs, ours)]
    if [name for name, _ in fields[0]] != [name for name, _ in fields[1]]:
        return False
    for (name, a), (_, b) in zip(*fields):
        try:
            if int(a, 0) != int(b.replace("(nil)", "0"), 0):
                return False
        except ValueError:
            if a != b and name != "fn":
                return False
    return True


def taught_comm(theirs, ours):
    """Only trace-cmd does not know the thread's name."""
    name = r"<\.\.\.>(?=-\d+$)"
    return (theirs.info == ours.info and re.search(name, theirs.who) is not None
            and theirs.who.rsplit("-", 1)[1] == ours.who.rsplit("-", 1)[1])


# Pairs of the same CPU, time and event: name, what it is, the test. The first that holds is counted.
KINDS = [
    ("unparsed", "trace-cmd cannot parse the print format",
     lambda t, o: "[FAILED TO PARSE]" in t.info and is_well_printed(o)),
    ("comm", "the name of a thread that an event of the file tells", taught_comm),
    ("two-lines", "one record on several lines",
     lambda t, o: "\v" in t.info and t.info.replace("\v", "\\n") == o.info),
    ("array", "trace-cmd prints zeros for the numbers of a probe's array",
     masked(r"=\{([-\d,xa-f]*)\}")),
    ("raw", "-R of an event whose print format trace-cmd cannot parse",
     both(named("ma_read", "ma_write", "ma_op"), same_numbers)),
    ("raw-dump", "-R of bytes: trace-cmd prints them as a text",
     both(named("9p_protocol_dump"), masked(r" line=(.*)$"))),
    ("counter", "no blank before a counter of 12 digits and more",
     lambda t, o: "." not in t.time and len(t.time) >= 12 and (t.who, t.info) == (o.who, o.info)),
    ("mask", "a & (x | y) of trace-cmd is a & x | y",
     both(named("timer_start"), masked(r" flags=(\S*)$"))),
    ("condition", "a < (b < c ? b : c) of trace-cmd is a < (b < c) ? b : c",
     both(named("mm_page_alloc_extfrag"), masked(r" fragmenting=(\d+)"))),
]
# What is found in more than one line: name and what it is.
KINDS_OF_LINES = {
    "clock": "clocks in nanoseconds that trace-cmd takes for counters",
    "leaf": "a graph leaf that the event of another CPU splits, or that has the return of another CPU",
    "leaf-loss": "the message of losses before a leaf's return that trace-cmd swallows",
    "leaf-diff": "the time since the line before, next to such a leaf",
    "leaf-order": "lines that come out in another order after such a return",
}


# When trace-cmd takes the return of another CPU for a leaf's, it reads a record that it has freed, and what is there
# decides which CPU comes next. Text that these change is of that sort.
ALLOCATORS = ["glibc.malloc.tcache_count=0", "glibc.malloc.perturb=85", "glibc.malloc.mxfast=0"]


class Report:
    """The output of one program, or bytes that it once said."""

    def __init__(self, argv, path, **more):
        self.path, self.status, self.errors = path, 0, ""
        with open(path, "wb") as f:
            if isinstance(argv, bytes):
                f.write(argv)
                return
            r = subprocess.run(argv, stdout=f, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env={**environment(), **more})
        self.status, self.errors = r.returncode, r.stderr.decode(errors="replace")

    def runs_back(self):
        """Does an event come out before one of an earlier time?"""
        last = 0.0
        with open(self.path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
            for line in map(Line, f):
                if line.is_event:
                    if float(line.time) < last:
                        return True
                    last = float(line.time)
        return False

    def join_lines(self):
        """Into a new file in which each event is one line; returns its path and the number of lines."""
        joined, count = self.path + ".joined", 0
        starts = re.compile(r".*-\d+" + WHERE + r"|.*CPU:\d+ \[(?:\d+ )?EVENTS DROPPED\]|.*cpus=\d+$|version = ")
        with open(self.path, encoding="utf-8", errors="surrogateescape", newline="\n") as f, \
                open(joined, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as out:
            for line in f:
                if count:
                    out.write("\n" if starts.match(line) else "\v")
                out.write(line.rstrip("\n"))
                count += 1
            out.write("\n")
        return joined, count


def environment():
    env = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    for name in "PAGER", "FT_PAGER", "TRACEEVENT_PLUGIN_DIR":
        env.pop(name, None)
    return env


def differing(theirs, ours):
    """The lines of each that the other does not have at that place."""
    only = ([], [])
    r = subprocess.Popen(["diff", "--text", "--speed-large-files", theirs, ours], stdout=subprocess.PIPE,
                         encoding="utf-8", errors="surrogateescape", env=environment())
    for line in iter(lambda: r.stdout.readline(), ""):
        if line[:2] == "< ":
            only[0].append(Line(line[2:-1]))
        elif line[:2] == "> ":
            only[1].append(Line(line[2:-1]))
    r.wait()
    return only


def in_seconds(line):
    """The key of a line with nanoseconds, were they printed as a time."""
    us = (int(line.time) + 500) // 1000
    return line.cpu, f"{us // 1000000}.{us % 1000000:06}", line.event


def take(there, line):
    """The first of `there` with the same text, or the same content, or else just the first."""
    for like in (lambda o: o.text == line.text), (lambda o: (o.who, o.info) == (line.who, line.info)):
        found = next((o for o in there if like(o)), None)
        if found:
            there.remove(found)
            return found
    # Of two returns in one microsecond, one may stand alone.
    return there.pop(0) if there and line.event != "funcgraph_exit" else None


def pair(theirs, ours):
    """Pairs of the same key, then what is left on either side."""
    waiting = collections.defaultdict(list)
    for line in ours:
        waiting[line.key()].append(line)
    pairs, left = [], []
    for line in theirs:
        other = take(waiting[line.key()], line)
        if other:
            pairs.append((line, other))
        else:
            left.append(line)
    return pairs, left, [line for there in waiting.values() for line in there]


class Comparison:
    """Sorts the differences into kinds."""

    def __init__(self, disordered):
        self.disordered = disordered
        self.count = collections.Counter()
        self.unknown = []
        # Returns that may stand alone in one report: thread and duration, per side.
        self.loose = (collections.Counter(), collections.Counter())

    def add(self, theirs, ours):
        pairs, left, new = pair(theirs, ours)
        left, new = self.add_clocks(left, new)
        moved = [(a, b) for a, b in pairs if a.text == b.text]
        changed = [(a, b) for a, b in pairs if a.text != b.text]
        for a, b in sorted(changed, key=lambda both_lines: both_lines[0].event != "funcgraph_entry"):
            self.add_pair(a, b)
        for line in left:
            self.add_single(line, 0)
        for line in new:
            self.add_single(line, 1)
        for a, b in moved:
            self.note("leaf-order" if self.count["leaf"] and (a.is_idle() or self.disordered) else None, a, b)

    def add_clocks(self, left, new):
        """Takes out what differs in the unit of the time alone."""
        waiting = collections.defaultdict(list)
        for line in new:
            waiting[line.key()].append(line)
        other = []
        for line in left:
            there = waiting[in_seconds(line)] if line.is_event and "." not in line.time else []
            found = next((o for o in there if (o.who, o.info) == (line.who, line.info)), None)
            if found:
                there.remove(found)
                self.note("clock", line, found)
            else:
                other.append(line)
        return other, [line for there in waiting.values() for line in there]

    def note(self, kind, a, b):
        if kind:
            self.count[kind] += 1
        else:
            self.unknown.append((a, b))

    def add_pair(self, a, b):
        if a.event == "funcgraph_entry" and self.is_leaf_pair(a, b):
            self.note("leaf", a, b)
            return
        if self.count["leaf"] and (a.who, a.info) == (b.who, b.info):
            self.note("leaf-diff", a, b)
            return
        self.note(next((name for name, _, test in KINDS if a.is_event and test(a, b)), None), a, b)

    def is_leaf_pair(self, a, b):
        """A leaf here and an opening there: the return is then a line of its own, there."""
        name = re.compile(r"\| *(\S+?)\(\)")
        if a.who != b.who or (name.search(a.info) or [0])[0] != (name.search(b.info) or [1])[0]:
            return False
        if a.is_leaf() and b.is_open():
            self.loose[1][a.who, a.duration()] += 1
            return True
        if a.is_open() and b.is_leaf():
            self.loose[0][a.who, b.duration()] += 1
            return True
        # Both leaves, but trace-cmd took the return of an idle thread on another CPU.
        return a.is_leaf() and b.is_leaf() and a.is_idle()

    def add_single(self, line, side):
        if line.event == "funcgraph_exit":
            key = line.who, line.duration()
            if self.loose[side][key] > 0:
                self.loose[side][key] -= 1
                return
            if line.is_idle() and self.count["leaf"]:
                self.note("leaf", line, None)
                return
        if side == 1 and line.is_loss and self.count["leaf"]:
            self.note("leaf-loss", None, line)
            return
        self.unknown.append((line, None) if side == 0 else (None, line))

    def show(self, name, lines, limit):
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(self.count.items()))
        bad = f", {len(self.unknown)} of NO KNOWN KIND" if self.unknown else ""
        print(f"{name}: {lines} lines; differences: {kinds or 'none known'}{bad}")
        events = collections.Counter((a or b).event or "(no event)" for a, b in self.unknown)
        if events:
            print("  unknown by event: " + ", ".join(f"{event} {n}" for event, n in events.most_common(20)))
        for a, b in self.sample(limit):
            print("  trace-cmd: " + (a.text.replace("\v", "\\n") if a else "(nothing)"))
            print("  ft:        " + (b.text.replace("\v", "\\n") if b else "(nothing)"))

    def sample(self, limit):
        """A few of each event."""
        seen = collections.Counter()
        for a, b in self.unknown:
            event = (a or b).event
            seen[event] += 1
            if limit > 0 and seen[event] <= 2:
                limit -= 1
                yield a, b


def arguments():
    parser = argparse.ArgumentParser(prog="compare.py", usage=__doc__.split("usage: ")[1].split("\n")[0],
                                     allow_abbrev=False)
    parser.add_argument("--compat", action="store_true")
    parser.add_argument("--text")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("file")
    return parser.parse_known_args()


def first_difference(theirs, ours):
    r = subprocess.run(["diff", "--text", theirs, ours], stdout=subprocess.PIPE, env=environment())
    return r.stdout.decode(errors="replace").splitlines()[:SHOW]


def is_undetermined(argv, theirs, tmp):
    """Does trace-cmd say something else with another allocator?"""
    return not isinstance(argv, bytes) and any(
        not filecmp.cmp(theirs.path, Report(argv, tmp + "/again", GLIBC_TUNABLES=tunable).path, shallow=False)
        for tunable in ALLOCATORS)


def main():
    args, options = arguments()
    name = " ".join([os.path.basename(args.file), *options])
    with tempfile.TemporaryDirectory(prefix="ft-compare-") as tmp:
        said = lzma.open(args.text).read() if args.text else ["trace-cmd", "report", *options, args.file]
        theirs = Report(said, tmp + "/theirs")
        compat = ["--compat"] if args.compat else []
        ours = Report([FT, "report", *compat, *options, args.file], tmp + "/ours")
        if ours.status:
            print(f"{name}: ft report ended with {ours.status}: {ours.errors[-2000:]}")
            return 1
        if filecmp.cmp(theirs.path, ours.path, shallow=False):
            print(f"{name}: the same {os.path.getsize(ours.path)} bytes")
            return 0
        if args.compat and not is_undetermined(said, theirs, tmp):
            print(f"{name}: not the same bytes:", *first_difference(theirs.path, ours.path), sep="\n  ")
            return 1
        joined_theirs, lines = theirs.join_lines()
        comparison = Comparison(theirs.runs_back() and (args.compat or not ours.runs_back()))
        comparison.add(*differing(joined_theirs, ours.join_lines()[0]))
        comparison.show(name, lines, 1000 if args.verbose else SHOW)
        if args.compat and not set(comparison.count) <= {"leaf", "leaf-order", "leaf-loss", "leaf-diff"}:
            return 1
        return 1 if comparison.unknown else 0


if __name__ == "__main__":
    sys.exit(main())

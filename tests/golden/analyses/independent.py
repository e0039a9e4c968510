#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of ft report --sections, --between and --syscalls once more, from the text of trace-cmd report.

    independent.py sections|syscalls FILE
    independent.py between FILE A B [KEY]      A, B: NAME, or NAME=REGEX for a text; KEY: thread, cpu, or FIELD=FIELD
                                               (PID is the thread)

Prints what ft prints with --tsv, by simple means: all lines in memory, every question answered by a loop over them."""

import errno
import math
import re
import subprocess
import sys

LOST = re.compile(r"^(?:\s*([\w-]+): )?\s*CPU:(\d+) \[(?:\d+ )?EVENTS DROPPED\]")
LINE = re.compile(r"^(?:\s*([\w-]+): )?\s*(.+)-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+):\s*(.*)$")


class Gaps(list):
    """From the last event that a CPU of a buffer had before it lost some to the first behind that."""

    def hold(self, buffer, start, end):
        return any(own == buffer and lost < end and found > start for own, lost, found in self)


def read_events(path, gaps):
    last, losing = {}, set()
    run = subprocess.run(["trace-cmd", "report", "-t", "-i", path], check=True, capture_output=True)
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        lost, hit = LOST.match(line), LINE.match(line)
        if lost:
            losing.add((lost[1], int(lost[2])))
        if hit:
            buffer, comm, tid, cpu, seconds, ns, name, text = hit.groups()
            place = (buffer, int(cpu))
            if place in losing:
                gaps.append((buffer, last.get(place, 0), int(seconds + ns)))
            losing.discard(place)
            last[place] = int(seconds + ns)
            yield {"buffer": buffer, "comm": comm, "tid": int(tid), "cpu": int(cpu), "ts": int(seconds + ns), "name": name,
                   "text": re.sub(r"^\S+: ", "", text) if name == "print" else text}


def name_buffers(events):
    """Lines of the top level have nothing in front of them, and those of a file with one buffer neither."""
    several = any(event["buffer"] for event in events)
    for event in events:
        event["buffer"] = event["buffer"] or ("top" if several else "")


def place(buffer):
    return buffer != "top", buffer


def numbers(times):
    times = sorted(times)
    count = len(times)
    if not count:
        return {"count": 0, "total_ns": 0}
    mean = sum(times) / count

    def rank(percent):
        return times[-(-percent * count // 100) - 1]

    return {"count": count, "total_ns": sum(times), "mean_ns": f"{mean:.3f}", "min_ns": times[0], "max_ns": times[-1],
            "p50_ns": rank(50), "p90_ns": rank(90), "p99_ns": rank(99),
            "stddev_ns": f"{math.sqrt(sum((t - mean) ** 2 for t in times) / count):.3f}"}


def show(columns, rows):
    print("\t".join(columns))
    for row in rows:
        print("\t".join(str(row.get(column, "")) for column in columns))


class Section:
    def __init__(self, name, pid, event, is_async, comms):
        comm = comms.get(pid, event["comm"]) if is_async else event["comm"]
        self.head = {"buffer": event["buffer"], "name": name, "pid": pid, "tid": "" if is_async else event["tid"], "comm": comm}
        self.is_async = is_async
        self.times, self.selves = [], []
        self.counts = dict.fromkeys(("recursive", "unclosed", "unopened", "uncertain"), 0)

    def row(self):
        own = {"self_ns": "" if self.is_async else sum(self.selves)}
        return {**self.head, **numbers(self.times), **own, **self.counts}


def sections(events, gaps):
    found, stacks = {}, {}
    comms = {event["tid"]: event["comm"] for event in events if event["comm"] != "<...>"}

    def section(name, pid, event, is_async):
        key = (event["buffer"], name, pid, None if is_async else event["tid"])
        return found.setdefault(key, Section(name, pid, event, is_async, comms))

    for event in events:
        letter, *parts = event["text"].split("|")
        if event["name"] != "print" or letter not in ("B", "E", "S", "F") or (letter != "E" and len(parts) < 2):
            continue
        pid = int(parts[0]) if parts else 0
        is_async = letter in "SF"
        name = "|".join(parts[1:-1] if is_async else parts[1:])
        key = (pid, name, parts[-1]) if is_async else event["tid"]
        stack = stacks.setdefault((event["buffer"], key), [])
        if letter in "BS":
            new = section(name, pid, event, is_async)
            same = [start for old, start, _ in stack if old is new]
            new.counts["recursive"] += bool(same) and not gaps.hold(event["buffer"], same[-1], event["ts"])
            stack.append([new, event["ts"], 0])
        elif stack:
            old, start, children = stack.pop()
            time = event["ts"] - start
            if gaps.hold(event["buffer"], start, event["ts"]):
                old.counts["uncertain"] += 1
            else:
                old.times.append(time)
                old.selves.append(time - children)
            if stack:
                stack[-1][2] += time
        else:
            section(name if is_async else "", pid, event, is_async).counts["unopened"] += 1
    for stack in stacks.values():
        for old, _, _ in stack:
            old.counts["unclosed"] += 1
    rows = sorted((s.row() for s in found.values()),
                  key=lambda r: (-r["total_ns"], r["name"], r["tid"] or -1, place(r["buffer"])))
    show(("name pid tid comm count total_ns self_ns mean_ns min_ns p50_ns p90_ns p99_ns max_ns stddev_ns recursive "
          "unclosed unopened uncertain buffer").split(), rows)


def between(events, gaps, first, second, key="thread"):
    def matches(event, wanted):
        name, _, regex = wanted.partition("=")
        return event["name"] == name and re.search(regex, event["text"]) is not None

    def key_of(event, field):
        if key in ("thread", "cpu"):
            return event["tid"] if key == "thread" else event["cpu"]
        if field == "PID":
            return str(event["tid"])
        value = re.search(rf"\b{field}=(\S+)", event["text"])
        return value[1] if value else None

    from_field, _, to_field = key.partition("=")
    starts = [(i, e, key_of(e, from_field)) for i, e in enumerate(events) if matches(e, first)]
    ends = [(i, e, key_of(e, to_field)) for i, e in enumerate(events) if matches(e, second)]
    pairs, used = [], set()
    for i, start, own in starts:
        for j, end, other in ends:
            if j > i and other == own and end["buffer"] == start["buffer"]:
                pairs.append((end["ts"] - start["ts"], start, end))
                used.add(j)
                break
    found = len(pairs)
    pairs = [p for p in pairs if not gaps.hold(p[1]["buffer"], p[1]["ts"], p[2]["ts"])]
    pairs.sort(key=lambda p: (-p[0], p[1]["ts"]))
    show("count total_ns mean_ns min_ns p50_ns p90_ns p99_ns max_ns stddev_ns no_end no_start uncertain".split(),
         [{**numbers([p[0] for p in pairs]), "no_end": len(starts) - found, "no_start": len(ends) - len(used),
           "uncertain": found - len(pairs)}])
    print()
    buckets = [(p[0]).bit_length() for p in pairs]
    show(("from_ns", "below_ns", "count"),
         [{"from_ns": 2 ** (b - 1) if b else 0, "below_ns": 2 ** b, "count": buckets.count(b)}
          for b in range(min(buckets), max(buckets) + 1)])
    print()
    show("time_ns start_ns end_ns cpu pid comm buffer".split(),
         [{"time_ns": time, "start_ns": start["ts"], "end_ns": end["ts"], "cpu": start["cpu"], "pid": start["tid"],
           "comm": start["comm"], "buffer": start["buffer"]} for time, start, end in pairs[:5]])


def call_names():
    with open("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", encoding="ascii") as header:
        return {int(n): name for name, n in re.findall(r"#define __NR_(\w+) (\d+)", header.read())}


# Of the kernel's own use, which events show and programs do not.
ERRORS = {**errno.errorcode, 512: "ERESTARTSYS", 513: "ERESTARTNOINTR", 514: "ERESTARTNOHAND",
          516: "ERESTART_RESTARTBLOCK"}


def call_of(event):
    """Is it an enter, the call, and what it returned; None for other events."""
    raw = re.match(r"NR (-?\d+)(?: = (-?\d+))?", event["text"])
    if event["name"] in ("sys_enter", "sys_exit"):
        is_enter, number = event["name"] == "sys_enter", int(raw[1])
        if number < 0:
            # What rt_sigreturn leaves behind; its value is that of the call before the signal.
            return None if is_enter else (False, "rt_sigreturn", 0)
        return is_enter, call_names()[number], int(raw[2] or 0)
    named = re.match(r"sys_(enter|exit)_(\w+)", event["name"])
    if not named:
        return None
    value = int(event["text"], 16) if named[1] == "exit" else 0
    return named[1] == "enter", named[2], value - 2 ** 64 if value >= 2 ** 63 else value


def processes(events, path):
    """What each thread's process is, as far as events and the notes of ft record tell: a thread that made it, or itself."""
    with open(path, "rb") as file:
        content = file.read()
    noted = {int(tid): int(pid) for tid, pid in re.findall(rb"\ntgid (\d+) (\d+)\n", content.replace(b"\n", b"\n\n"))}
    found = {}
    if b"\ntgids\n" in content:
        found = {event["tid"]: event["tid"] for event in events if event["tid"] not in noted}
        found.update({pid: pid for pid in noted.values()})
        found.update(noted)
    for event in events:
        made = re.match(r"pid=(\d+) comm=.* clone_flags=([0-9a-f]+) ", event["text"])
        run = re.search(r" pid=(\d+) old_pid=", event["text"])
        if event["name"] == "task_newtask" and made:
            is_thread = int(made[2], 16) & 0x10000
            found.setdefault(int(made[1]), event["tid"] if is_thread else int(made[1]))
        elif event["name"] == "sched_process_exec" and run:
            found.setdefault(int(run[1]), int(run[1]))

    def process_of(tid):
        while tid in found and found[tid] != tid:
            tid = found[tid]
        return tid, tid in found

    return process_of


def syscalls(events, gaps, path):
    found, waiting, born = {}, {}, set()
    process_of = processes(events, path)
    comms = {event["tid"]: event["comm"] for event in events if event["comm"] != "<...>"}
    for event in events:
        call = call_of(event)
        if not call:
            continue
        is_enter, name, result = call
        tid = event["tid"]
        pid, is_known = process_of(tid)
        heads = {"calls": {}, "processes": {"pid": pid, "comm": comms.get(pid, event["comm"])},
                 "threads": {"pid": pid if is_known else "", "tid": tid, "comm": event["comm"]}}
        rows = [found.setdefault((table, event["buffer"], head.get("tid", head.get("pid")), name),
                                 {"times": [], "errors": [], "unfinished": 0, "unopened": 0, "uncertain": 0,
                                  "table": table, "head": {**head, "buffer": event["buffer"]}, "call": name, "known": is_known, "tids": set(),
                                  "order": (pid if head else 0, tid if table == "threads" else 0, place(event["buffer"]))})
                for table, head in heads.items()]
        before = waiting.pop((event["buffer"], tid), None)
        matched = before is not None and not is_enter and before[0] == name
        # A new task comes out of its parent's clone().
        birth = name in ("clone", "clone3", "fork", "vfork") and not result and (event["buffer"], tid) not in born
        born.add((event["buffer"], tid))
        for row in rows:
            if matched and gaps.hold(event["buffer"], before[1], event["ts"]):
                row["uncertain"] += 1
            elif matched:
                row["times"].append(event["ts"] - before[1])
                row["errors"] += [-result] if -4096 < result < 0 else []
            row["unopened"] += not is_enter and not matched and not birth
            row["tids"] |= set() if birth and not matched and not is_enter else {tid}
        if before is not None and not matched:
            for row in before[2]:
                row["unfinished"] += 1
        if is_enter:
            waiting[event["buffer"], tid] = (name, event["ts"], rows)
    for _, _, rows in waiting.values():
        for row in rows:
            row["unfinished"] += 1
    columns = "call count errors total_ns mean_ns min_ns p99_ns max_ns unfinished unopened uncertain errnos buffer".split()
    for table, heads in {"calls": [], "processes": ["pid", "comm", "threads"], "threads": ["pid", "tid", "comm"]}.items():
        rows = []
        for row in found.values():
            if row["table"] != table:
                continue
            if not row["times"] and not any(row[n] for n in ("unfinished", "unopened", "uncertain")):
                continue
            tally = sorted(((-row["errors"].count(e), e) for e in set(row["errors"])))
            rows.append({**row["head"], "call": row["call"], **numbers(row["times"]), "order": row["order"],
                         "threads": len(row["tids"]) if row["known"] else "",
                         "errors": len(row["errors"]), "unfinished": row["unfinished"], "unopened": row["unopened"],
                         "uncertain": row["uncertain"], "errnos": " ".join(f"{ERRORS[e]}={-n}" for n, e in tally)})
        rows.sort(key=lambda r: (r["order"], -r["total_ns"], r["call"]))
        if table != "calls":
            print()
        show(heads + columns, rows)


def main():
    what, path, *rest = sys.argv[1:]
    gaps = Gaps()
    events = list(read_events(path, gaps))
    name_buffers(events)
    gaps[:] = [(buffer or events[0]["buffer"] and "top", lost, found) for buffer, lost, found in gaps]
    globals()[what](events, gaps, *([path] if what == "syscalls" else rest))


main()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages are well-formed, and have the options that the program has: no more, no less."""

import shutil
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from tap import FT, TOP, check, done, run, skip, skip_all, tree_files  # noqa: E402


def page_options(page):
    """The tags of the page's lists that are options: {"--output": "-o"}, "-" without a letter."""
    text = re.sub(r".\x08", "", run("mandoc", "-T", "ascii", page).stdout)
    found = {}
    for line in text.splitlines():
        tag = re.match(r" {3,8}(?:(-[A-Za-z0-9]), )?(--[a-z0-9][a-z0-9-]*)", line)
        if tag:
            found[tag[2]] = tag[1] or "-"
    return found


def table_options(verb):
    found = {}
    for row in run(FT, "__options", verb).stdout.splitlines():
        letter, name = row.split("\t")[:2]
        found["--" + name] = "-" if letter == "-" else "-" + letter
    return found


def check_words(verb, page):
    """The words of the table are the tags of the page's list SETTINGS."""
    table = set(run(FT, "__words", verb).stdout.split())
    text = re.sub(r".\x08", "", run("mandoc", "-T", "ascii", page).stdout)
    part = re.search(r"^SETTINGS\n(.*?)^[A-Z]", text, re.S | re.M)
    # The words follow the section's prose, which ends where the first of them stands.
    first = re.search(r"^ {5}\S+=\S+$", part[1], re.M) if part else None
    manual = set(re.findall(r"^ {5}(\S+)", part[1][first.start():], re.M)) if first else set()
    check(table == manual, f"{page} and the words of ft {verb} agree", *sorted(table ^ manual))


def check_verb(verb):
    page = f"man/ft-{verb}.1"
    if not check(os.path.exists(os.path.join(TOP, page)), f"ft {verb} has a manual page"):
        return
    table, manual = table_options(verb), page_options(page)
    # Every verb has -h, --help; the pages need not repeat it.
    table.pop("--help", None)
    manual.pop("--help", None)
    missing = [f"{page} lacks {table[o]}, {o}" for o in table if o not in manual]
    extra = [f"{page} has {o}, which ft {verb} does not" for o in manual if o not in table]
    letters = [f"{page}: {o} is {manual[o]}, in the table {table[o]}"
               for o in table if o in manual and table[o] != manual[o]]
    check_words(verb, page)
    check(not missing + extra + letters, f"{page} and the table of ft {verb} agree", *missing, *extra, *letters)


if not shutil.which("mandoc"):
    skip_all("mandoc is not installed")
pages = tree_files("man/*")
for page in pages:
    # Pages of ft and of others may not be installed here.
    lint = [line for line in run("mandoc", "-T", "lint", page).stdout.splitlines()
            if "referenced manual not found" not in line and "outdated mandoc.db" not in line]
    check(not lint, f"{page} is well-formed", *lint)
if os.access(FT, os.X_OK):
    for verb in run(FT, "__verbs").stdout.split():
        check_verb(verb)
else:
    skip("ft is not built")
done()

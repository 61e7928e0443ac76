#!/usr/bin/env python3
"""Finds lit tests that check less than they seem to.

FileCheck ignores a directive without its colon and a prefix that no RUN line
names, and a RUN line that feeds no checker passes whatever is printed.
"""
import re

import source_tree
from source_tree import Finding, Source

KINDS = r"(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+)"
RUN = re.compile(r"^\W*RUN:(.*)$")
FILECHECK = re.compile(r"\bFileCheck\b([^|&;]*)")
PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]\s*([\w,-]+)")
# A RUN line checks a result if it has one of these: a checker by name, or an
# option with which the tool compares itself.
VERIFIES = re.compile(
    r"\b(FileCheck|diff|cmp|grep|count)\b|--?verify-(diagnostics|roundtrip)"
    r"|--expect\b|%python\b|\bnot ls\b")
# Commands that only prepare files need no checker.
PREPARES = re.compile(
    r"^\s*(rm|mkdir|cp|mv|split-file|echo|printf|cd|export)\b")
TEMPORARY = re.compile(r"%t[\w./-]*")


def run_lines(source: Source):
    """The commands after RUN:, as (line of its start, text), with those that
    end in a backslash joined."""
    commands, start, text = [], 0, ""
    for number, line in enumerate(source.lines, 1):
        match = RUN.match(line)
        if not match:
            continue
        start = start or number
        text += match[1]
        if text.rstrip().endswith("\\"):
            text = text.rstrip()[:-1]
            continue
        commands.append((start, text))
        start, text = 0, ""
    return commands


def used_prefixes(commands):
    """The prefixes that RUN lines name, each with the line that does and
    whether it reads its directives from the test file itself."""
    prefixes = {}
    for number, text in commands:
        for call in FILECHECK.finditer(text):
            named = PREFIXES.findall(call[1])
            for prefix in ",".join(named).split(",") if named else ["CHECK"]:
                own_file = re.search(r"%s\b", call[1]) is not None
                prefixes.setdefault(prefix, (number, own_file))
    return prefixes


def check_prefixes(source: Source, prefixes):
    """Checks that a named prefix has a directive, and a directive a RUN
    line."""
    findings, seen = [], set()
    directive = re.compile(
        rf"^\s*(?://|#|;)?\s*([A-Z][A-Z0-9_-]*?)(?:-{KINDS})?"
        r"(?:\{[A-Z,]+\})?:")
    for number, line in enumerate(source.lines, 1):
        match = directive.match(line)
        if not match:
            continue
        seen.add(match[1])
        looks_like_one = (match[1].startswith("CHECK")
                          or re.search(rf"-{KINDS}(\{{[A-Z,]+\}})?:", match[0]))
        if match[1] not in prefixes and looks_like_one:
            findings.append(Finding(source.path, number,
                                    f"no RUN line uses '{match[1]}'"))
    for prefix, (number, own_file) in prefixes.items():
        if own_file and prefix not in seen:
            findings.append(Finding(source.path, number,
                                    f"no directive uses '{prefix}'"))
    return findings


def check_colons(source: Source, prefixes):
    """Checks that a comment which starts like a directive has its colon."""
    names = "|".join(map(re.escape, set(prefixes) | {"CHECK"}))
    bare = re.compile(rf"^\s*(?://|#|;)\s*((?:{names})(?:-{KINDS})?)"
                      r"(?:\{[A-Z,]+\})?(?:\s*$|\s+[^:\s])")
    return [Finding(source.path, number, f"'{match[1]}' lacks its colon")
            for number, line in enumerate(source.lines, 1)
            if (match := bare.match(line))]


def check_runs(source: Source, commands):
    """Checks that every RUN line is checked, or writes a file that a later one
    reads."""
    findings = []
    for index, (number, text) in enumerate(commands):
        if VERIFIES.search(text) or PREPARES.match(text):
            continue
        written = set(TEMPORARY.findall(text))
        later = " ".join(other for _, other in commands[index + 1:])
        if not written & set(TEMPORARY.findall(later)):
            findings.append(Finding(
                source.path, number,
                "nothing looks at what this RUN line does; add FileCheck, "
                "-verify-diagnostics or a comparison"))
    if not commands:
        findings.append(Finding(source.path, 0, "a test without a RUN line"))
    return findings


def check_source(source: Source):
    commands = run_lines(source)
    prefixes = used_prefixes(commands)
    return (check_runs(source, commands) + check_prefixes(source, prefixes)
            + check_colons(source, prefixes))


def check(root):
    return [finding
            for source in source_tree.read_sources(
                root, (".mlir", ".test"), ("test",))
            if "/Inputs/" not in source.path
            for finding in check_source(source)]


if __name__ == "__main__":
    source_tree.main(__doc__, check)

#!/usr/bin/env python3
"""Checks the structure of the sources: no file, function or page is too long,
no two files repeat each other, and a file name has one meaning.

A function is found by its layout, which clang-format fixes: a line that ends in
`) {` or the like, and the closing brace in the same column.
"""
import collections
import re

import source_tree
from source_tree import Finding, Source

CODE = (".h", ".cpp", ".inc")
MAX_FILE_LINES = 560
MAX_FUNCTION_LINES = 60
MAX_PAGE_LINES = 250
# A script writes these.
GENERATED_PAGES = {"docs/onnx-support.md", "docs/onnx-support-newest.md"}
# More equal lines than this in two files are one thing written twice.
MAX_SHARED_LINES = 11

# What opens a block that is no function.
NO_FUNCTION = re.compile(
    r"^\s*(?:\}\s*)?(namespace|extern|class|struct|union|enum|if|else|for|while"
    r"|do|switch|try|catch|case|default)\b")
OPENS = re.compile(r"\{$")
# A lambda in a table; others are parts of functions.
LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*\([^()]*\)[^()]*\{$")
# Records have one file per family of ops in each folder that knows families, so
# these names mean the same in all of them.
FAMILIES = re.compile(r"include/weir/Dialect/Weir/IR/Ops/(\w+)\.td$")
# Each dialect and each folder of passes has these.
SHARED_NAMES = {"Passes.h", "CMakeLists.txt"}


def statement_start(lines, end):
    """The line on which the statement begins whose last line is `end`."""
    start = end
    while start > 0 and lines[start - 1].strip() and not re.search(
            r"[;{}]$|^\s*(//|#)|\b(public|private|protected):$|^\s*template",
            lines[start - 1].rstrip()):
        start -= 1
    return start


def functions(lines):
    """The first and the last line of each function, counted from 0; a lambda is
    part of the function around it."""
    end_of_last = -1
    for number, line in enumerate(lines):
        line = line.rstrip()
        if (number <= end_of_last or not OPENS.search(line)
                or LAMBDA.search(line)):
            continue
        start = statement_start(lines, number)
        head = " ".join(part.strip() for part in lines[start:number + 1])
        if NO_FUNCTION.match(head) or "(" not in head:
            continue
        margin = len(lines[start]) - len(lines[start].lstrip())
        closing = re.compile(rf"^ {{{margin}}}\}}")
        last = next((n for n in range(number + 1, len(lines))
                     if closing.match(lines[n])), None)
        if last is not None:
            yield start, last
            end_of_last = last


def check_sizes(source: Source):
    lines = source.lines
    findings = []
    if len(lines) - 1 > MAX_FILE_LINES:
        findings.append(Finding(source.path, 0, f"has {len(lines) - 1} lines, "
                                f"more than {MAX_FILE_LINES}: split it"))
    for start, last in functions(lines):
        length = last - start + 1
        if length > MAX_FUNCTION_LINES:
            findings.append(Finding(
                source.path, start + 1, f"a function of {length} lines, more "
                f"than {MAX_FUNCTION_LINES}: split it"))
    return findings


def check_page(page: Source):
    length = len(page.lines) - 1
    if length <= MAX_PAGE_LINES or page.path in GENERATED_PAGES:
        return []
    return [Finding(page.path, 0, f"has {length} lines, more than "
                    f"{MAX_PAGE_LINES}: divide it")]


def telling_lines(source: Source):
    """(line number, text) of the lines that say something of their own."""
    for number, line in enumerate(source.lines, 1):
        text = line.strip()
        if (re.search(r"\w", text) and not text.startswith("//")
                and not text.startswith("#")
                and not re.match(r"(using )?namespace\b", text)):
            yield number, text


def check_repetition(sources):
    """Runs of more than MAX_SHARED_LINES equal lines in two files."""
    window = MAX_SHARED_LINES + 1
    places = {}
    findings = []
    reported = set()
    for source in sources:
        lines = list(telling_lines(source))
        for at in range(len(lines) - window + 1):
            run = tuple(text for _, text in lines[at:at + window])
            first = places.setdefault(run, (source.path, lines[at][0]))
            pair = (first[0], source.path)
            if first[0] != source.path and pair not in reported:
                reported.add(pair)
                findings.append(Finding(
                    source.path, lines[at][0], f"{window} lines or more are "
                    f"those of {first[0]}:{first[1]}: write them once"))
    return findings


def check_names(sources, families):
    """Two headers, or two sources, of one name in different folders, unless the
    name is that of a family of ops."""
    folders = collections.defaultdict(set)
    for source in sources:
        folder, name = source.path.rsplit("/", 1)
        stem = name.rsplit(".", 1)[0]
        if name not in SHARED_NAMES and stem not in families:
            folders[name].add(folder)
    return [Finding(f"{folder}/{name}", 0,
                    f"another file of this name lies in {min(others)}: give "
                    "one of them the name of what it holds")
            for name, places in sorted(folders.items())
            for folder in sorted(places)
            if (others := places - {folder}) and folder > min(others)]


def check(root):
    sources = source_tree.read_sources(root, CODE, ("include", "lib"))
    tools = source_tree.read_sources(root, CODE, ("tools", "test"))
    pages = source_tree.read_sources(root, (".md",), ("docs",))
    records = source_tree.read_sources(root, (".td",), ("include",))
    families = {match[1] for record in records
                if (match := FAMILIES.match(record.path))}
    return ([finding for source in sources + tools
             for finding in check_sizes(source)]
            + [finding for page in pages if page.path.startswith("docs/")
               for finding in check_page(page)]
            + check_repetition(sources) + check_names(sources, families))


if __name__ == "__main__":
    source_tree.main(__doc__, check)

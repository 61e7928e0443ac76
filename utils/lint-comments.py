#!/usr/bin/env python3
"""Checks that comments and descriptions name their subject first.

A comment that begins with "Of", "By", "Those", "That of" or "As" leaves the
reader to guess what it is about. A comment on a member is a noun phrase that
names the thing: "The links by device", and not "By device".
"""
import re

import source_tree
from source_tree import Finding, Source

SLASHED = (".h", ".cpp", ".c", ".inc", ".td", ".cu", ".cuh", ".fbs", ".mlir",
           ".test")
HASHED = (".py", ".sh", ".cmake", "CMakeLists.txt", ".in")

FIRST = re.compile(r"(Of|By|Those|That of|As)\b")
SLASHED_COMMENT = re.compile(r"(?:^|\s)(?P<mark>//+<?)\s*(?P<text>.*)$")
HASHED_COMMENT = re.compile(r"(?:^|\s)(?P<mark>#+)\s*(?P<text>.*)$")
DOC_STRING = re.compile(r'^\s*[rf]?"""(?P<text>.*)')
SUMMARY = re.compile(r'\bsummary = "(?P<text>.*)')
# "RUN: ..." or "CHECK-NEXT: ...": no words of a comment.
DIRECTIVE = re.compile(r"[A-Z][A-Z0-9_-]*(\{[A-Z,]+\})?:")


def comments(source: Source):
    """(line number, text) of the first line of each comment and of each of its
    paragraphs. A line that goes on in the same column is no first line."""
    pattern = (SLASHED_COMMENT if source.path.endswith(SLASHED)
               else HASHED_COMMENT)
    column = None
    for number, line in enumerate(source.lines, 1):
        match = pattern.search(line)
        has_words = (match and re.search(r"\w", match["text"])
                     and not DIRECTIVE.match(match["text"]))
        if not has_words:
            column = None
            continue
        if match.start("mark") != column:
            yield number, match["text"]
        column = match.start("mark")


def descriptions(source: Source):
    """(line number, text) where a doc string, or a summary or block of text in
    a record, begins."""
    before = ""
    for number, line in enumerate(source.lines, 1):
        match = None
        if source.path.endswith(".py"):
            match = DOC_STRING.match(line)
        elif source.path.endswith(".td"):
            match = SUMMARY.search(line)
            if before.endswith("[{"):
                yield number, line.strip()
        if match:
            # Summaries begin with a small letter.
            yield number, match["text"][:1].upper() + match["text"][1:]
        before = line


def check_source(source: Source):
    return [Finding(source.path, number,
                    f"begins with '{match[1]}': name first what it is about")
            for starts in (comments, descriptions)
            for number, text in starts(source)
            if (match := FIRST.match(text))]


def check(root):
    return [finding
            for source in source_tree.read_sources(root, SLASHED + HASHED)
            for finding in check_source(source)]


if __name__ == "__main__":
    source_tree.main(__doc__, check)

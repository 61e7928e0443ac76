#!/usr/bin/env python3
"""Checks that a word in the names of types has the meanings that the glossary
gives it, and no other.

The section "Words in the names of types" of docs/glossary.md has a table. Each
row has a word, one of its meanings, and the types of this meaning. A type in
include/ or lib/ whose name has one of the words must stand in exactly one row,
and each type in a row must exist, in one place. So a new type either has one of
the known meanings, or the glossary says what else the word means now.
"""
import re
from typing import NamedTuple

import source_tree
from source_tree import Finding, Source

GLOSSARY = "docs/glossary.md"
HEADING = "## Words in the names of types"
DEFINITION = re.compile(
    r"^[ \t]*(?:class|struct|enum(?: class)?) (?:\[\[\w+\]\] )?(\w+)"
    r"(?: final)?\s*(?::(?!:)[^;{]*)?\{", re.M)
WORD = re.compile(r"[A-Z][a-z]*")


class Row(NamedTuple):
    """A row of the table: a word with one of its meanings."""
    line: int
    word: str
    types: list[str]


def table_rows(glossary: Source):
    """The rows of the table of words."""
    rows, is_inside = [], False
    for number, line in enumerate(glossary.lines, 1):
        if line.startswith("## "):
            is_inside = line == HEADING
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if is_inside and len(cells) == 3 and "`" in cells[2]:
            rows.append(Row(number, cells[0],
                            re.findall(r"`(\w+)`", cells[2])))
    return rows


def has_word(name, word):
    """Whether `word`, or a form of it such as a plural, is in `name`."""
    stem = word.lower()
    forms = {stem, stem + "s", stem + "ner", stem + "ned", stem + "ning"}
    return any(part.lower() in forms for part in WORD.findall(name))


def definitions(sources):
    """Where types are defined, as lists of (path, line) by their names."""
    places = {}
    for source in sources:
        for match in DEFINITION.finditer(source.text):
            line = source.text.count("\n", 0, match.start(1)) + 1
            places.setdefault(match[1], []).append((source.path, line))
    return places


def check_listed(rows, places):
    """Checks that each type in the table exists once, and is listed once."""
    lines = {}
    for row in rows:
        for name in row.types:
            if name not in places:
                yield Finding(GLOSSARY, row.line, f"there is no type '{name}'")
            elif not has_word(name, row.word):
                yield Finding(
                    GLOSSARY, row.line,
                    f"the name '{name}' does not have the word '{row.word}'")
            first = lines.setdefault((name, row.word), row.line)
            if first != row.line:
                yield Finding(GLOSSARY, row.line,
                              f"'{name}' is in line {first} already")
            for path, line in places.get(name, [])[1:]:
                yield Finding(path, line, f"a second type '{name}', after "
                              f"that of {places[name][0][0]}; choose another "
                              "name")


def check_unlisted(rows, places):
    """Checks that each type with one of the words is in the table."""
    listed = {(name, row.word) for row in rows for name in row.types}
    words = dict.fromkeys(row.word for row in rows)
    for name, ((path, line), *_) in sorted(places.items()):
        for word in words:
            if has_word(name, word) and (name, word) not in listed:
                yield Finding(
                    path, line, f"'{name}' has the word '{word}': add it to "
                    f"the row of {GLOSSARY} with the meaning that it has here, "
                    "or choose another name")


def check_sources(glossary: Source, sources: list[Source]):
    rows = table_rows(glossary)
    if not rows:
        return [Finding(GLOSSARY, 0, f"no table below '{HEADING}'")]
    places = definitions(sources)
    return [*check_listed(rows, places), *check_unlisted(rows, places)]


def check(root):
    sources = source_tree.read_sources(root, (".h", ".cpp"),
                                       ("include", "lib"))
    glossary = Source(GLOSSARY, (root / GLOSSARY).read_text(encoding="utf-8"))
    return check_sources(glossary, sources)


if __name__ == "__main__":
    source_tree.main(__doc__, check)

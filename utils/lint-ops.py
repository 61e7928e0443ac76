#!/usr/bin/env python3
"""Checks that what Weir knows of an op stays in one place.

An op belongs to its record, its family's kernel file and its test. So its class
name, its mnemonic and the name of each of its kernels may stand in at most
three hand-written files of include/ and lib/. Importers are apart: they name
the ops of other formats. So are plug-ins, each of which names the ops that its
kernels serve, and what reads datasets: it knows no ops, but its steps have
names such as "cast". There is no list of exceptions: what trips this asks an
interface, or gets a name of its own.

What other systems call an op, `otherNames`, belongs to one record alone.

An op is what computes: a record of the class Weir_Op. The few of Weir_PlainOp
(group, yield, copy, read, ...) are the structure that passes are about.
"""
import re
from typing import NamedTuple

import source_tree
from source_tree import Finding, Source

LIMIT = 3
RECORDS = "include/weir/Dialect/Weir/IR/"
RECORD = re.compile(r"^def\s+(\w+)\s*:\s*(\w+)\s*<\s*(?:\"([\w.]+)\")?", re.M)
CLASS = re.compile(r"^class\s+(\w+)\s*<[^{;]*?>\s*:\s*(\w+)\s*<", re.M)

OTHER_NAMES = re.compile(r"let otherNames = \[(.*?)\]", re.S)


class Name(NamedTuple):
    """A name, the record or file it is from, and its look in code."""
    origin: str
    text: str
    pattern: re.Pattern


def class_pattern(name):
    """The class, unless another dialect's namespace stands before it."""
    return re.compile(rf"(?<![\w:])(?:(?:::)?weir::)?{name}\b")


def classes_below(base, sources):
    """The TableGen classes that derive from `base`, itself left out."""
    parents = {name: parent for source in sources
               for name, parent in CLASS.findall(source.text)}
    found, grown = {base}, True
    while grown:
        more = {name for name, parent in parents.items() if parent in found}
        grown = not more <= found
        found |= more
    return found - {base}


def op_records(sources):
    """(source, match of RECORD) of every record of an op that computes."""
    classes = classes_below("Weir_Op", sources) | {"Weir_Op"}
    return [(source, match) for source in sources
            for match in RECORD.finditer(source.text) if match[2] in classes]


def kernel_names(sources):
    """Where each kernel is first named, by its name."""
    # A subclass fixes the device kind: its first argument is the kernel.
    rows = "|".join(sorted(classes_below("KernelRow", sources))) or "(?!)"
    row = re.compile(rf'\b(?:{rows})\s*<\s*"([\w.]+)"')
    names = {}
    for source in sources:
        for name in row.findall(source.text):
            names.setdefault(name, source.path)
    return names


def op_names(sources):
    """All names of all ops and kernels in `sources`, the .td files."""
    names = []
    for _, match in op_records(sources):
        record, mnemonic = match[1], match[3]
        names.append(Name(record, record, class_pattern(record)))
        if mnemonic:
            names.append(Name(record, mnemonic, re.compile(
                rf'"(?:weir\.)?{re.escape(mnemonic)}"'
                rf"|\bweir\.{re.escape(mnemonic)}(?![\w.])")))
    for name, path in kernel_names(sources).items():
        names.append(Name(path, name, re.compile(f'"{re.escape(name)}"')))
    return names


def check_records(sources):
    """Checks that every op record has its mnemonic where this script expects
    it."""
    return [Finding(source.path,
                    source.text.count("\n", 0, match.start()) + 1,
                    f"{match[1]}: its mnemonic is not the first argument")
            for source, match in op_records(sources) if not match[3]]


def check_other_names(sources):
    """Checks that no other name of an op is the mnemonic of an op, or another
    name of a second one."""
    records = op_records(sources)
    taken = {match[3]: match[1] for _, match in records if match[3]}
    findings = []
    for source, match in records:
        body = source.text[match.end():].split("\ndef ", 1)[0]
        for line in OTHER_NAMES.findall(body):
            for name in re.findall(r'"(\w+)"', line):
                owner = taken.setdefault(name, match[1])
                if owner != match[1]:
                    findings.append(Finding(
                        source.path,
                        source.text.count("\n", 0, match.start()) + 1,
                        f"{match[1]}: the other name '{name}' belongs to "
                        f"{owner}"))
    return findings


def check_spread(names, sources):
    """Checks that no name is in more than LIMIT of `sources`."""
    findings = []
    for name in names:
        places = [source.path for source in sources
                  if name.text in source.text
                  and name.pattern.search(source.text)]
        if len(places) > LIMIT:
            findings.append(Finding(
                name.origin, 0, f"'{name.text}' stands in {len(places)} files, "
                f"at most {LIMIT} may name it: {', '.join(places)}"))
    return findings


def check_sources(sources: list[Source]):
    sources = [source for source in sources
               if "/Import/" not in source.path
               and "/Plugins/" not in source.path
               and "/Data/" not in source.path]
    records = [source for source in sources
               if source.path.startswith(RECORDS)
               and source.path.endswith(".td")]
    return (check_records(records)
            + check_other_names(records)
            + check_spread(op_names(records), sources))


def check(root):
    return check_sources(source_tree.read_sources(
        root, (".h", ".cpp", ".td", ".inc", ".cu", ".cuh", ".fbs"),
        ("include", "lib")))


if __name__ == "__main__":
    source_tree.main(__doc__, check)

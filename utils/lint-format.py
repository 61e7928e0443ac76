#!/usr/bin/env python3
"""Checks the form of files: banner, length, columns, white space, clang-format,
no code in comments, and no reminder that cites no issue."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import source_tree
from source_tree import Finding, Source

CODE = (".h", ".cpp", ".inc", ".td", ".cu", ".cuh")
FORMATTED = (".h", ".cpp")
SCRIPTS = (".py", ".sh", ".cmake", "CMakeLists.txt", ".in")
# Tests may have long lines: a RUN line.
ALL = CODE + SCRIPTS + (".fbs", ".mlir", ".test", ".md", ".json", ".supp")
MAX_LINES = 800
MAX_COLUMNS, MAX_PROSE_COLUMNS = 80, 100

LICENSE = ("// Part of Weir, under the Apache License v2.0. "
           "See LICENSE for details.")
# Also as clang-format leaves one that was too long: in two lines.
BANNER = re.compile(r"//===-+ (?P<name>\S+) - (?P<purpose>.*?)[ -]*"
                    r"(?:-\*-\s+(?://\s+)?(?P<language>C\+\+|tablegen)"
                    r"(?:\n//)?\s*-\*-)?"
                    r"[ -]*===//\n")
# Spelt in pieces, so that this file does not report itself.
REMINDER = re.compile(r"\b(" + "TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
CITED_REMINDER = re.compile(r"\bTO" + r"DO\(#\d+\): \S")

# More than two spaces set off an example.
CPP_COMMENT = re.compile(r"^\s*//(?!/|=|-)\s{0,2}(\S.*)$")
CPP_CODE = re.compile(
    r"^(#\s*(include|define|if|endif)\b.*"
    r"|.*(\w\(.*\)|\s=\s|->|::).*[;{]"
    r"|(return|break|continue|else)\b.*[;{]"
    r"|(if|for|while|switch) \(.*[;{]"
    r"|\}.*[;{]|\})$")
PYTHON_COMMENT = re.compile(r"^\s*#\s{0,2}(\S.*)$")
PYTHON_CODE = re.compile(
    r"^\s*((import|from)\s+[\w.]+(\s+import\s.*)?"
    r"|[\w.]+\s=\s.*[)\]\w\"']|[\w.]+\(.*\))$")


def check_banner(source: Source):
    """C++ and TableGen start with LLVM's banner, scripts with their purpose."""
    name, lines = source.path.rsplit("/", 1)[-1], source.lines
    if name.endswith(CODE):
        first = re.compile(rf"//===-+ {re.escape(name)} - \S.*===//$")
        if not (len(lines) > 2 and first.match(lines[0])
                and lines[2] == LICENSE):
            return [Finding(source.path, 1, "does not start with the banner, "
                            "as in include/weir/Support/Status.h")]
    elif name.endswith((".py", ".sh", ".cmake")):
        body = lines[1:] if lines[0].startswith("#!") else lines
        if not body or not re.match(r'# \w|"""\w', body[0]):
            return [Finding(source.path, 1,
                            "does not start with a comment on its purpose")]
    return []


def check_size(source: Source):
    findings = []
    if len(source.lines) - 1 > MAX_LINES and source.path.endswith(
            CODE + SCRIPTS + (".fbs",)):
        findings.append(Finding(source.path, 0, f"has {len(source.lines) - 1} "
                                f"lines, more than {MAX_LINES}: split it"))
    if source.path.endswith(CODE + SCRIPTS + (".fbs",)):
        findings += [
            Finding(source.path, number, f"{len(line)} columns, more than "
                    f"{MAX_COLUMNS}")
            for number, line in enumerate(source.lines, 1)
            if len(line) > MAX_COLUMNS]
    return findings


def check_prose(source: Source):
    """Pages wrap their prose. Tables and fenced text may be wider."""
    findings, is_fenced = [], False
    if not source.path.endswith(".md"):
        return findings
    for number, line in enumerate(source.lines, 1):
        text = line.lstrip()
        is_fenced ^= text.startswith("```")
        if (len(line) > MAX_PROSE_COLUMNS and not is_fenced
                and not text.startswith("|")):
            findings.append(Finding(source.path, number,
                                    f"{len(line)} columns, more than "
                                    f"{MAX_PROSE_COLUMNS}"))
    return findings


def check_white_space(source: Source):
    findings = []
    for number, line in enumerate(source.lines, 1):
        if "\t" in line:
            findings.append(Finding(source.path, number, "a tab"))
        if line != line.rstrip():
            findings.append(Finding(source.path, number,
                                    "white space at the end"))
    if source.text and not source.text.endswith("\n"):
        findings.append(Finding(source.path, len(source.lines),
                                "no new line at the end"))
    elif source.text.endswith("\n\n"):
        findings.append(Finding(source.path, len(source.lines) - 1,
                                "empty lines at the end"))
    return findings


def check_reminders(source: Source):
    return [Finding(source.path, number,
                    "a reminder is written with its issue: TO" "DO(#12): ...")
            for number, line in enumerate(source.lines, 1)
            if REMINDER.search(line) and not CITED_REMINDER.search(line)]


def check_dead_code(source: Source):
    """Comments that read like code. Documentation (///) may show examples."""
    if source.path.endswith(CODE):
        comment, code = CPP_COMMENT, CPP_CODE
    elif source.path.endswith(".py"):
        comment, code = PYTHON_COMMENT, PYTHON_CODE
    else:
        return []
    return [Finding(source.path, number, "code in a comment")
            for number, line in enumerate(source.lines, 1)
            if (match := comment.match(line))
            and code.match(match[1].rstrip())]


def check_source(source: Source):
    return (check_banner(source) + check_size(source) + check_prose(source)
            + check_white_space(source) + check_reminders(source)
            + check_dead_code(source))


def find_clang_format(root):
    """The one that bootstrap.sh installs, else the system's."""
    places = [pathlib.Path(sys.prefix) / "bin", root / ".deps/venv/bin"]
    if "WEIR_DEPS_DIR" in os.environ:
        places.insert(0, pathlib.Path(os.environ["WEIR_DEPS_DIR"], "venv/bin"))
    places = [str(place) for place in places] + [os.environ.get("PATH", "")]
    return shutil.which("clang-format", path=os.pathsep.join(places))


def check_clang_format(root, paths):
    program = find_clang_format(root)
    if not program:
        return [Finding(".clang-format", 0, "clang-format was not found; run "
                        "utils/bootstrap.sh")]
    if not paths:
        return []
    done = subprocess.run([program, "--dry-run", "-Werror", *paths], cwd=root,
                          stderr=subprocess.PIPE, text=True)
    return [Finding(path, int(line), "is not as clang-format lays it out")
            for path, line in re.findall(r"^(\S+?):(\d+):\d+: error:",
                                         done.stderr, re.M)]


def check(root):
    sources = source_tree.read_sources(root, ALL)
    findings = [finding for source in sources
                for finding in check_source(source)]
    return findings + check_clang_format(
        root, [s.path for s in sources if s.path.endswith(FORMATTED)])


def fix_white_space(text: str):
    lines = [line.replace("\t", "  ").rstrip() for line in text.split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n" if text else text


def fix_banner(text: str):
    """The banner in one line; the editor's marker goes where it is too long."""
    match = BANNER.match(text)
    if not match or ("\n" not in match[0][:-1]
                     and len(match[0]) - 1 <= MAX_COLUMNS):
        return text
    start = f"//===- {match['name']} - {match['purpose']} "
    marked = start + f"-*- {match['language'] or 'C++'} -*-===//"
    plain = start + "-" * (MAX_COLUMNS - len("===//") - len(start)) + "===//"
    banner = marked if len(marked) <= MAX_COLUMNS else plain
    return banner + "\n" + text[match.end():]


def fix(root):
    """Lays out anew what a machine can, in place."""
    sources = source_tree.read_sources(root, ALL)
    for source in sources:
        mended = fix_white_space(source.text)
        if source.path.endswith(CODE):
            mended = fix_banner(mended)
        if mended != source.text:
            (root / source.path).write_text(mended, encoding="utf-8")
    program = find_clang_format(root)
    paths = [s.path for s in sources if s.path.endswith(FORMATTED)]
    if program and paths:
        subprocess.run([program, "-i", *paths], cwd=root, check=True)


if __name__ == "__main__":
    source_tree.main(__doc__, check, fix)

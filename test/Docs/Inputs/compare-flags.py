#!/usr/bin/env python3
"""Compares the flags of a tool's --help with those that docs/cli.md lists.

usage: compare-flags.py CLI.md TOOL [PATTERN]

The page has a section per tool. Its flags stand at the start of table rows and,
for pipelines, in text. With PATTERN, only flags of --help that it matches must
be on the page: graph-opt has hundreds from MLIR.
"""
import re
import subprocess
import sys

FLAG = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def documented_flags(page, tool):
    """The flags in code spans, without what they are set to."""
    section = re.search(rf"^## {tool}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
    text = re.sub(r"^```.*?^```", "", section, flags=re.M | re.S)
    rows = re.findall(r"^\| (`-.*?) \|", text, re.M)
    pipelines = re.findall(r"^Pipelines:.*?(?=\n\n|\Z)", text, re.M | re.S)
    return {flag for part in rows + pipelines
            for span in re.findall(r"`([^`]+)`", part)
            for flag in FLAG.findall(span)}


def help_flags(tool):
    """The flags at the start of a line: the rest is explanation."""
    text = subprocess.run([tool, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    starts = re.findall(r"^\s+(-[\w,-]+)", text, re.M)
    return {flag for start in starts for flag in start.split(",")}


def main():
    path, tool = sys.argv[1:3]
    pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    with open(path, encoding="utf-8") as file:
        documented = documented_flags(file.read(), tool)
    helped = help_flags(tool)
    # -h is CLI11's short form of --help.
    absent = {flag for flag in helped - documented - {"-h"}
              if pattern.search(flag)}
    stale = documented - helped
    for flag in sorted(absent):
        print(f"{path}: {tool} has {flag}, which is not on the page")
    for flag in sorted(stale):
        print(f"{path}: the page lists {flag}, which {tool} does not have")
    sys.exit(bool(absent or stale))


if __name__ == "__main__":
    main()

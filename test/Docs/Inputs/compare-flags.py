#!/usr/bin/env python3
"""Compares the flags of a tool's --help with those that its pages list.

usage: compare-flags.py [--only=PATTERN] TOOL PAGE.md...

A page of docs/cli lists flags in the first cells of its tables. With PATTERN,
only flags of --help that it matches must be there: graph-opt has hundreds from
MLIR.
"""
import argparse
import re
import subprocess
import sys

FLAG = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def documented_flags(page):
    """The flags in the code spans of first cells, without what they are set
    to."""
    cells = re.findall(r"^\| (`-.*?) \|", page, re.M)
    return {flag for cell in cells for span in re.findall(r"`([^`]+)`", cell)
            for flag in FLAG.findall(span)}


def help_flags(tool):
    """The flags at the start of a line: the rest is explanation."""
    text = subprocess.run([tool, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    starts = re.findall(r"^\s+(-[\w,-]+)", text, re.M)
    return {flag for start in starts for flag in start.split(",")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", type=re.compile)
    parser.add_argument("tool")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    documented = set()
    for path in options.pages:
        with open(path, encoding="utf-8") as file:
            documented |= documented_flags(file.read())
    helped = help_flags(options.tool)
    # -h is CLI11's short form of --help.
    absent = {flag for flag in helped - documented - {"-h"}
              if options.only.search(flag)}
    stale = documented - helped
    pages = " and ".join(options.pages)
    for flag in sorted(absent):
        print(f"{options.tool} has {flag}, which is not in {pages}")
    for flag in sorted(stale):
        print(f"{pages}: {flag} is listed, but {options.tool} does not have it")
    sys.exit(bool(absent or stale))


if __name__ == "__main__":
    main()

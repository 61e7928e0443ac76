#!/usr/bin/env python3
"""Checks that every line of one file stands in another, whatever its indent.

usage: contains-lines.py PART WHOLE
"""
import sys


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()]


def main():
    part, whole = (lines_of(path) for path in sys.argv[1:])
    known = set(whole)
    if strange := [line for line in part if line not in known]:
        sys.exit(f"not in {sys.argv[2]}:\n" + "\n".join(strange))


if __name__ == "__main__":
    main()

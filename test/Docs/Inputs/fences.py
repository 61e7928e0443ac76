#!/usr/bin/env python3
"""Prints the fenced code blocks of one language of a Markdown page.

usage: fences.py PAGE.md LANGUAGE
"""
import re
import sys


def main():
    path, language = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(rf"^```{re.escape(language)}\n(.*?)^```",
                            file.read(), re.M | re.S)
    if not blocks:
        sys.exit(f"{path}: no block of {language}")
    print("".join(blocks), end="")


if __name__ == "__main__":
    main()

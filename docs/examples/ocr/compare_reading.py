#!/usr/bin/env python3
"""Compares what the program `ocr` printed with what another reader found.

usage: ocr ... | compare_reading.py EXPECTED.json

Every line must have the same text, in the same order, and every corner of its
box must be within two pixels; scores may differ. Exits with 1 otherwise.
"""
import json
import pathlib
import re
import sys

TOLERANCE = 2
LINE = re.compile(r"[01]\.\d{3}  (\d+,\d+ \d+,\d+ \d+,\d+ \d+,\d+) +(.*)")


def read_output(output):
    for match in filter(None, map(LINE.fullmatch, output.splitlines())):
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        yield match[2], list(zip(numbers[::2], numbers[1::2]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    expected = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = list(read_output(sys.stdin.read()))
    problems = []
    if len(found) != len(expected["lines"]):
        problems.append(f"expected {len(expected['lines'])} lines of text, "
                        f"found {len(found)}")
    furthest = 0
    for line, (text, box) in zip(expected["lines"], found):
        if text != line["text"]:
            problems.append(f"expected '{line['text']}', found '{text}'")
        away = max(abs(a - b) for one, other in zip(line["box"], box)
                   for a, b in zip(one, other))
        furthest = max(furthest, away)
        if away > TOLERANCE:
            problems.append(f"'{line['text']}': expected the box "
                            f"{line['box']}, found {box}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(found)} lines as expected, boxes within {furthest} pixels")


if __name__ == "__main__":
    main()

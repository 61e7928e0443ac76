"""Alters every value and step of an exec program by one, in both directions.

usage: alter.py PROGRAM.mlir FOLDER COMMAND...

Runs COMMAND with each altered program on its standard input. It must refuse the
program, or print the same flow of data as for the program itself: the lines of
the dump that name views and copies are then equal, since events alone differ.
Such programs go to FOLDER as harmless0.mlir, harmless1.mlir, ... to be run.
"""

import pathlib
import re
import subprocess
import sys


def numbers(text):
    """The spans of all values, offsets and steps that events and views have,
    and of the trips."""
    for match in re.finditer(r"value (?P<value>-?\d+)|"
                             r"step \[(?P<step>-?\d+)\]|"
                             r"exec\.(?:wait|record) (?P<event>\d+)|"
                             r"%\w+\[(?P<offset>\d+)(?= step)|"
                             r"exec\.repeat (?P<trips>\d+)", text):
        yield match.lastgroup, match.span(match.lastgroup)


def without_events(text):
    return [line for line in text.splitlines()
            if not re.search(r"exec\.(wait|record)", line)]


def main():
    path, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    counts = {"refused": 0, "harmless": 0}
    for kind, (begin, end) in numbers(text):
        for change in (-1, 1):
            number = int(text[begin:end]) + change
            if kind in ("event", "offset") and number < 0:
                continue
            altered = text[:begin] + str(number) + text[end:]
            line = altered.count("\n", 0, begin) + 1
            run = subprocess.run(command, input=altered, text=True,
                                 capture_output=True)
            if run.returncode not in (0, 1):
                sys.exit(f"line {line}: {kind} {number}: ended by "
                         f"{run.returncode}")
            is_harmless = (run.returncode == 0 and
                           without_events(altered) == without_events(text))
            if run.returncode == 0 and not is_harmless:
                sys.exit(f"line {line}: {kind} {number} is accepted")
            counts["harmless" if is_harmless else "refused"] += 1
            if is_harmless:
                name = f"harmless{counts['harmless'] - 1}.mlir"
                (folder / name).write_text(altered, encoding="utf-8")
                print(f"harmless: {altered.splitlines()[line - 1].strip()}")
    print(f"{counts['refused']} refused, {counts['harmless']} harmless")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Prints how long files took when they were last built, from ninja's log: the
targets of the most time and the slowest files. Times are those of ninja's jobs,
which run side by side.
"""
import argparse
import collections
import pathlib

OBJECTS = (".o", ".gch")


def read_times(build):
    """The seconds of each output, by the last time that it was made."""
    lines = (build / ".ninja_log").read_text().splitlines()[1:]
    fields = [line.split("\t") for line in lines]
    # A build that was stopped may have left part of a line.
    return {row[3]: (int(row[1]) - int(row[0])) / 1000
            for row in fields if len(row) == 5}


def target_of(output):
    """The target of an object; what else is built counts as one."""
    folders = [part for part in output.split("/") if part.endswith(".dir")]
    if not folders or not output.endswith(OBJECTS):
        return "linking and others"
    return folders[0].removesuffix(".dir")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10)
    options = parser.parse_args()
    times = read_times(options.build)
    targets = collections.Counter()
    for output, seconds in times.items():
        targets[target_of(output)] += seconds
    print(f"{options.build}: {sum(times.values()):.0f} s of jobs")
    for name, seconds in targets.most_common(options.rows):
        print(f"{seconds:8.1f} s  {name}")
    for output, seconds in collections.Counter(times).most_common(options.rows):
        print(f"{seconds:8.1f} s  {output}")


main()

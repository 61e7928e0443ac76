#!/usr/bin/env python3
"""Runs two chains that do not depend on each other on two devices: the trace
has a row for each, with all its launches, and they run at the same time.

How much faster that is, utils/bench/run.py measures. On a busy machine a device
may be done before the other has begun, so several runs are tried.
"""
import argparse
import pathlib

from batch import check, run_tool
from matmul_chains import busy_shares, read_launches, write_chains

LENGTH, SIZE, TRIES = 50, 128, 20


def run(artifact, trace):
    """The share of the time in which both devices launch."""
    run_tool("graph-run", artifact, "--input=x=random", f"--profile={trace}")
    rows = read_launches(trace)
    launches = {device: len(row) for device, row in rows.items()}
    check(launches == {"cpu:0": LENGTH, "cpu:1": LENGTH},
          f"the trace has the launches {launches}")
    return busy_shares(rows)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    text = write_chains(work, 2, LENGTH, SIZE)
    artifact = work / "chains.weir"
    run_tool("graph-compile", text, "-o", artifact, "--threads=1",
             "--devices=cpu:0-1", "--place=a*=cpu:0", "--place=b*=cpu:1")
    for _ in range(TRIES):
        if run(artifact, work / "trace.json") > 0.1:
            print("both devices were busy at once")
            return
    check(False, f"in {TRIES} runs the devices were never busy at once")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Repeats the run of each network: the outputs are always the same bits, on one
thread of the caller and on eight at once, and runs after the first allocate
nothing, the vendor library apart.
"""
import argparse
import pathlib

from batch import Batch, check
from networks import prepare_networks

REPEATS, CALLERS = 100, 8
PLACEMENTS = (
    {"devices": "cpu:0"},
    {"devices": "cpu:0-3", "placement": "random:4"},
    {"devices": "cpu:0-1", "placement": "random:5", "isolated": "all"},
    {"devices": "cpu:0-2", "placement": "random:6", "isolated": "cpu:2",
     "in_flight": 3},
)


def check_runs(batch, network, flags):
    """The vendor library's allocations."""
    case = f"{network.name} {' '.join(map(str, flags.values()))}"
    answer = batch.run(case, repeats=REPEATS, callers=CALLERS,
                       **network.request(), **flags)
    check(answer["differing_runs"] == 0,
          f"{case}: {answer['differing_runs']} of {REPEATS} runs differ")
    differing = answer["differing_runs_of_callers"]
    check(differing == [0] * CALLERS,
          f"{case}: {differing} of {REPEATS} runs of each caller differ")
    # Not counted under a sanitizer.
    allocations = answer.get("allocations", {"own": 0, "vendor": 0})
    check(allocations["own"] == 0,
          f"{case}: {allocations['own']} allocations in {REPEATS} runs")
    return allocations["vendor"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    options = parser.parse_args()
    with Batch() as batch:
        for network in prepare_networks(options.work):
            vendor = sum(check_runs(batch, network, flags)
                         for flags in PLACEMENTS)
            runs = REPEATS * len(PLACEMENTS)
            print(f"{network.name}: same bits in {runs} runs and "
                  f"{runs * CALLERS} of {CALLERS} callers; {vendor / runs:.0f} "
                  "allocations a run, all of the vendor library")


if __name__ == "__main__":
    main()

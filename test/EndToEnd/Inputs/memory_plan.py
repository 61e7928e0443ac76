#!/usr/bin/env python3
"""Compiles and runs each network and many random graphs, on one device and with
random placements on two, in shared and in isolated memory.

utils/check-memory-plan.py finds the lower bound of every arena again, from the
text of the exec dialect; an arena may be 1.05 times as large. What the session
planned and allocated has to be what stands in the text, and all that it holds
what the compiler has counted. Runs after the first allocate nothing, the vendor
library apart. Random graphs give numpy's results,
and the same bits on every placement.
"""
import argparse
import pathlib
import re
import sys

import numpy as np

from batch import ROOT, Batch, check, run_tool
from networks import prepare_networks
from random_graph import generate

RATIO = 1.05
FEWEST, MOST = 50, 500
# Rounding differs from numpy's, which computes in double precision.
TOLERANCE = 1e-3
REPEATS = 2
PLACEMENTS = (
    {"devices": "cpu:0"},
    {"devices": "cpu:0-1", "placement": "random:1"},
    {"devices": "cpu:0-1", "placement": "random:2", "isolated": "all"},
)
ARENA = re.compile(r"@(\S+) (\S+): (\d+) bytes, lower bound (\d+), ratio (\S+)")


def check_held(answer, case):
    for device in answer["devices"]:
        check(device["held_bytes"] == device["counted_bytes"],
              f"{case}: {device['name']} holds {device['held_bytes']} bytes, "
              f"{device['counted_bytes']} were counted")


class Totals:
    """The texts of all plans, their entries numbered, and what ran."""

    def __init__(self):
        self.texts, self.devices = [], []
        self.vendor_allocations = self.runs = 0

    def add(self, answer, case):
        number = len(self.texts)
        self.texts.append(re.sub(r"exec\.entry @\w+",
                                 f"exec.entry @plan{number}",
                                 answer["texts"]["exec"]))
        for device in answer["devices"]:
            self.devices.append((f"plan{number}", device, case))
        check_held(answer, case)
        allocations = answer.get("allocations")
        if allocations:  # Not under a sanitizer.
            check(allocations["own"] == 0,
                  f"{case}: {allocations['own']} allocations in {REPEATS} runs")
            self.vendor_allocations += allocations["vendor"]
        check(answer["differing_runs"] == 0, f"{case}: runs differ")
        self.runs += REPEATS

    def check_arenas(self, work):
        """The ratio of each arena to its bound."""
        path = work / "plans.mlir"
        path.write_text("\n".join(self.texts), encoding="utf-8")
        found = {(match[1], match[2]): match for match in ARENA.finditer(
            run_tool(sys.executable, ROOT / "utils" / "check-memory-plan.py",
                     path, f"--ratio={RATIO}"))}
        ratios = []
        for plan, device, case in self.devices:
            match = found.pop((plan, device["name"]), None)
            size, bound = (int(match[3]), int(match[4])) if match else (0, 0)
            sizes = [device[key] for key in ("planned_bytes", "allocated_bytes",
                                             "lower_bound_bytes")]
            check(sizes == [size, size, bound],
                  f"{case}: {device['name']} planned, allocated and bound are "
                  f"{sizes}, expected {[size, size, bound]}")
            ratios.append(size / bound if bound else 1.0)
        check(not found, f"these arenas are of no device: {sorted(found)}")
        return ratios


def run_placements(batch, totals, case, request, path):
    """Runs all placements; the bytes of the outputs, which are the same."""
    expected = None
    for flags in PLACEMENTS:
        name = f"{case} {' '.join(map(str, flags.values()))}"
        totals.add(batch.run(name, emit=["exec"], repeats=REPEATS,
                             outputs=path, **request, **flags), name)
        found = path.read_bytes()
        expected = expected or found
        check(found == expected, f"{name}: other bits")
    return expected


def check_random_graph(batch, totals, seed, graphs, work):
    folder = work / "random"
    # Most graphs are small: they find as much, and sooner.
    share = seed / max(graphs - 1, 1)
    count = FEWEST + round((MOST - FEWEST) * share**4)
    case = f"random graph {seed} of {count} values"
    generator = generate(seed, count, folder)
    request = {
        "text": folder / "graph.mlir", "threads": 1,
        "inputs": [f"{value.name}={folder}/in_{value.name}.npy"
                   for value in generator.inputs]}
    found = np.frombuffer(
        run_placements(batch, totals, case, request, folder / "outputs.bin"),
        np.float32)
    expected = np.concatenate([value.data.ravel()
                               for value in generator.outputs])
    check(found.shape == expected.shape
          and np.allclose(found, expected, TOLERANCE, TOLERANCE),
          f"{case}: the outputs are not what numpy computes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--graphs", type=int, default=200)
    options = parser.parse_args()
    totals = Totals()
    with Batch() as batch:
        for network in prepare_networks(options.work):
            run_placements(batch, totals, network.name, network.request(),
                           network.folder / "outputs.bin")
            # With several runs in flight, a device has several arenas.
            case = f"{network.name} with 3 runs in flight"
            check_held(batch.run(case, **network.request(), **PLACEMENTS[1],
                                 in_flight=3), case)
        for seed in range(options.graphs):
            check_random_graph(batch, totals, seed, options.graphs,
                               options.work)
    ratios = totals.check_arenas(options.work)
    print(f"{len(ratios)} arenas, ratio to the lower bound: median "
          f"{np.median(ratios):.4f}, most {max(ratios):.4f}, on the bound "
          f"{sum(ratio == 1 for ratio in ratios)}")
    print(f"{totals.runs} further runs: 0 allocations of our own, "
          f"{totals.vendor_allocations} of the vendor library")


if __name__ == "__main__":
    main()

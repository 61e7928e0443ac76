#!/usr/bin/env python3
"""Shows that compilation takes time in proportion to the graph, and that scans
and scatters take time in proportion to their data.

    VENV/bin/python utils/bench/linear.py FOLDER [--bin=build/bin] [--only=NAME]

Prints a line for each measurement with its bound, and exits with 1 if one is
beyond it. Graphs and artifacts are written into FOLDER. Times of compilation
are of the CPU, which other work on the machine changes less; run times are the
least of many runs on one thread, in turns with those of a copy.
"""
import argparse
import json
import math
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

import numpy as np

import growing_graphs as graphs
from contenders import process

RUNS, TURNS = 40, 5


class Bench:
    def __init__(self, options):
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tools = options.bin
        self.has_failed = False

    def report(self, name, found, bound, unit):
        verdict = "ok" if found <= bound else "BEYOND"
        self.has_failed |= found > bound
        print(f"{name:32} {found:9.2f} {unit}, bound {bound}: {verdict}",
              flush=True)

    def tool(self, name):
        return shutil.which(name, path=self.tools) or name

    def compile(self, name, text):
        """Seconds of CPU time."""
        path = self.folder / f"{name}.mlir"
        path.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.tool("graph-compile"), path, "--threads=1", "-o",
                        self.folder / f"{name}.weir"], check=True,
                       stderr=subprocess.DEVNULL, env=process.COLD)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime - before.ru_utime + after.ru_stime -
                before.ru_stime)

    def run(self, name, inputs):
        """The least milliseconds of a run."""
        done = subprocess.run(
            [self.tool("graph-run"), self.folder / f"{name}.weir", "--json",
             "--threads=1", "--warmup=2", f"--repeat={RUNS}", *inputs],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(done.stdout)["latency_ms"]["min"]

    def compare(self, name, made, other, inputs, bound):
        """The run time of `made` as a multiple of that of `other`."""
        self.compile("made", made)
        self.compile("other", other)
        ours = theirs = math.inf
        for _ in range(TURNS):
            ours = min(ours, self.run("made", inputs))
            theirs = min(theirs, self.run("other", inputs[:1]))
        self.report(name, ours / theirs, bound, "x a copy")

    def scale(self, name, build, small, large, bound):
        """Time per op of a large graph as a multiple of that of a small one."""
        least = min(self.compile("small", build(small)) for _ in range(3))
        self.report(name, self.compile("large", build(large)) / large /
                    (least / small), bound, f"x an op of {small}")


def compile_times(bench):
    for rows, columns, axis in ((5000, 16, 0), (16, 5000, 1), (5000, 16, 1),
                                (16, 5000, 0)):
        bench.report(f"cum_sum {rows}x{columns} axis {axis}", bench.compile(
            "scan", graphs.cum_sum(rows, columns, axis)), 0.5, "s")
    bench.report("40 shifted sums", bench.compile(
        "shifted", graphs.shifted_sums(40)), 0.5, "s")
    for count, bound in ((1000, 2.5), (10000, 25)):
        bench.report(f"mix of {count}", bench.compile(
            "mix", graphs.random_mix(count)), bound, "s")


def growth(bench):
    bench.scale("100,000 reshapes", graphs.reshapes, 1000, 100000, 2)
    bench.scale("concat of 10,000", graphs.concat, 1000, 10000, 2)
    bench.scale("10,000 composites", graphs.composites, 1000, 10000, 2)
    bench.scale("gradients of 50,000 ops", graphs.gradients, 1000, 50000, 1.5)


def random_graphs(bench):
    times = [bench.compile("random", graphs.random_mix(45, 16 << seed % 4,
                                                       seed))
             for seed in range(500)]
    bench.report("random graphs, longest", max(times), 5, "s")
    bench.report("random graphs, median", statistics.median(times), 0.6, "s")


def run_times(bench):
    for rows, columns, axis, bound in ((4096, 4096, 0, 3), (4096, 4096, 1, 10),
                                       (5000, 16, 0, 3), (16, 5000, 1, 10)):
        bench.compare(f"run cum_sum {rows}x{columns} axis {axis}",
                      graphs.cum_sum(rows, columns, axis),
                      graphs.copy(rows, columns), ["--input=x=random"], bound)
    places = np.random.default_rng(3).integers(0, 1000000, (100000, 1))
    np.save(bench.folder / "places.npy", places)
    bench.compare("run scatter into 1,000,000 rows",
                  graphs.scatter(1000000, 100000, 64),
                  graphs.copy(1000000, 64),
                  ["--input=x=random", "--input=updates=random:2",
                   f"--input=places={bench.folder / 'places.npy'}"], 3)


PARTS = {"compile": compile_times, "growth": growth, "random": random_graphs,
         "run": run_times}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="where graphs are written")
    parser.add_argument("--bin", help="the folder of Weir's tools")
    parser.add_argument("--only", choices=PARTS, help="one part")
    options = parser.parse_args()
    bench = Bench(options)
    for name, part in PARTS.items():
        if options.only in (None, name):
            part(bench)
    sys.exit(bench.has_failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Shows how the time of graph-compile grows with the number of ops.

    VENV/bin/python utils/bench/compile_time.py CACHE [--bin=build/bin]

Compiles graphs of 1,000 to 50,000 ops of many kinds, made in the folder CACHE,
and fits a power of their number: 1 where an op takes the same time in a graph
of any size. Times are of the CPU, which other work on the machine changes less.
"""
import argparse
import math
import pathlib
import resource
import sys
import tempfile

import numpy as np

import cache
import networks
from contenders.process import Setting, Unable
from contenders.weir import Weir

THREADS = 2


def fit_exponent(sizes, times):
    """The slope of a line through the logarithms."""
    return float(np.polyfit([math.log(size) for size in sizes],
                            [math.log(time) for time in times], 1)[0])


def children_ms():
    """CPU time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def measure(options, scratch):
    """Prints a row for each size; the sizes and the milliseconds."""
    sizes, times = [], []
    for network in networks.GROWING:
        made = cache.ensure(network, options.folder)
        best = math.inf
        for _ in range(options.rounds):
            weir, begin = Weir(options.bin, scratch), children_ms()
            weir.compile(made, Setting(THREADS, "f32"))
            best = min(best, children_ms() - begin)
            weir.release(made)
        print(f"{made.name}: {best:.0f} ms, {1e3 * best / made.nodes:.1f} us "
              "a node", flush=True)
        sizes.append(made.nodes)
        times.append(best)
    return sizes, times


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--bin", help="the folder of Weir's tools")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        try:
            sizes, times = measure(options, scratch)
        except Unable as unable:
            sys.exit(f"error: {unable}")
    print(f"exponent {fit_exponent(sizes, times):.3f}")


if __name__ == "__main__":
    main()

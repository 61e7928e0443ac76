#!/usr/bin/env python3
"""Shows how the time of graph-compile grows with the number of ops.

    VENV/bin/python utils/bench/compile_time.py CACHE [--bin=build/bin]

Compiles graphs of 1,000 to 50,000 ops of many kinds, made in the folder CACHE,
and fits a power of their number: 1 where an op takes the same time in a graph
of any size. It is fitted once more to what is above the time of 20 ops, one of
each kind: what any graph takes to start and to generate kernels, of which equal
ones are generated once. Constant nodes do not count as ops. Times are of the
CPU, which other work on the machine changes less.
"""
import argparse
import math
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import cache
import networks
from networks import tiny
from networks.network import Network
from contenders.process import Setting, Unable, children_ms
from contenders.weir import Weir

THREADS = 2
# All kinds of op once.
SMALLEST = Network("mixed_20", tiny.mixed_ops(20),
                   tiny.values(tiny.WIDTH, tiny.WIDTH))


def fit_exponent(sizes, times):
    """The slope of a line fitted to the logarithms."""
    return float(np.polyfit([math.log(size) for size in sizes],
                            [math.log(time) for time in times], 1)[0])


def count_ops(made):
    return sum(node.op_type != "Constant"
               for node in onnx.load(made.model).graph.node)


def least_ms(made, options, scratch):
    """The least time to compile a network."""
    best = math.inf
    for _ in range(options.rounds):
        weir, begin = Weir(options.bin, scratch), children_ms()
        weir.compile(made, Setting(THREADS, "f32"))
        best = min(best, children_ms() - begin)
        weir.release(made)
    return best


def measure(options, scratch):
    """Prints a row for each size; the sizes, the milliseconds, and those of
    the smallest graph."""
    start = least_ms(cache.ensure(SMALLEST, options.folder), options, scratch)
    print(f"{SMALLEST.name}: {start:.0f} ms", flush=True)
    sizes, times = [], []
    for network in networks.GROWING:
        made = cache.ensure(network, options.folder)
        ops, best = count_ops(made), least_ms(made, options, scratch)
        print(f"{made.name}: {best:.0f} ms, {1e3 * best / ops:.1f} us an op, "
              f"{1e3 * (best - start) / ops:.1f} us above {SMALLEST.name}",
              flush=True)
        sizes.append(ops)
        times.append(best)
    return sizes, times, start


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
            sizes, times, start = measure(options, scratch)
        except Unable as unable:
            sys.exit(f"error: {unable}")
    above = [time - start for time in times]
    print(f"exponent {fit_exponent(sizes, times):.3f}, "
          f"{fit_exponent(sizes, above):.3f} above {SMALLEST.name}")


if __name__ == "__main__":
    main()

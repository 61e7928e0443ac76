#!/usr/bin/env python3
"""Compiles random graphs as people write them, and compares with numpy.

A graph follows from its seed and the way in which it is drawn and run. Graphs
share modules, so that many can be compared. One that fails is reduced.
"""
import argparse
import os
import sys
import time

import oracle
from bounded import PRECISIONS
from checker import Checker, Way, make_text
from generator import draw_graph
from graph import module_text
from reducer import count_ops, reduce

# How many graphs share a module.
AT_ONCE = 25
WAYS = {
    "f32": Way(flags={"threads": 1}),
    "bf16": Way(dtype="bf16", flags={"threads": 1}),
    "bf16-moves": Way(dtype="bf16", exact=True, flags={"threads": 1}),
    "f64": Way(dtype="f64", flags={"threads": 1}),
    "gradients": Way(gradients=True, flags={"threads": 1}),
    "checked": Way(flags={"threads": 1, "check_kernels": True}),
    "keep": Way(flags={"threads": 1, "keep": ["*"]}),
    "to-bf16": Way(precision="bf16", flags={"threads": 1, "precision": "bf16"}),
    "threads": Way(flags={"threads": 3}),
    "placements": Way(flags={"threads": 1, "devices": "cpu:0-2",
                             "isolated": "cpu:1", "placement": "random:7"}),
    "flights": Way(flags={"threads": 1, "devices": "cpu:0-1",
                          "placement": "random:7", "in_flight": 2,
                          "callers": 2, "repeats": 3}),
    "gpu": Way(flags={"devices": "emu:0"}),
}
# What of 20 modules are compiled in each way, if none is asked for.
MIXED = (["f32"] * 6 + ["bf16-moves"] * 2 + ["bf16"] * 2 + ["gradients"] * 2
         + ["checked", "keep", "threads", "to-bf16", "f64", "gpu", "placements",
            "flights"])


def way_of(number):
    """The name of the way of module `number` in a mix of all."""
    return MIXED[number % len(MIXED)]


def draw(seed, way):
    return draw_graph(seed, way.dtype, way.exact, way.gradients)


def text_of(graph):
    values = oracle.evaluate(graph, PRECISIONS[graph.dtype])
    return module_text([make_text(graph, values)])


def report(seed, name, graph, failure, checker, options):
    """Prints a failing graph, with the command that repeats it."""
    print(f"graph {seed}, {name}: {failure.kind}: {failure.message}")
    again, = checker.check([graph])
    if again and not options.no_reduce:
        graph = reduce(graph, checker, again)
        failure, = checker.check([graph])
        print(f"reduced to {count_ops(graph)} ops, "
              f"{failure.message if failure else 'and then it passes'}")
    print(f"repeat: {repeat(name, seed, 1)}" if again else
          "alone in a module it does not fail")
    print(text_of(graph), flush=True)


def repeat(name, first, count):
    return f"{sys.argv[0]} --way={name} --first={first} --count={count}"


def check_module(seeds, name, checker, options):
    """How many of the graphs fail."""
    graphs = [draw(seed, WAYS[name]) for seed in seeds]
    failing = [(seed, graph, failure) for seed, graph, failure
               in zip(seeds, graphs, checker.check(graphs)) if failure]
    for seed, graph, failure in failing:
        report(seed, name, graph, failure, checker, options)
    if failing:
        print(f"the module: {repeat(name, seeds[0], len(seeds))}", flush=True)
    return len(failing)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, help="the seed of the first graph;"
                        " default: WEIR_SEED of the environment, else 0")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--way", choices=WAYS, help="default: a mix of all")
    parser.add_argument("--most-failures", type=int, default=3)
    parser.add_argument("--no-reduce", action="store_true")
    parser.add_argument("--print", action="store_true",
                        help="print the graphs instead of checking them")
    options = parser.parse_args()
    if options.first is None:
        # The commit's number has more digits than a seed needs.
        options.first = int(os.environ.get("WEIR_SEED", "0")[:7], 16)
    return options


def main():
    options = parse_arguments()
    last = options.first + options.count
    failures, begin = 0, time.monotonic()
    modules = range(options.first, last, AT_ONCE)
    ways = [options.way or way_of(number)
            for number in range(len(modules))]
    for name in sorted(set(ways)):
        with Checker(WAYS[name]) as checker:
            for first, way in zip(modules, ways):
                if way != name or failures >= options.most_failures:
                    continue
                seeds = range(first, min(first + AT_ONCE, last))
                if options.print:
                    print(*(text_of(draw(seed, WAYS[name])) for seed in seeds))
                else:
                    failures += check_module(seeds, name, checker, options)
    print(f"{time.monotonic() - begin:.1f} s", file=sys.stderr)
    if failures:
        sys.exit(f"error: {failures} graphs fail")
    print(f"{options.count} graphs: as numpy")


if __name__ == "__main__":
    main()

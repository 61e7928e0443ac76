#!/usr/bin/env python3
"""Compares two builds of Weir, network by network: is the new one slower?

    utils/bench/setup.sh VENV
    VENV/bin/python utils/bench/regressions.py CACHE OLD/build/bin NEW/build/bin

Run it on a machine that does nothing else. In each round the old build runs
twice and the new one once, each in a process of its own, in another order each
round. A figure is the least time of a run over all rounds. B is new against
old; A/A is old against old, and says what the machine's noise is worth.

With --compile, what is compared is the time of the CPU that graph-compile takes
without a cache of kernels.

A network that looks slower is measured again, in all --repeats times. It fails
where in each of these B is above --limit and above the largest A/A, and where a
build cannot compile or run it. Exits with 1 when a network fails, or when the
geometric mean of the least B of each network is above --mean.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys
import tempfile

import cache
import make_networks
import networks
from contenders.process import Setting, Unable, children_ms
from contenders.weir import Weir
from report import table

OLD, AGAIN, NEW = range(3)


def time_run(build, made, setting, options):
    found = build.measure(made, setting, options.budget_ms)
    return found["latency_ms"]["min"]


def time_compilation(build, made, setting, options):
    begin = children_ms()
    build.compile(made, setting)
    took = children_ms() - begin
    build.release(made)
    return took


def measure(builds, made, setting, options):
    """The least time of each build, in milliseconds."""
    least = [math.inf] * len(builds)
    time = time_compilation if options.compile else time_run
    if not options.compile:
        for build in (builds[OLD], builds[NEW]):
            build.answer(made, setting, [])
    for number in range(options.rounds):
        for turn in range(len(builds)):
            which = (number + turn) % len(builds)
            least[which] = min(least[which],
                               time(builds[which], made, setting, options))
    return least


def compare(builds, made, setting, options):
    """Pairs (A/A, B), one for each time that the network was measured."""
    pairs = []
    for _ in range(options.repeats):
        old, again, new = measure(builds, made, setting, options)
        noise = max(old, again) / min(old, again)
        pairs.append((noise, new / min(old, again)))
        if not is_slower(pairs, options.limit):
            break
    return pairs


def is_slower(pairs, limit):
    """Whether every measurement says that the new build is slower than noise
    explains."""
    noise = max(pair[0] for pair in pairs)
    return all(ratio > limit and ratio > noise for _, ratio in pairs)


def make_builds(options, scratch):
    """The old build twice, under one set of artifacts, and the new one."""
    builds = []
    for name, tools in (("old", options.old), ("new", options.new)):
        folder = pathlib.Path(scratch, name)
        folder.mkdir()
        builds.append(Weir(tools, folder))
    return [builds[0], builds[0], builds[1]]


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("old", help="the folder of the old build's tools")
    parser.add_argument("new", help="the folder of the new build's tools")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="networks by name (repeat)")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precisions", default="f32,bf16")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--budget-ms", type=int, default=100,
                        help="of one process")
    parser.add_argument("--limit", type=float, default=1.03)
    parser.add_argument("--mean", type=float, default=1.01)
    parser.add_argument("--json", help="where to write all figures")
    return parser.parse_args()


def row(name, precision, pairs, failed):
    return [name, precision,
            " ".join(f"{noise:.3f}" for noise, _ in pairs),
            " ".join(f"{ratio:.3f}" for _, ratio in pairs),
            "slower" if failed else ""]


def main():
    options = parse_options()
    rows, ratios, failures = [], [], 0
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        builds = make_builds(options, scratch)
        for network in make_networks.choose(options.only, networks.ALL):
            made = cache.ensure(network, options.folder)
            for precision in options.precisions.split(","):
                setting = Setting(options.threads, precision)
                try:
                    pairs = compare(builds, made, setting, options)
                except Unable as unable:
                    failures += 1
                    reason = str(unable).splitlines()[0]
                    rows.append([made.name, precision, "", "", reason])
                    print(*rows[-1], file=sys.stderr, flush=True)
                    continue
                failed = is_slower(pairs, options.limit)
                failures += failed
                ratios.append(min(ratio for _, ratio in pairs))
                rows.append(row(made.name, precision, pairs, failed))
                print(*rows[-1], file=sys.stderr, flush=True)
            builds[OLD].release(made)
            builds[NEW].release(made)
    mean = statistics.geometric_mean(ratios) if ratios else math.nan
    print(table(["network", "precision", "A/A", "B", ""], rows))
    print(f"\ngeometric mean of B {mean:.4f}; {failures} of {len(rows)} "
          "slower or without a figure")
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps({"rows": rows, "mean": mean}, indent=1),
            encoding="utf-8")
    sys.exit(bool(failures or mean > options.mean))


if __name__ == "__main__":
    main()
